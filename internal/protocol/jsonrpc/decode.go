package jsonrpc

import (
	"errors"

	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonscan"
)

// Why an item cannot be accepted.
var (
	errNotObject = errors.New("not a JSON object")
	errNotRPC    = errors.New("neither a request, a notification nor a response of JSON-RPC 2.0")
	errMethod    = errors.New("method is not a non-empty string")
	errID        = errors.New("id is neither a string nor a number")
	errRecord    = errors.New("an observation record needs exactly one of message, end (an object) and transport_status (Inspector events go to /v1/inspector/events)")
)

// Decode reads the message at the cursor. The error says why the message cannot
// be accepted; unless [jsonscan.Cursor.Err] is set, the cursor is behind it.
func (m *Message) Decode(c *jsonscan.Cursor) error {
	m.reset()
	if c.Peek() != '{' {
		c.Value()
		return firstError(c, errNotObject)
	}
	from := c.Offset()
	var method jsonscan.Value
	c.EnterObject()
	for key, ok := c.Key(); ok; key, ok = c.Key() {
		if !m.member(key, c, &method) {
			c.Value()
		}
	}
	return m.finish(c, from, method)
}

// reset makes the message empty. Params and Result are large: they are cleared
// only if they were used.
func (m *Message) reset() {
	m.resetParams()
	m.resetResult()
	m.Kind, m.Raw, m.ID, m.Method, m.Version, m.Error, m.Invalid = 0, "", "", "", "", Error{}, ""
}

func (m *Message) resetParams() {
	if m.hasParams {
		m.Params, m.hasParams = Params{}, false
	}
}

func (m *Message) resetResult() {
	if m.hasResult {
		m.Result, m.hasResult = Result{}, false
	}
}

// member reads the value of a JSON-RPC member; it is false for any other.
func (m *Message) member(key string, c *jsonscan.Cursor, method *jsonscan.Value) bool {
	switch key {
	case "jsonrpc":
		v := c.Value()
		if m.Version = v.Str(); v.IsNumber() {
			m.Version = string(v)
		}
	case "id":
		m.ID = c.Value().Canonical()
	case "method":
		*method = c.Value()
	case "params":
		m.resetParams() // the last one counts, whole
		m.hasParams = true
		m.Params.decode(c)
	case "result":
		m.resetResult()
		m.hasResult = true
		m.Result.decode(c)
	case "error":
		m.Error = Error{}
		m.Error.decode(c)
	default:
		return false
	}
	return true
}

func (m *Message) finish(c *jsonscan.Cursor, from int, method jsonscan.Value) error {
	if c.Err() != nil {
		return c.Err()
	}
	m.Raw = c.Slice(from)
	m.Method = method.Str()
	if m.Version != "2.0" {
		m.Invalid = "jsonrpc is not 2.0"
	}
	return m.classify(method)
}

// classify decides what the message is by the members it has.
func (m *Message) classify(method jsonscan.Value) error {
	if m.ID != "" && !m.ID.IsString() && !m.ID.IsNumber() && !m.ID.IsNull() {
		return errID
	}
	switch {
	case method != "" && m.Method == "":
		return errMethod
	case method != "" && (m.ID == "" || m.ID.IsNull()):
		m.Kind = Notification
		if m.ID != "" {
			m.ID, m.Invalid = "", "id is null"
		}
	case method != "":
		m.Kind = Request
	case m.Result.Raw != "" || m.Error.Present():
		m.Kind = Response
		m.checkResponse()
	default:
		return errNotRPC
	}
	return nil
}

func (m *Message) checkResponse() {
	switch {
	case m.ID == "" || m.ID.IsNull():
		m.ID, m.Invalid = "", "a response without id"
	case m.Result.Raw != "" && m.Error.Present():
		m.Invalid = "both result and error"
	case m.Error.Present() && !m.Error.HasCode:
		m.Invalid = "error code is not an integer"
	}
}

func (e *Error) decode(c *jsonscan.Cursor) {
	e.Raw = Members(c, func(key string) bool {
		switch key {
		case "code":
			e.Code, e.HasCode = c.Value().Int()
		case "message":
			e.Message = c.Value()
		default:
			return false
		}
		return true
	})
}

// Members walks the object at the cursor and passes each name to read, which
// consumes the value or returns false. A value that is no object is skipped. It
// returns the value's text.
func Members(c *jsonscan.Cursor, read func(name string) bool) jsonscan.Value {
	if c.Peek() != '{' {
		return c.Value()
	}
	from := c.Offset()
	c.EnterObject()
	for key, ok := c.Key(); ok; key, ok = c.Key() {
		if !read(key) {
			c.Value()
		}
	}
	return c.Slice(from)
}

// MemberAt skips the object at the cursor and returns the value of one member.
func MemberAt(c *jsonscan.Cursor, name string) (v jsonscan.Value) {
	Members(c, func(key string) bool {
		if key == name {
			v = c.Value()
		}
		return key == name
	})
	return v
}

func firstError(c *jsonscan.Cursor, otherwise error) error {
	if c.Err() != nil {
		return c.Err()
	}
	return otherwise
}
