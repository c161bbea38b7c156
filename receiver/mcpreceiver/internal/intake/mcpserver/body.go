package mcpserver

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonscan"
	"github.com/otelcol-mcp/otelcol-mcp/internal/protocol/jsonrpc"
	intakebody "github.com/otelcol-mcp/otelcol-mcp/receiver/mcpreceiver/internal/intake/body"
)

// batchMax bounds the messages of a batch, which revision 2025-03-26 alone has.
const batchMax = 1000

// body holds what a POST holds. Its messages alias the text.
type body struct {
	text     []byte
	batch    bool
	messages []jsonrpc.Message
	requests []*jsonrpc.Message // of messages, those that want a reply
}

// unread is the answer to a request whose body could not be read.
func unread(w http.ResponseWriter, err error) *failure {
	if status, text, ok := intakebody.Refusal(w.Header(), err); ok {
		f := fail(status, codeInvalidRequest, text)
		f.counted = intakebody.Reason
		return f
	}
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return fail(http.StatusRequestEntityTooLarge, codeInvalidRequest, "the body is too large: raise http::max_request_body_size")
	case errors.Is(err, io.ErrUnexpectedEOF):
		return fail(http.StatusBadRequest, codeParse, "the body ended early")
	}
	return fail(http.StatusBadRequest, codeParse, "the body could not be read: check Content-Encoding and Content-Length")
}

// parse reads one message or one batch, which is refused whole if a message in
// it is none.
func parse(text []byte) (*body, *failure) {
	b := &body{text: text}
	var c jsonscan.Cursor
	c.Reset(text)
	err := b.decode(&c)
	switch {
	case c.Err() != nil:
		return nil, fail(http.StatusBadRequest, codeParse, "not JSON: "+c.Err().Error())
	case err != nil:
		return nil, fail(http.StatusBadRequest, codeInvalidRequest, err.Error())
	case !c.End():
		return nil, fail(http.StatusBadRequest, codeParse, "not JSON: something follows the message")
	case c.BadUTF8():
		return nil, fail(http.StatusBadRequest, codeParse, "not JSON: invalid UTF-8")
	}
	b.sort()
	return b, nil
}

func (b *body) decode(c *jsonscan.Cursor) error {
	if c.Peek() != '[' {
		return b.add(c)
	}
	b.batch = true
	c.EnterArray()
	for c.Next() {
		if len(b.messages) == batchMax {
			return fmt.Errorf("more than %d messages in a batch", batchMax)
		}
		if err := b.add(c); err != nil {
			return err
		}
	}
	if len(b.messages) == 0 {
		return errors.New("an empty batch")
	}
	return nil
}

func (b *body) add(c *jsonscan.Cursor) error {
	b.messages = append(b.messages, jsonrpc.Message{})
	return b.messages[len(b.messages)-1].Decode(c)
}

// sort finds the requests, once the messages stay where they are.
func (b *body) sort() {
	for i := range b.messages {
		if m := &b.messages[i]; m.Kind == jsonrpc.Request {
			b.requests = append(b.requests, m)
		}
	}
}

// asked is the text of the requests alone: what the SDK is to answer.
func (b *body) asked() []byte {
	if len(b.requests) == len(b.messages) {
		return b.text
	}
	texts := make([]string, len(b.requests))
	for i, m := range b.requests {
		texts[i] = string(m.Raw)
	}
	return []byte("[" + strings.Join(texts, ",") + "]")
}
