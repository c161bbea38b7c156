package session

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/otelcol-mcp/otelcol-mcp/internal/session/state"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session/table"
)

// How messages travel and where the server is need not be in one request: the first that
// says either counts.
func TestLearnWire(t *testing.T) {
	for name, c := range map[string]struct {
		calls []state.Peers
		want  state.Wire
	}{
		"nothing":          {[]state.Peers{{}}, state.Wire{}},
		"both":             {[]state.Peers{{Transport: "http", ServerURI: "https://u:p@h:1/x?secret"}}, state.Wire{Carrier: "http", Server: "https://h:1"}},
		"server second":    {[]state.Peers{{Transport: "http"}, {Transport: "http", ServerURI: "https://h/x"}}, state.Wire{Carrier: "http", Server: "https://h"}},
		"transport second": {[]state.Peers{{ServerURI: "https://h/x"}, {Transport: "http"}}, state.Wire{Carrier: "http", Server: "https://h"}},
		"first counts": {
			[]state.Peers{{Transport: "http", ServerURI: "https://a"}, {Transport: "sse", ServerURI: "https://b"}},
			state.Wire{Carrier: "http", Server: "https://a"},
		},
		"no URI":   {[]state.Peers{{ServerURI: ":"}, {ServerURI: "https://h"}}, state.Wire{Server: "https://h"}},
		"too long": {[]state.Peers{{ServerURI: "https://" + strings.Repeat("h", 1<<12)}}, state.Wire{}},
	} {
		var s table.Session
		for _, p := range c.calls {
			learnWire(&s, &table.Call{Call: state.Call{Peers: p}})
		}
		assert.Equal(t, c.want, s.PeerInfo().Wire, name)
	}
}
