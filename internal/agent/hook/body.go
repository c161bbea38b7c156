package hook

import (
	"bytes"
	"cmp"
	"errors"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonscan"
	"github.com/otelcol-mcp/otelcol-mcp/internal/protocol/jsonrpc"
)

// Why the input of a hook cannot be accepted.
var (
	ErrNotObject = errors.New("not a JSON object")
	ErrNoEvent   = errors.New("hook_event_name is not a non-empty string")
	ErrNoSession = errors.New("session_id is not a non-empty string")
)

// Decoder says what the hooks of one agent report. An event is valid until the
// next one. It is not safe for concurrent use.
type Decoder interface {
	// Event returns what the hook reports: an [event.SelfReport] if its name is not known.
	Event(b *Body) event.Event
}

// Body is the input of one hook as sent. Absent members are empty.
type Body struct {
	Raw   jsonscan.Value // the whole input as sent
	Event string         // its name

	Session      jsonscan.Value
	Conversation jsonscan.Value // what Cursor calls its session, and prefers
	Turn         jsonscan.Value
	Time         jsonscan.Value // RFC 3339, or Unix ms
	Title        jsonscan.Value // of the session
	Traceparent  jsonscan.Value // of the agent's own span, if it makes some

	Prompt       jsonscan.Value
	Message      jsonscan.Value
	Notification jsonscan.Value // its type
	Trigger      jsonscan.Value // of a compaction
	Status       jsonscan.Value
	Reason       jsonscan.Value
	Last         jsonscan.Value // last message of the assistant

	Error       jsonscan.Value // text of a tool's failure, type of an API's, or an object
	Details     jsonscan.Value // of Error
	Recoverable jsonscan.Value // the agent can go on

	Facts Facts
	Agent Agent
	Tool  Tool
	Use   ModelUse
	Name  jsonscan.Value // of the event

	Sanitized bool // invalid UTF-8 was replaced by U+FFFD
}

// Facts hold what any hook may mention of the agent.
type Facts struct {
	Version jsonscan.Value
	Model   jsonscan.Value
	Window  jsonscan.Value // tokens that fit into the context
	Dir     jsonscan.Value // working directory
}

// Agent holds what a hook reports of a sub-agent.
type Agent struct {
	ID, Type, Name, Task, Model jsonscan.Value
	Parent                      jsonscan.Value // id of what started it: a session's, or another sub-agent's
}

// Tool holds what a hook reports of the call of a tool.
type Tool struct {
	Name      jsonscan.Value
	ID        jsonscan.Value // canonical
	Input     jsonscan.Value
	Output    jsonscan.Value
	Duration  jsonscan.Value // ms
	Server    jsonscan.Value // object that names the MCP server
	Interrupt jsonscan.Value // a person interrupted it
}

// ModelUse holds what a hook reports of the call of a language model.
type ModelUse struct {
	Request  jsonscan.Value // object
	Response jsonscan.Value // object
	Usage    jsonscan.Value // object
	Input    jsonscan.Value // tokens, as the next three
	Output   jsonscan.Value
	Read     jsonscan.Value
	Write    jsonscan.Value
}

// Defaults are the session of inputs that name none, and the event of those that
// name none.
type Defaults struct{ Session, Event string }

// Decode reads the input at the cursor. The error says why it cannot be
// accepted; unless [jsonscan.Cursor.Err] is set, the cursor is behind the input.
func (b *Body) Decode(c *jsonscan.Cursor, otherwise Defaults) error {
	c.ClearBadUTF8()
	c.Peek()
	from := c.Offset()
	err := b.decode(c, otherwise)
	if err != nil || !c.BadUTF8() {
		return err
	}
	var clean jsonscan.Cursor
	clean.Reset(bytes.ToValidUTF8([]byte(c.Slice(from)), []byte("\uFFFD")))
	err = b.decode(&clean, otherwise)
	b.Sanitized = true
	return err
}

func (b *Body) decode(c *jsonscan.Cursor, otherwise Defaults) error {
	*b = Body{}
	if c.Peek() != '{' {
		if c.Value(); c.Err() != nil {
			return c.Err()
		}
		return ErrNotObject
	}
	b.Raw = jsonrpc.Members(c, func(key string) bool {
		to := b.field(key)
		if to != nil {
			*to = c.Value()
		}
		return to != nil
	})
	b.Tool.ID = b.Tool.ID.Canonical()
	b.Event = cmp.Or(b.Name.Str(), otherwise.Event)
	switch {
	case c.Err() != nil:
		return c.Err()
	case b.Event == "":
		return ErrNoEvent
	case b.SessionID() == "" && otherwise.Session == "":
		return ErrNoSession
	}
	return nil
}

// SessionID is the agent's own id of the session, "" if there is none. A sub-agent
// that reports as a session of its own belongs to what started it.
func (b *Body) SessionID() string {
	id := cmp.Or(b.Conversation.Str(), b.Session.Str())
	if parent := b.Agent.Parent.Str(); parent != "" && id == b.Agent.ID.Str() {
		return parent
	}
	return id
}
