package jsonrpc

import (
	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonscan"
)

func (p *Params) decode(c *jsonscan.Cursor) {
	p.Raw = Members(c, func(key string) bool {
		if key == "_meta" {
			p.Meta.decode(c)
			return true
		}
		return p.member(key, c)
	})
}

// member is split in two by use, since a switch over strings is a search.
func (p *Params) member(key string, c *jsonscan.Cursor) bool {
	switch key {
	case "name":
		p.Name = c.Value()
	case "arguments":
		p.Arguments = c.Value()
	case "uri":
		p.URI = c.Value()
	case "message":
		p.Message = c.Value()
	case "progressToken":
		p.ProgressToken = c.Value().Canonical()
	case "progress":
		p.Progress = c.Value()
	case "total":
		p.Total = c.Value()
	case "requestId":
		p.RequestID = c.Value().Canonical()
	case "reason":
		p.Reason = c.Value()
	case "level":
		p.Level = c.Value()
	case "logger":
		p.Logger = c.Value()
	case "data":
		p.Data = c.Value()
	default:
		return p.Host.member(key, c) || p.rareMember(key, c)
	}
	return true
}

func (h *Host) member(key string, c *jsonscan.Cursor) bool {
	switch key {
	case "phase":
		h.Phase = c.Value()
	case "tokens_used":
		h.TokensUsed = c.Value()
	case "tokens_limit":
		h.TokensLimit = c.Value()
	case "tool_calls_total":
		h.ToolCallsTotal = c.Value()
	case "elapsed_seconds":
		h.ElapsedSeconds = c.Value()
	case "current_task":
		h.CurrentTask = c.Value()
	default:
		return false
	}
	return true
}

func (p *Params) rareMember(key string, c *jsonscan.Cursor) bool {
	switch key {
	case "messages":
		p.Messages = c.Value()
	case "systemPrompt":
		p.SystemPrompt = c.Value()
	case "modelPreferences":
		p.Preferences = c.Value()
	case "requestedSchema":
		p.Schema = c.Value()
	case "sessionId":
		p.SessionID = c.Value()
	case "eventId":
		p.EventID = c.Value()
	case "reminder":
		p.ReminderID = MemberAt(c, "id")
	case "update":
		p.Update = c.Value()
	case "prompt":
		p.Prompt = c.Value()
	case "toolCall":
		p.ToolCall = c.Value()
	case "options":
		p.Options = c.Value()
	case "taskId":
		p.TaskID = c.Value()
	case "status":
		p.Status = c.Value()
	case "statusMessage":
		p.StatusMessage = c.Value()
	case "result":
		p.Result = c.Value()
	case "error":
		p.Error = c.Value()
	case "requestState":
		p.RequestState = c.Value()
	case "inputResponses":
		p.InputResponses = c.Value()
	case "resourceSpans":
		p.InBandSpans = c.Value()
	case "timestamp":
		p.Timestamp = c.Value()
	case "protocolVersion":
		p.ProtocolVersion = c.Value()
	case "capabilities", "clientCapabilities":
		p.Capabilities = c.Value()
	case "clientInfo":
		p.Client.decode(c)
	default:
		return false
	}
	return true
}

func (m *Meta) decode(c *jsonscan.Cursor) {
	Members(c, func(key string) bool {
		switch key {
		case "progressToken":
			m.ProgressToken = c.Value().Canonical()
		case "traceparent":
			m.Traceparent = c.Value()
		case "tracestate":
			m.Tracestate = c.Value()
		case "mcp.request_id":
			m.RequestID = c.Value()
		case "requestId":
			m.RequestIDAlias = c.Value()
		case "io.modelcontextprotocol/protocolVersion":
			m.ProtocolVersion = c.Value()
		case "io.modelcontextprotocol/clientCapabilities":
			m.Capabilities = c.Value()
		case "io.modelcontextprotocol/logLevel":
			m.LogLevel = c.Value()
		case "threadId":
			m.Thread = c.Value()
		case "claudecode/toolUseId", "callId":
			m.ToolUse = c.Value().Canonical()
		case "otel":
			m.ResourceSpans = Member(MemberAt(c, "traces"), "resourceSpans")
		case "harn":
			m.Reminder = MemberAt(c, "reminder")
		case "io.modelcontextprotocol/clientInfo":
			m.Client.decode(c)
		case "io.modelcontextprotocol/serverInfo":
			m.Server.decode(c)
		default:
			return false
		}
		return true
	})
}

func (i *Implementation) decode(c *jsonscan.Cursor) {
	Members(c, func(key string) bool {
		switch key {
		case "name":
			i.Name = c.Value()
		case "version":
			i.Version = c.Value()
		default:
			return false
		}
		return true
	})
}
