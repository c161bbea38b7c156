package jsonrpc

import (
	"bytes"
	"errors"

	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonscan"
)

// Why a hook event cannot be taken.
var (
	errNoEvent   = errors.New("hook_event_name is not a non-empty string")
	errNoSession = errors.New("session_id is not a non-empty string")
)

// Hook is one event of Claude Code's hooks (code.claude.com/docs/en/hooks).
// Absent members are empty.
type Hook struct {
	Raw   Value  // the whole event as sent
	Event string // hook_event_name

	Session Value // session_id
	Title   Value // session_title
	Source  Value // of SessionStart
	Prompt  Value // of UserPromptSubmit

	Tool      Value // tool_name
	ToolID    Value // tool_use_id
	Input     Value // tool_input
	Output    Value // tool_response
	Duration  Value // duration_ms
	Server    Value // mcp_server.name
	Interrupt Value // is_interrupt
	Error     Value // text of a tool's failure, type of an API's
	Details   Value // error_details
	Last      Value // last_assistant_message
	Reason    Value // of a denial

	AgentID   Value
	AgentType Value

	Notification Value // notification_type
	Message      Value
	Trigger      Value // of a compaction

	Sanitized bool // invalid UTF-8 was replaced by U+FFFD
}

// Decode reads the event at the cursor; session is whose it is if it does not
// say so itself. The error tells why it cannot be taken; [jsonscan.Cursor.Err]
// tells whether the cursor stands behind it.
func (h *Hook) Decode(c *jsonscan.Cursor, session string) error {
	c.ClearBadUTF8()
	c.Peek()
	from := c.Offset()
	err := h.decode(c, session)
	if err != nil || !c.BadUTF8() {
		return err
	}
	var clean jsonscan.Cursor
	clean.Reset(bytes.ToValidUTF8([]byte(c.Slice(from)), []byte("\uFFFD")))
	err = h.decode(&clean, session)
	h.Sanitized = true
	return err
}

func (h *Hook) decode(c *jsonscan.Cursor, session string) error {
	*h = Hook{}
	if c.Peek() != '{' {
		c.Value()
		return firstError(c, errNotObject)
	}
	h.Raw = members(c, func(key string) bool { return h.member(key, c) || h.toolMember(key, c) })
	switch {
	case c.Err() != nil:
		return c.Err()
	case h.Event == "":
		return errNoEvent
	case h.Session.Str() == "" && session == "":
		return errNoSession
	}
	return nil
}

func (h *Hook) member(key string, c *jsonscan.Cursor) bool {
	switch key {
	case "hook_event_name":
		h.Event = c.Value().Str()
	case "session_id":
		h.Session = c.Value()
	case "session_title":
		h.Title = c.Value()
	case "source":
		h.Source = c.Value()
	case "prompt":
		h.Prompt = c.Value()
	case "agent_id":
		h.AgentID = c.Value()
	case "agent_type":
		h.AgentType = c.Value()
	case "notification_type":
		h.Notification = c.Value()
	case "message":
		h.Message = c.Value()
	case "trigger":
		h.Trigger = c.Value()
	default:
		return false
	}
	return true
}

func (h *Hook) toolMember(key string, c *jsonscan.Cursor) bool {
	switch key {
	case "tool_name":
		h.Tool = c.Value()
	case "tool_use_id":
		h.ToolID = c.Value().Canonical()
	case "tool_input":
		h.Input = c.Value()
	case "tool_response":
		h.Output = c.Value()
	case "duration_ms":
		h.Duration = c.Value()
	case "mcp_server":
		h.Server = memberOf(c, "name")
	case "is_interrupt":
		h.Interrupt = c.Value()
	case "error":
		h.Error = c.Value()
	case "reason":
		h.Reason = c.Value()
	case "error_details":
		h.Details = c.Value()
	case "last_assistant_message":
		h.Last = c.Value()
	default:
		return false
	}
	return true
}
