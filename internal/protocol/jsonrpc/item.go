package jsonrpc

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonscan"
	"github.com/otelcol-mcp/otelcol-mcp/internal/observation"
)

// Item is one element of a pushed body: a bare message or an observation record.
type Item struct {
	observation.Record
	Message    Message
	HasMessage bool
	Sanitized  bool // invalid UTF-8 was replaced by U+FFFD

	text   jsonscan.Value // of the item
	bare   bool           // it is a message, not a record
	around int            // members of a record
	others int            // members of neither

	strangers [namesMax + 1]string // the first names of those, each once
	known     int                  // how many of them
}

// Decode reads the item at the cursor. The error says why the item cannot be
// accepted; unless [jsonscan.Cursor.Err] is set, the cursor is behind the item.
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
func (it *Item) decodeSanitized(text jsonscan.Value) error {
	var c jsonscan.Cursor
	c.Reset(bytes.ToValidUTF8([]byte(text), []byte("\uFFFD")))
	err := it.decode(&c)
	it.Sanitized = true
	return err
}

// reset makes the item empty.
func (it *Item) reset() {
	it.Message.reset()
	it.Record, it.text = observation.Record{}, ""
	it.HasMessage, it.Sanitized, it.bare, it.around, it.others, it.known = false, false, false, 0, 0, 0
}

// stranger notes a member that is not read.
func (it *Item) stranger(name string) {
	it.others++
	if it.known < len(it.strangers) && !slices.Contains(it.strangers[:it.known], name) {
		it.strangers[it.known] = name
		it.known++
	}
}

func (it *Item) decode(c *jsonscan.Cursor) error {
	it.reset()
	if c.Peek() != '{' {
		c.Value()
		return firstError(c, errNotObject)
	}
	from := c.Offset()
	var method jsonscan.Value
	var inner error
	c.EnterObject()
	for key, ok := c.Key(); ok; key, ok = c.Key() {
		switch {
		case !it.HasMessage && it.Message.member(key, c, &method):
			it.bare = it.bare || key != "id" // which may be anybody's
		case key == "message":
			it.HasMessage, it.bare = true, false
			inner = it.Message.Decode(c)
		case it.Member(key, c):
			it.around++
		default:
			it.stranger(key)
			c.Value()
		}
	}
	it.text = c.Slice(from)
	switch {
	case it.bare:
		it.Record, it.HasMessage = observation.Record{}, true
		return it.Message.finish(c, from, method)
	case c.Err() != nil:
		return c.Err()
	case inner != nil:
		return inner
	}
	return it.check()
}

// check makes sure that a record reports exactly one thing.
func (it *Item) check() error {
	n := 0
	for _, has := range []bool{it.HasMessage, it.End.Present, it.TransportStatus != ""} {
		if has {
			n++
		}
	}
	if n != 1 {
		return fmt.Errorf("%w; its members: %s; those known: %s", errRecord,
			quoted(it.names(func(string) bool { return true })), strings.Join(recordMembers, ", "))
	}
	return nil
}

// recordMembers are the names that members of an observation record may have.
var recordMembers = append([]string{"message"}, observation.Members...)

// messageMembers lists the members of a bare message.
var messageMembers = []string{"jsonrpc", "id", "method", "params", "result", "error"}

// Unknown names the members of the item that are not read, quoted and with commas
// between, at most as many as namesMax; "" if there are none. Those of a record
// are not read beside a bare message.
func (it *Item) Unknown() string {
	switch {
	case it.bare && it.around > 0:
		return quoted(it.names(func(name string) bool { return !slices.Contains(messageMembers, name) }))
	case it.others == 0:
		return ""
	}
	return quoted(it.strangers[:it.known])
}

// Limits for names in messages to the sender.
const (
	namesMax  = 8
	nameBytes = 32
)

// names returns those of the item's members that are wanted, of which one more than
// namesMax is enough.
func (it *Item) names(wanted func(string) bool) (names []string) {
	var c jsonscan.Cursor
	c.Reset([]byte(it.text))
	c.EnterObject()
	for key, ok := c.Key(); ok && len(names) <= namesMax; key, ok = c.Key() {
		if wanted(key) && !slices.Contains(names, key) {
			names = append(names, key)
		}
		c.Value()
	}
	return names
}

func quoted(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	var b strings.Builder
	for i, name := range names {
		if i == namesMax {
			return b.String() + " and more"
		}
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(strconv.QuoteToASCII(jsonscan.Cut(name, nameBytes)))
	}
	return b.String()
}
