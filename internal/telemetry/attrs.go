package telemetry

import (
	"encoding/json"
	"strings"

	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/xpdata"

	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonrpc"
	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonscan"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session"
)

// attrs collects the attributes of one span; each key once, for it does not
// look. What has no value is left out. Strings are kept, not copied.
type attrs struct {
	opt *Options
	mb  xpdata.MapBuilder
}

// How many attributes are made room for: most spans have fewer.
const (
	roomOfNotice  = 19
	roomOfCall    = 22
	roomOfSession = 24
)

func (a *attrs) begin(room int) { a.mb.EnsureCapacity(room) }

func (a *attrs) into(span ptrace.Span) { a.mb.UnsafeIntoMap(span.Attributes()) }

func (a *attrs) str(key, value string) {
	if value != "" {
		a.mb.AppendEmpty(key).SetStr(value)
	}
}

func (a *attrs) int(key string, value int64) { a.mb.AppendEmpty(key).SetInt(value) }

func (a *attrs) float(key string, value float64) { a.mb.AppendEmpty(key).SetDouble(value) }

// number writes an integer of JSON, if it is one.
func (a *attrs) number(key string, v jsonrpc.Value) {
	if n, ok := v.Int(); ok {
		a.int(key, n)
	}
}

// tokens writes how much of a context window is in use; the percentage only if
// both are told.
func (a *attrs) tokens(used, limit jsonrpc.Value) {
	u, hasUsed := used.Int()
	l, hasLimit := limit.Int()
	if hasUsed {
		a.int(mcpconv.HostTokensUsed, u)
	}
	if hasLimit {
		a.int(mcpconv.HostTokensLimit, l)
	}
	if hasUsed && hasLimit && l > 0 {
		a.float(mcpconv.HostTokensShare, 100*float64(u)/float64(l))
	}
}

// double writes a number of JSON, if it is one.
func (a *attrs) double(key string, v jsonrpc.Value) {
	if n, ok := v.Float(); ok {
		a.float(key, n)
	}
}

// boolean writes a truth value of JSON, if it is one.
func (a *attrs) boolean(key string, v jsonrpc.Value) {
	if v == "true" || v == "false" {
		a.mb.AppendEmpty(key).SetBool(v == "true")
	}
}

// strings writes an array of strings of JSON, as far as they are.
func (a *attrs) strings(key string, v jsonrpc.Value) {
	if !v.IsArray() {
		return
	}
	var texts []any
	if json.Unmarshal([]byte(v), &texts) != nil {
		return
	}
	slice := a.mb.AppendEmpty(key).SetEmptySlice()
	for _, text := range texts {
		if s, ok := text.(string); ok {
			slice.AppendEmpty().SetStr(a.text(s))
		}
	}
}

// known writes what was declared, if that is known.
func (a *attrs) known(key string, k session.Known) {
	if k != 0 {
		a.mb.AppendEmpty(key).SetBool(k == session.KnownYes)
	}
}

func (a *attrs) yes(key string, value bool) {
	if value {
		a.mb.AppendEmpty(key).SetBool(true)
	}
}

// inspector writes an mcp.* key that the semantic conventions have a twin of.
func (a *attrs) inspector(key, value string) {
	if a.opt.Inspector {
		a.str(key, value)
	}
}

// otel writes a key of the semantic conventions.
func (a *attrs) otel(key, value string) {
	if a.opt.OTel {
		a.str(key, value)
	}
}

// payload writes what only capture.payloads lets through.
func (a *attrs) payload(key, value string) {
	if a.opt.Payloads {
		a.str(key, value)
	}
}

// twin writes a payload that both conventions have a key for.
func (a *attrs) twin(inspector, otel, value string) {
	if a.opt.PayloadInspector {
		a.payload(inspector, value)
	}
	if a.opt.PayloadOTel {
		a.payload(otel, value)
	}
}

// session writes what every span of a session carries.
func (a *attrs) session(s *session.Session) {
	if s == nil {
		return
	}
	a.str(mcpconv.SessionID, s.ID)
	a.str(mcpconv.MCPSessionID, s.MCPSession)
	a.otel(mcpconv.GenAIConversation, s.ID)
	if s.Epoch > 1 {
		a.int(mcpconv.SessionEpoch, int64(s.Epoch))
	}
}

// transport writes how messages travel.
func (a *attrs) transport(name string) {
	a.inspector(mcpconv.RPCTransport, name)
	if !a.opt.OTel {
		return
	}
	switch name {
	case "stdio":
		a.str(mcpconv.NetworkTransport, "pipe")
	case "http", "sse", "streamable_http":
		a.str(mcpconv.NetworkTransport, "tcp")
		a.str(mcpconv.NetworkProtocol, "http")
	case "websocket":
		a.str(mcpconv.NetworkTransport, "tcp")
		a.str(mcpconv.NetworkProtocol, "websocket")
	}
}

// rpc writes what all JSON-RPC messages have.
func (a *attrs) rpc(method, version string, fromClient bool) {
	a.inspector(mcpconv.JSONRPCVersion, version)
	a.inspector(mcpconv.RPCMethod, method)
	a.otel(mcpconv.MethodName, method)
	if version != "2.0" {
		a.otel(mcpconv.JSONRPCProtocol, version)
	}
	direction := "inbound"
	if fromClient {
		direction = "outbound"
	}
	a.inspector(mcpconv.RPCDirection, direction)
}

// text is a copy of a short text within the limit.
func (a *attrs) text(s string) string { return strings.Clone(jsonscan.Cut(s, a.opt.TextBytes)) }
