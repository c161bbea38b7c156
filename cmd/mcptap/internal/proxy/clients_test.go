package proxy

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-mcp/otelcol-mcp/cmd/mcptap/internal/frame"
	"github.com/otelcol-mcp/otelcol-mcp/internal/observation"
)

// pooled is a client with connections of its own.
type pooled struct {
	http.Client
	t          *testing.T
	url, agent string
	name       string
}

func newPooled(t *testing.T, url, agent, name string) *pooled {
	t.Helper()
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	return &pooled{http.Client{Transport: transport}, t, url, agent, name}
}

// call sends a request, over a new connection if the last one is to be closed.
func (p *pooled) call(id int, last bool) {
	p.t.Helper()
	meta := ""
	if p.name != "" {
		meta = fmt.Sprintf(`"_meta":{"io.modelcontextprotocol/clientInfo":{"name":%q}},`, p.name)
	}
	body := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{%s"name":%q}}`, id, meta, p.agent)
	request, err := http.NewRequestWithContext(p.t.Context(), http.MethodPost, p.url, strings.NewReader(body))
	require.NoError(p.t, err)
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("User-Agent", strings.TrimRight(p.agent, "0123456789"))
	request.Close = last
	response, err := p.Do(request)
	require.NoError(p.t, err)
	_, err = io.Copy(io.Discard, response.Body)
	require.NoError(p.t, err)
	require.NoError(p.t, response.Body.Close())
}

// sessionsOf are the sessions of a client's calls.
func sessionsOf(all []seen, agent string) (sessions []string) {
	for _, r := range all {
		if strings.Contains(r.text, `"name":"`+agent+`"}`) {
			sessions = append(sessions, r.Session)
		}
	}
	return sessions
}

// Clients without a session each have one here, however they use connections.
func TestClientsWithoutSession(t *testing.T) {
	for _, propagate := range []bool{false, true} {
		url, k := proxied(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":0,"result":{}}`)
		}), func(o *Options) { o.Propagate = propagate })
		one, two := newPooled(t, url, "node1", ""), newPooled(t, url, "node2", "")
		other, named := newPooled(t, url, "python", ""), newPooled(t, url, "node3", "inspector")
		one.call(0, false)
		two.call(0, false) // the same program at the same address, with an id that was used
		one.call(1, true)
		one.call(2, true) // over new connections
		two.call(1, false)
		other.call(7, false)
		named.call(0, false)
		one.call(3, false)
		named.call(1, true)
		named.call(2, true)

		all := k.whole()
		assert.Equal(t, []string{"tap", "tap", "tap", "tap"}, sessionsOf(all, "node1"))
		assert.Equal(t, []string{"tap-2", "tap-2"}, sessionsOf(all, "node2"))
		assert.Equal(t, []string{"tap-3"}, sessionsOf(all, "python"))
		assert.Equal(t, []string{"tap-4", "tap-4", "tap-4"}, sessionsOf(all, "node3"))
		proxy := k.front.Config.Handler.(*Proxy)
		proxy.Close()
		var ended []string
		for _, r := range k.all() {
			if r.End == (observation.End{Present: true, Reason: "closed"}) {
				ended = append(ended, r.Session)
			}
		}
		assert.Equal(t, []string{"tap", "tap-2", "tap-3", "tap-4"}, ended)
	}
}

// A client that sends much at once, over as many connections, is one client.
func TestParallelConnections(t *testing.T) {
	cs := clients{first: "tap"}
	message := func(id int) (m *frame.Message) {
		frame.Parse(fmt.Appendf(nil, `{"id":%d,"method":"a"}`, id), func(found *frame.Message) { m = found })
		return m
	}
	for _, id := range []int{1, 3, 2, 5, 4, 40, 41, 30, 100} {
		assert.Equal(t, "tap", cs.of(&connection{}, "kind", message(id)), id)
	}
	for _, id := range []int{3, 30, 100} {
		assert.NotEqual(t, "tap", cs.of(&connection{}, "kind", message(id)), id)
	}
	assert.Equal(t, "tap", cs.current(&connection{client: cs.known["kind"][0]}, "kind"))
	for i := range 5 * clientsMax {
		_ = cs.of(&connection{}, "kind", message(1))
		_ = cs.of(&connection{}, strconv.Itoa(i), message(1))
	}
	assert.Len(t, cs.known["kind"], clientsMax)
	for i := range 2 * clientKindsMax {
		cs.record(cs.of(&connection{}, fmt.Sprint("more", i), message(1)))
	}
	assert.LessOrEqual(t, len(cs.known), clientKindsMax)
	assert.LessOrEqual(t, len(cs.recorded), clientKindsMax)
}

// A stream that a client opens is part of its session.
func TestStreamWithoutSession(t *testing.T) {
	cs := clients{first: "tap"}
	r := httptest.NewRequest(http.MethodGet, "/mcp", http.NoBody)
	conn := connectionOf(r)
	assert.Equal(t, "tap", cs.current(conn, kindOf(r)))
	frame.Parse([]byte(`{"id":"x","method":"a"}`), func(m *frame.Message) {
		assert.Equal(t, "tap", cs.of(&connection{}, "other", m))
		assert.Equal(t, "tap-2", cs.of(conn, kindOf(r), m))
	})
	assert.Equal(t, "tap-2", cs.current(&connection{}, kindOf(r)))
}
