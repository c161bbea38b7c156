package telemetry

import (
	"encoding/json"
	"strings"
	"unicode/utf8"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/xpdata"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonscan"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session/store"
)

// attrs collects the attributes of one span or log record. A key must be written
// once only: duplicates are not looked for. Values that are absent are left out.
// Strings are kept, not copied.
type attrs struct {
	opt     *Options
	mb      xpdata.MapBuilder
	servers serverCache
}

// Capacities: most spans have fewer attributes.
const (
	noticeCapacity  = 19
	callCapacity    = 22
	sessionCapacity = 24
)

func (a *attrs) begin(capacity int) { a.mb.EnsureCapacity(capacity) }

// into moves what was collected to m.
func (a *attrs) into(m pcommon.Map) { a.mb.UnsafeIntoMap(m) }

func (a *attrs) str(key, value string) {
	if value != "" {
		a.mb.AppendEmpty(key).SetStr(value)
	}
}

func (a *attrs) int(key string, value int64) { a.mb.AppendEmpty(key).SetInt(value) }

func (a *attrs) float(key string, value float64) { a.mb.AppendEmpty(key).SetDouble(value) }

// flag writes true, and nothing for false.
func (a *attrs) flag(key string, value bool) {
	if value {
		a.mb.AppendEmpty(key).SetBool(true)
	}
}

// declared writes whether something was declared, if that is known.
func (a *attrs) declared(key string, k store.Known) {
	if k != 0 {
		a.mb.AppendEmpty(key).SetBool(k == store.KnownYes)
	}
}

// jsonInt writes an integer, if v is one.
func (a *attrs) jsonInt(key string, v event.JSON) {
	if n, ok := v.Int(); ok {
		a.int(key, n)
	}
}

// jsonFloat writes a number, if v is one.
func (a *attrs) jsonFloat(key string, v event.JSON) {
	if n, ok := v.Float(); ok {
		a.float(key, n)
	}
}

// jsonBool writes a boolean, if v is one.
func (a *attrs) jsonBool(key string, v event.JSON) {
	if v == "true" || v == "false" {
		a.mb.AppendEmpty(key).SetBool(v == "true")
	}
}

// jsonStrings writes the strings of an array, if v is one.
func (a *attrs) jsonStrings(key string, v event.JSON) {
	if !v.IsArray() {
		return
	}
	var values []any
	if json.Unmarshal([]byte(v), &values) != nil {
		return
	}
	slice := a.mb.AppendEmpty(key).SetEmptySlice()
	for _, value := range values {
		if s, ok := value.(string); ok {
			slice.AppendEmpty().SetStr(a.cutCopy(s))
		}
	}
}

// inspector writes an mcp.* key that has a twin in the semantic conventions.
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

// payload writes what is recorded with payloads only.
func (a *attrs) payload(key, value string) {
	if a.opt.Payloads {
		a.str(key, value)
	}
}

// payloadCopy writes a copy of what aliases the body.
func (a *attrs) payloadCopy(key string, value event.JSON) {
	if a.opt.Payloads && value != "" {
		a.str(key, strings.Clone(string(value)))
	}
}

// payloads writes a payload that both conventions have a key for.
func (a *attrs) payloads(inspector, otel, value string) {
	if a.opt.PayloadInspector {
		a.payload(inspector, value)
	}
	if a.opt.PayloadOTel {
		a.payload(otel, value)
	}
}

// text writes a name, a title or another short text. What exceeds the limit is cut, and has
// a flag beside it.
func (a *attrs) text(key, value string) {
	kept := a.cut(value)
	a.str(key, kept)
	if len(kept) < len(value) {
		a.flag(key+mcpconv.TruncatedSuffix, true)
	}
}

// textCopy is text with a copy of what aliases the body.
func (a *attrs) textCopy(key, value string) { a.text(key, a.copy(value)) }

// payloadText is textCopy of what is recorded with payloads only.
func (a *attrs) payloadText(key, value string) {
	if a.opt.Payloads {
		a.textCopy(key, value)
	}
}

// names writes a name that both conventions have a key for.
func (a *attrs) names(inspector, otel, value string) {
	if a.opt.Inspector {
		a.text(inspector, value)
	}
	if a.opt.OTel {
		a.text(otel, value)
	}
}

// cut is a short text within the limit, aliasing it.
func (a *attrs) cut(s string) string { return jsonscan.Cut(s, a.opt.TextBytes) }

// cutCopy is a copy of a short text within the limit.
func (a *attrs) cutCopy(s string) string { return strings.Clone(a.cut(s)) }

// copy is a copy of a short text. One that exceeds the limit keeps a character more, by
// which text knows that it is cut.
func (a *attrs) copy(s string) string {
	return strings.Clone(jsonscan.Cut(s, a.opt.TextBytes+utf8.UTFMax))
}

// session writes what every span of a session carries; s may be nil.
func (a *attrs) session(s *store.SessionRecord) {
	if s == nil {
		return
	}
	a.str(mcpconv.SessionID, s.ID)
	a.str(mcpconv.MCPSessionID, s.MCPSession)
	if s.Number > 1 {
		a.int(mcpconv.SessionEpoch, int64(s.Number))
	}
}

// operation writes that the span is a GenAI operation of the session; s may be nil. Markers,
// notices, phases and summaries are none.
func (a *attrs) operation(name string, s *store.SessionRecord) {
	a.otel(mcpconv.GenAIOperation, name)
	if s != nil {
		a.otel(mcpconv.GenAIConversation, s.ID)
	}
}

// transport writes how messages travel.
func (a *attrs) transport(name string) {
	a.inspector(mcpconv.RPCTransport, name)
	transport, protocol := mcpconv.Network(name)
	a.otel(mcpconv.NetworkTransport, transport)
	a.otel(mcpconv.NetworkProtocol, protocol)
}

// rpc writes what all messages of JSON-RPC have.
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

// rpcID writes the id of a request, as text.
func (a *attrs) rpcID(id string) {
	a.inspector(mcpconv.RPCID, id)
	a.otel(mcpconv.JSONRPCRequestID, id)
}

// tool writes the name of the tool that a span is the call of.
func (a *attrs) tool(name string) {
	a.names(mcpconv.ToolName, mcpconv.GenAIToolName, name)
}

// usage writes the tokens that were used.
func (a *attrs) usage(u *store.Usage) {
	if !a.opt.OTel {
		return
	}
	a.int(mcpconv.GenAIUsageInput, u.Input)
	a.int(mcpconv.GenAIUsageOutput, u.Output)
	a.positive(mcpconv.GenAIUsageCacheRead, u.CacheRead)
	a.positive(mcpconv.GenAIUsageCacheWrite, u.CacheWrite)
	a.positive(mcpconv.GenAIUsageReasoning, u.Reasoning)
}
