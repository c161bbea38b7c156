package wire

import (
	"bytes"

	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonscan"
	"github.com/otelcol-mcp/otelcol-mcp/internal/record"
)

// Item is one element of a pushed body: a bare message or an observation record.
type Item struct {
	record.Record
	Message    Message
	HasMessage bool
	Sanitized  bool // invalid UTF-8 was replaced by U+FFFD
}

// Decode reads the item at the cursor. The error tells why it cannot be taken;
// [jsonscan.Cursor.Err] tells whether the cursor stands behind it.
func (it *Item) Decode(c *jsonscan.Cursor) error {
	c.ClearBadUTF8()
	c.Peek()
	from := c.Offset()
	err := it.decode(c)
	if err == nil && c.BadUTF8() {
		return it.decodeSanitized(c.Slice(from))
	}
	return err
}

// decodeSanitized reads the item once more from a copy that is UTF-8.
func (it *Item) decodeSanitized(text Value) error {
	var c jsonscan.Cursor
	c.Reset(bytes.ToValidUTF8([]byte(text), []byte("\uFFFD")))
	err := it.decode(&c)
	it.Sanitized = true
	return err
}

func (it *Item) decode(c *jsonscan.Cursor) error {
	*it = Item{}
	if c.Peek() != '{' {
		c.Value()
		return firstError(c, errNotObject)
	}
	from := c.Offset()
	var method Value
	var inner error
	bare := false
	c.EnterObject()
	for key, ok := c.Key(); ok; key, ok = c.Key() {
		switch {
		case !it.HasMessage && it.Message.member(key, c, &method):
			bare = bare || key != "id" // which may be anybody's
		case key == "message":
			it.HasMessage, bare = true, false
			inner = it.Message.Decode(c)
		case !it.Member(key, c):
			c.Value()
		}
	}
	switch {
	case bare:
		it.Record, it.HasMessage = record.Record{}, true
		return it.Message.finish(c, from, method)
	case c.Err() != nil:
		return c.Err()
	case inner != nil:
		return inner
	}
	return it.check()
}

// check makes sure that a record says one thing.
func (it *Item) check() error {
	n := 0
	for _, has := range []bool{it.HasMessage, it.End.Present, it.TransportStatus != ""} {
		if has {
			n++
		}
	}
	if n != 1 {
		return errRecord
	}
	return nil
}
