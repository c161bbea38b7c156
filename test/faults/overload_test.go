package faults

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestOverload posts more at once than the collector has memory for.
func TestOverload(t *testing.T) {
	for _, tt := range []struct {
		name           string
		senders, bytes int
	}{
		{"small", 256, 300},
		{"400 kB", 128, 400_000},
		{"18 MB", 32, 18_000_000},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := startLimited(t)
			health := c.watchHealth(t)
			answers := c.flood(tt.senders, completedCall(tt.bytes))
			t.Logf("answers %v, slowest answer of the health check %v", answers.count, health())
			answers.only(t, "202", "429", "503")
			assert.Positive(t, answers.count["202"], "nothing was accepted")
			c.checkResident(t)
			assert.Equal(t, "202", eventuallyAccepted(t, c.mcp), "afterwards")
		})
	}
}

// TestIdleAnnouncers opens connections that announce large bodies and send none.
func TestIdleAnnouncers(t *testing.T) {
	const connections, announced = 2000, 1_000_000
	c := startLimited(t)
	sent := 0
	for i := range connections {
		path := []string{"/v1/observations", "/v1/inspector/events", "/v1/hooks/claude-code", "/mcp"}[i%4]
		sent += announce(t, c.mcp, path, announced)
	}
	t.Logf("%d connections sent %d kB", connections, sent/1000)
	t.Logf("slowest answer of the health check %v", c.slowestHealth(t))
	assert.Equal(t, "202", post(c.mcp, completedCall(100)), "beside them")
	c.checkResident(t)
}

// TestIdleDecompressors opens connections whose bodies begin with what makes a
// decompressor allocate most, and send no more.
func TestIdleDecompressors(t *testing.T) {
	c := startLimited(t)
	for encoding, start := range map[string]string{
		"gzip":            "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff",
		"zstd":            "\x28\xb5\x2f\xfd\x00\x98\x20\x00\x00abcd", // a window of 512 MiB
		"lz4":             "\x04\x22\x4d\x18\x40\x70\xdf\x04\x00\x00\x80abcd",
		"snappy":          "\x80\x80\x80\x09\x0cabcd", // of 18 MiB
		"x-snappy-framed": "\xff\x06\x00\x00sNaPpY",
	} {
		for range 200 {
			_, err := fmt.Fprintf(dial(t, c.mcp), "POST /v1/observations HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\n"+
				"Content-Encoding: %s\r\nContent-Length: 10000\r\n\r\n%s", c.mcp, encoding, start)
			require.NoError(t, err)
		}
	}
	answers := c.flood(4, completedCall(300))
	t.Logf("answers %v", answers.count)
	answers.only(t, "202")
	t.Logf("slowest answer of the health check %v", c.slowestHealth(t))
	c.checkResident(t)
}
