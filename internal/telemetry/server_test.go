package telemetry

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestOf(t *testing.T) {
	long := "http://h/" + strings.Repeat("x", cachedURIMax)
	var last serverCache
	for uri, want := range map[string]serverEndpoint{
		"":                                {},
		"http://a b/":                     {},
		"https://example.com/mcp":         {"https://example.com/mcp", "example.com", 443},
		"http://u:p@[::1]:8080/mcp?k=v#f": {"http://[::1]:8080/mcp", "::1", 8080},
		"http://h":                        {"http://h", "h", 80},
		"wss://h":                         {"wss://h", "h", 443},
		"http://h:99999/":                 {"http://h:99999/", "h", 80},
		"http://%ff/":                     {URI: "http://%ff/"},
		"other://h":                       {"other://h", "h", 0},
		"file:///tmp":                     {URI: "file:///tmp"},
		"stdio":                           {URI: "stdio"},
		long:                              {long, "h", 80},
	} {
		assert.Equal(t, want, serverOf(uri), uri)
		for range 2 {
			assert.Equal(t, want, last.Of(uri), uri)
		}
	}
	assert.NotEqual(t, long, last.uri, "what is long is not kept")
	assert.Zero(t, testing.AllocsPerRun(10, func() { last.Of("http://h") }))
}
