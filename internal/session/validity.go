package session

import (
	"strings"

	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonrpc"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// invalidRequest is why a request breaks its method's schema, "" if it does not.
func invalidRequest(o *Observation, m *jsonrpc.Message) string {
	switch {
	case m.Invalid != "":
		return m.Invalid
	case o.Invalid != "":
		return strings.Clone(o.Invalid)
	case (m.Method == mcpconv.MethodToolsCall || m.Method == mcpconv.MethodPromptsGet) && m.Params.Name.Str() == "":
		return "name is missing"
	case m.Method == mcpconv.MethodResourcesRead && m.Params.URI.Str() == "":
		return "uri is missing"
	case m.Method == mcpconv.MethodSampling && !m.Params.Messages.IsArray():
		return "messages are missing"
	case m.Method == mcpconv.MethodElicitation && !m.Params.Message.IsString():
		return "message is missing"
	case m.Params.Raw != "" && !m.Params.Raw.IsObject() && !m.Params.Raw.IsArray():
		return "params is neither an object nor an array"
	}
	return ""
}

func invalidNotification(o *Observation, m *jsonrpc.Message) string {
	p := &m.Params
	switch {
	case m.Invalid != "":
		return m.Invalid
	case o.Invalid != "":
		return o.Invalid
	case m.Method == mcpconv.NotificationProgress && (p.ProgressToken == "" || !p.Progress.IsNumber()):
		return "progressToken or progress is missing"
	case m.Method == mcpconv.NotificationCancelled && p.RequestID == "":
		return "requestId is missing"
	case m.Method == mcpconv.NotificationResource && p.URI.Str() == "":
		return "uri is missing"
	case m.Method == mcpconv.HostHeartbeat && invalidBeat(&p.Host) != "":
		return invalidBeat(&p.Host)
	case isLog(o, m) && Levels[p.Level.Str()] == 0:
		return "level is not one of RFC 5424's"
	case m.Method == mcpconv.MethodACPLog && o.ACP && !p.Message.IsString():
		return "message is not a string"
	case m.Method == mcpconv.MethodACPLog && o.ACP && p.Timestamp != "" && timeOf(p.Timestamp) == 0:
		return "timestamp is not a time"
	case p.Raw != "" && !p.Raw.IsObject() && !p.Raw.IsArray():
		return "params is neither an object nor an array"
	}
	return ""
}
