package sessions

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-mcp/otelcol-mcp/exporter/inspectorexporter/internal/daily"
	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonscan"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// waitingFor is the phase of a host that waits for a person.
const waitingFor = mcpconv.PhaseApproval

// ID makes a session's id that can be part of a URL and a file's name; original
// is empty if that is the id itself.
func ID(own string) (id, original string) {
	if plain(own) && !daily.IsID(own) {
		return own, ""
	}
	sum := sha256.Sum256([]byte(own))
	return "x-" + hex.EncodeToString(sum[:16]), text(own)
}

// text is a copy, cut to what a row may hold.
func text(s string) string { return strings.Clone(jsonscan.Cut(s, textBytes)) }

func str(m pcommon.Map, key string) string {
	if v, ok := m.Get(key); ok && v.Type() == pcommon.ValueTypeStr {
		return v.Str()
	}
	return ""
}

func number(m pcommon.Map, key string) (int64, bool) {
	v, ok := m.Get(key)
	if !ok {
		return 0, false
	}
	switch v.Type() {
	case pcommon.ValueTypeInt:
		return v.Int(), true
	case pcommon.ValueTypeDouble:
		return int64(v.Double()), true
	}
	return 0, false
}

func float(m pcommon.Map, key string) (float64, bool) {
	v, ok := m.Get(key)
	if !ok {
		return 0, false
	}
	switch v.Type() {
	case pcommon.ValueTypeInt:
		return float64(v.Int()), true
	case pcommon.ValueTypeDouble:
		return v.Double(), true
	}
	return 0, false
}

// boolean reads a boolean, or its word; ok is false if there is none.
func boolean(m pcommon.Map, key string) (yes, ok bool) {
	v, ok := m.Get(key)
	if !ok {
		return false, false
	}
	yes, err := strconv.ParseBool(v.AsString())
	return yes, err == nil
}

// set changes a text if there is one.
func set(to *string, m pcommon.Map, key string) {
	if s := str(m, key); s != "" && *to != s {
		*to = text(s)
	}
}

// ownID is the id under which the sender knows the session.
func ownID(resource, attributes pcommon.Map) string {
	for _, m := range []pcommon.Map{attributes, resource} {
		for _, key := range []string{mcpconv.SessionID, mcpconv.GenAIConversation} {
			if id := str(m, key); id != "" {
				return id
			}
		}
	}
	return ""
}

// ours tells whether attributes are of the families that this is about.
func ours(m pcommon.Map) bool {
	for key := range m.All() {
		if strings.HasPrefix(key, "mcp.") || strings.HasPrefix(key, "gen_ai.") {
			return true
		}
	}
	return false
}

// detailKeys name what a call is about, the first that is there.
var detailKeys = []string{
	mcpconv.ToolName, mcpconv.GenAIToolName, mcpconv.AgentName, mcpconv.GenAIAgentName, mcpconv.LLMModel,
	mcpconv.GenAIRequestModel, mcpconv.ResourceURI, mcpconv.PromptTemplate, mcpconv.GenAIPromptName,
	mcpconv.SignalName, mcpconv.RPCMethod,
}

// spanNames are the names that calls with these methods get.
var spanNames = map[string]string{
	mcpconv.MethodToolsCall: mcpconv.SpanTool, mcpconv.MethodResourcesRead: mcpconv.SpanResource,
	mcpconv.MethodPromptsGet: mcpconv.SpanPrompt, mcpconv.MethodSampling: mcpconv.SpanLLM,
	mcpconv.MethodElicitation: mcpconv.SpanSignalWait, mcpconv.MethodRequestPermit: mcpconv.SpanSignalWait,
	mcpconv.MethodSessionPrompt: mcpconv.SpanAgent,
}

// callName is the name that the span of a call will have.
func callName(m pcommon.Map) string {
	method := cmp.Or(str(m, mcpconv.RPCMethod), str(m, mcpconv.MethodName), "call")
	return cmp.Or(spanNames[method], method)
}

func detail(m pcommon.Map) string {
	for _, key := range detailKeys {
		if s := str(m, key); s != "" {
			return text(s)
		}
	}
	return ""
}
