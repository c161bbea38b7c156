// Package frame finds the JSON-RPC messages in bytes that pass by, in pieces of
// any size, within bounded memory.
package frame

import (
	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonscan"
)

// Message is one JSON-RPC message as it was seen. It aliases what it was found
// in and is valid only until the function that got it returns.
type Message struct {
	Text    []byte // valid JSON, the whole object as sent unless Reduced
	Bytes   int64  // the size as sent
	Reduced bool   // Text holds only what is kept of a big message

	ID          jsonscan.Value // with its JSON type; "" if absent or null
	Method      string         // "" for a reply
	Session     string         // params.sessionId or result.sessionId, as ACP has them
	RequestID   string         // params._meta["mcp.request_id"] or params._meta.requestId
	Traceparent string         // params._meta.traceparent
	Error       jsonscan.Value // the error of a reply, "" if it has none
	ClientInfo  bool           // params name the client, as those of initialize do
	ClientName  string         // that name, or the one in params._meta
}

// IsRequest reports whether the message wants a reply.
func (m *Message) IsRequest() bool { return m.Method != "" && m.ID != "" }

// IsReply reports whether the message is a result or an error.
func (m *Message) IsReply() bool { return m.Method == "" }

// IsAnonymous reports whether the message is an error that names no request.
func (m *Message) IsAnonymous() bool { return m.IsReply() && m.ID == "" }

// Parse finds the messages in text, one or a batch (MCP 2025-03-26), and hands
// each to emit. It is false when text is not JSON; what is JSON but neither a
// message nor a batch of them is left out.
func Parse(text []byte, emit func(*Message)) bool { return new(Message).parse(text, emit) }

// parse is Parse with m as the one message that is handed out again and again.
func (m *Message) parse(text []byte, emit func(*Message)) bool {
	var c jsonscan.Cursor
	c.Reset(text)
	switch c.Peek() {
	case '{':
		if !m.read(&c, text) || !c.End() {
			return false
		}
		m.emit(emit)
		return true
	case '[':
		return m.parseBatch(text, emit)
	}
	return false
}

// parseBatch checks the whole before it hands out a part.
func (m *Message) parseBatch(text []byte, emit func(*Message)) bool {
	var c jsonscan.Cursor
	c.Reset(text)
	if c.Value(); c.Err() != nil || !c.End() {
		return false
	}
	c.Reset(text)
	c.EnterArray()
	for c.Next() {
		if c.Peek() != '{' {
			c.Value()
		} else if m.read(&c, text) {
			m.emit(emit)
		}
	}
	return true
}

func (m *Message) emit(emit func(*Message)) {
	if m.Method != "" || m.ID != "" || m.Error != "" {
		emit(m)
	}
}

func (m *Message) read(c *jsonscan.Cursor, text []byte) bool {
	*m = Message{}
	from := c.Offset()
	c.EnterObject()
	for key, ok := c.Key(); ok; key, ok = c.Key() {
		switch {
		case key == "id":
			m.ID = c.Value().Canonical()
		case key == "method":
			m.Method = c.Value().Str()
		case key == "error":
			m.Error = c.Value()
		case (key == "params" || key == "result") && c.Peek() == '{':
			m.readParams(c)
		default:
			c.Value()
		}
	}
	if m.ID.IsNull() {
		m.ID = ""
	}
	m.Text = text[from:c.Offset()]
	m.Bytes = int64(len(m.Text))
	return c.Err() == nil
}

func (m *Message) readParams(c *jsonscan.Cursor) {
	c.EnterObject()
	for key, ok := c.Key(); ok; key, ok = c.Key() {
		switch {
		case key == "sessionId":
			m.Session = c.Value().Str()
		case key == "_meta" && c.Peek() == '{':
			m.readMeta(c)
		case key == "clientInfo":
			info := c.Value()
			m.ClientInfo, m.ClientName = info.IsObject(), nameIn(info)
		default:
			c.Value()
		}
	}
}

func (m *Message) readMeta(c *jsonscan.Cursor) {
	alias := ""
	c.EnterObject()
	for key, ok := c.Key(); ok; key, ok = c.Key() {
		switch v := c.Value(); key {
		case "mcp.request_id":
			m.RequestID = v.Str()
		case "requestId":
			alias = v.Str()
		case "traceparent":
			m.Traceparent = v.Str()
		case "io.modelcontextprotocol/clientInfo":
			m.ClientName = nameIn(v)
		}
	}
	if m.RequestID == "" {
		m.RequestID = alias
	}
}

// nameIn is the member name of an object, "" if it has none.
func nameIn(v jsonscan.Value) (name string) {
	if !v.IsObject() {
		return ""
	}
	var c jsonscan.Cursor
	c.Reset([]byte(v))
	c.EnterObject()
	for key, ok := c.Key(); ok; key, ok = c.Key() {
		if value := c.Value(); key == "name" {
			name = value.Str()
		}
	}
	return name
}
