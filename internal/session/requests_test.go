package session

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/otelcol-mcp/otelcol-mcp/internal/session/store"
)

// How messages travel and where the server is need not be in one request: the first that
// says either counts.
func TestLearnWire(t *testing.T) {
	for name, c := range map[string]struct {
		calls []store.Peers
		want  store.Wire
	}{
		"nothing":          {[]store.Peers{{}}, store.Wire{}},
		"both":             {[]store.Peers{{Transport: "http", ServerURI: "https://u:p@h:1/x?secret"}}, store.Wire{Carrier: "http", Server: "https://h:1"}},
		"server second":    {[]store.Peers{{Transport: "http"}, {Transport: "http", ServerURI: "https://h/x"}}, store.Wire{Carrier: "http", Server: "https://h"}},
		"transport second": {[]store.Peers{{ServerURI: "https://h/x"}, {Transport: "http"}}, store.Wire{Carrier: "http", Server: "https://h"}},
		"first counts": {
			[]store.Peers{{Transport: "http", ServerURI: "https://a"}, {Transport: "sse", ServerURI: "https://b"}},
			store.Wire{Carrier: "http", Server: "https://a"},
		},
		"no URI":   {[]store.Peers{{ServerURI: ":"}, {ServerURI: "https://h"}}, store.Wire{Server: "https://h"}},
		"too long": {[]store.Peers{{ServerURI: "https://" + strings.Repeat("h", 1<<12)}}, store.Wire{}},
	} {
		var s store.Session
		for _, p := range c.calls {
			learnWire(&s, &store.Call{CallRecord: store.CallRecord{Peers: p}})
		}
		assert.Equal(t, c.want, s.PeerInfo().Wire, name)
	}
}
