package claudecode

import (
	"bytes"
	"errors"

	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonscan"
	"github.com/otelcol-mcp/otelcol-mcp/internal/protocol/jsonrpc"
)

// Why a hook event cannot be accepted.
var (
	errNotObject = errors.New("not a JSON object")
	errNoEvent   = errors.New("hook_event_name is not a non-empty string")
	errNoSession = errors.New("session_id is not a non-empty string")
)

// Hook is one hook event as sent. Absent members are empty.
type Hook struct {
	Raw   jsonscan.Value // the whole event as sent
	Event string         // hook_event_name

	Session jsonscan.Value // session_id
	Title   jsonscan.Value // session_title
	Source  jsonscan.Value // of SessionStart
	Prompt  jsonscan.Value // of UserPromptSubmit

	Tool      jsonscan.Value // tool_name
	ToolID    jsonscan.Value // tool_use_id
	Input     jsonscan.Value // tool_input
	Output    jsonscan.Value // tool_response
	Duration  jsonscan.Value // duration_ms
	Server    jsonscan.Value // mcp_server.name
	Interrupt jsonscan.Value // is_interrupt
	Error     jsonscan.Value // text of a tool's failure, type of an API's
	Details   jsonscan.Value // error_details
	Last      jsonscan.Value // last_assistant_message
	Reason    jsonscan.Value // of a denial

	AgentID   jsonscan.Value
	AgentType jsonscan.Value

	Notification jsonscan.Value // notification_type
	Message      jsonscan.Value
	Trigger      jsonscan.Value // of a compaction

	Sanitized bool // invalid UTF-8 was replaced by U+FFFD
}

// Decode reads the event at the cursor; session is the session of events that
// name none. The error says why the event cannot be accepted; unless
// [jsonscan.Cursor.Err] is set, the cursor is behind the event.
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
		if c.Value(); c.Err() != nil {
			return c.Err()
		}
		return errNotObject
	}
	h.Raw = jsonrpc.Members(c, func(key string) bool { return h.member(key, c) || h.toolMember(key, c) })
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
		h.Server = jsonrpc.MemberAt(c, "name")
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
