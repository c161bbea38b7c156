package intake

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestRequest(t *testing.T) {
	for name, tt := range map[string]struct {
		target  string
		headers map[string]string
		want    Request
	}{
		"nothing": {"/", nil, Request{}},
		"all": {
			"/?session=q&agent=a",
			map[string]string{"Mcp-Session-Id": "m", "X-Session-Id": "x", "X-MCP-Request-Id": "r"},
			Request{MCPSession: "m", Session: "x", Query: "q", RequestID: "r"},
		},
		"agent":          {"/?agent=a", nil, Request{Query: "a"}},
		"ACP header":     {"/", map[string]string{"Acp-Session-Id": "c"}, Request{Session: "c", ACP: true}},
		"ACP connection": {"/", map[string]string{"Acp-Connection-Id": "k"}, Request{ACP: true}},
		"ACP query":      {"/?protocol=acp", nil, Request{ACP: true}},
		"no UTF-8":       {"/?agent=%ff", map[string]string{"X-Session-Id": "\xff"}, Request{Session: "\uFFFD", Query: "\uFFFD"}},
		"bad context":    {"/", map[string]string{"traceparent": "x"}, Request{BadContext: true}},
	} {
		r := httptest.NewRequest(http.MethodPost, tt.target, http.NoBody)
		for key, value := range tt.headers {
			r.Header.Set(key, value)
		}
		tt.want.Peer = "192.0.2.1"
		assert.Equal(t, tt.want, RequestOf(r, QueryOf(r)), name)
	}
}

func TestPeer(t *testing.T) {
	for address, want := range map[string]string{"10.0.0.1:5": "10.0.0.1", "[::1]:5": "::1", "@": "", "": ""} {
		assert.Equal(t, want, peer(address))
	}
}

// Values that are no UTF-8 tell tenants apart too.
func TestTenant(t *testing.T) {
	for want, value := range map[string]string{"M%FCller//": "M\xfcller", "M%F6ller//": "M\xf6ller", "M%C3%BCller//": "Müller", "//": ""} {
		assert.Equal(t, want, Tenant(http.Header{"X-User": {value}}, []string{"X-User", "X-Team"}))
	}
}
