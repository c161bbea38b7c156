package hook

import "github.com/otelcol-mcp/otelcol-mcp/internal/jsonscan"

// field is where the value of a member belongs, nil if the member is not read.
func (b *Body) field(key string) *jsonscan.Value {
	if to := b.about(key); to != nil {
		return to
	}
	if to := b.Tool.field(key); to != nil {
		return to
	}
	if to := b.Agent.field(key); to != nil {
		return to
	}
	if to := b.Facts.field(key); to != nil {
		return to
	}
	return b.Use.field(key)
}

func (b *Body) about(key string) *jsonscan.Value {
	switch key {
	case "hook_event_name", "hookEventName", "hookName":
		return &b.Name
	case "session_id", "sessionId":
		return &b.Session
	case "conversation_id":
		return &b.Conversation
	case "turn_id", "prompt_id", "generation_id":
		return &b.Turn
	case "timestamp":
		return &b.Time
	case "traceparent":
		return &b.Traceparent
	case "session_title":
		return &b.Title
	}
	return b.text(key)
}

func (b *Body) text(key string) *jsonscan.Value {
	switch key {
	case "prompt":
		return &b.Prompt
	case "message":
		return &b.Message
	case "notification_type", "notificationType":
		return &b.Notification
	case "trigger":
		return &b.Trigger
	case "status", "final_status":
		return &b.Status
	case "reason":
		return &b.Reason
	case "last_assistant_message":
		return &b.Last
	case "error", "error_message":
		return &b.Error
	case "error_details", "failure_type", "error_context", "errorContext":
		return &b.Details
	case "recoverable":
		return &b.Recoverable
	}
	return nil
}

func (t *Tool) field(key string) *jsonscan.Value {
	switch key {
	case "tool_name", "toolName":
		return &t.Name
	case "tool_use_id", "toolUseId":
		return &t.ID
	case "tool_input", "toolArgs", "toolInput":
		return &t.Input
	case "tool_response", "tool_output", "tool_result", "toolResult":
		return &t.Output
	case "duration_ms", "duration":
		return &t.Duration
	case "mcp_server", "mcp_context":
		return &t.Server
	case "is_interrupt":
		return &t.Interrupt
	}
	return nil
}

func (a *Agent) field(key string) *jsonscan.Value {
	switch key {
	case "agent_id", "subagent_id", "agentId":
		return &a.ID
	case "agent_type", "subagent_type", "agentType":
		return &a.Type
	case "agent_name", "agentName":
		return &a.Name
	case "parent_agent_id", "parentAgentId":
		return &a.Parent
	case "task":
		return &a.Task
	case "subagent_model":
		return &a.Model
	}
	return nil
}

func (f *Facts) field(key string) *jsonscan.Value {
	switch key {
	case "version", "cursor_version":
		return &f.Version
	case "model":
		return &f.Model
	case "context_window_size":
		return &f.Window
	case "cwd":
		return &f.Dir
	}
	return nil
}

func (m *ModelUse) field(key string) *jsonscan.Value {
	switch key {
	case "llm_request":
		return &m.Request
	case "llm_response":
		return &m.Response
	case "usage":
		return &m.Usage
	case "input_tokens":
		return &m.Input
	case "output_tokens":
		return &m.Output
	case "cache_read_tokens":
		return &m.Read
	case "cache_write_tokens":
		return &m.Write
	}
	return nil
}
