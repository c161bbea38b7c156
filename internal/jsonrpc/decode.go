package jsonrpc

import (
	"errors"

	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonscan"
)

// Why an item cannot be taken.
var (
	errNotObject = errors.New("not a JSON object")
	errNotRPC    = errors.New("neither a request, a notification nor a response of JSON-RPC 2.0")
	errMethod    = errors.New("method is not a non-empty string")
	errID        = errors.New("id is neither a string nor a number")
	errRecord    = errors.New("an observation record needs exactly one of message, end (an object) and transport_status (Inspector events go to /v1/inspector/events)")
)

// Decode reads the message at the cursor. The error tells why it cannot be
// taken; [jsonscan.Cursor.Err] tells whether the cursor stands behind it.
func (m *Message) Decode(c *jsonscan.Cursor) error {
	*m = Message{}
	if c.Peek() != '{' {
		c.Value()
		return firstError(c, errNotObject)
	}
	from := c.Offset()
	var method Value
	c.EnterObject()
	for key, ok := c.Key(); ok; key, ok = c.Key() {
		if !m.member(key, c, &method) {
			c.Value()
		}
	}
	return m.finish(c, from, method)
}

// member takes the value of a JSON-RPC member; it is false for any other.
func (m *Message) member(key string, c *jsonscan.Cursor, method *Value) bool {
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
		if m.Params.Raw != "" { // the last one counts, whole
			m.Params = Params{}
		}
		m.Params.decode(c)
	case "result":
		if m.Result.Raw != "" {
			m.Result = Result{}
		}
		m.Result.decode(c)
	case "error":
		m.Error = Error{}
		m.Error.decode(c)
	default:
		return false
	}
	return true
}

func (m *Message) finish(c *jsonscan.Cursor, from int, method Value) error {
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
func (m *Message) classify(method Value) error {
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
	}
}

func (e *Error) decode(c *jsonscan.Cursor) {
	e.Raw = members(c, func(key string) bool {
		switch key {
		case "code":
			e.Code, _ = c.Value().Int()
		case "message":
			e.Message = c.Value()
		default:
			return false
		}
		return true
	})
}

// members walks an object, handing each name to take, which consumes the value
// or is false; a value that is no object is stepped over. It is the value's text.
func members(c *jsonscan.Cursor, take func(key string) bool) Value {
	if c.Peek() != '{' {
		return c.Value()
	}
	from := c.Offset()
	c.EnterObject()
	for key, ok := c.Key(); ok; key, ok = c.Key() {
		if !take(key) {
			c.Value()
		}
	}
	return c.Slice(from)
}

// memberOf steps over an object and is the value of one member.
func memberOf(c *jsonscan.Cursor, name string) (v Value) {
	members(c, func(key string) bool {
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
