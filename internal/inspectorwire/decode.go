package inspectorwire

import (
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonscan"
)

// Errors of texts that are JSON but no event.
var (
	ErrNotObject = errors.New("not an event: send each event as one JSON object")
	ErrNoType    = errors.New("not an event: name its type in a non-empty string `type`")
	ErrTrailing  = errors.New("text behind the event: send one event a frame")
)

// Decode reads the event at the cursor into e and leaves the cursor behind it.
//
// An error means that the event cannot be taken, and leaves e zero: it is not
// JSON (then the cursor's error is set too), or [ErrNotObject] or [ErrNoType].
// Of a member that comes twice the last one counts.
func Decode(c *jsonscan.Cursor, e *Event) error {
	*e = Event{}
	if c.Peek() != '{' {
		return notObject(c)
	}
	var d decoder
	from := c.Offset()
	d.scan(c)
	if c.Err() != nil {
		return c.Err()
	}
	raw := string(c.Slice(from))
	// The cursor's flag may stem from an earlier event of the same body.
	if c.BadUTF8() && !utf8.ValidString(raw) {
		return decodeSanitized(raw, e)
	}
	return d.event(raw, e)
}

// DecodeText is [Decode] for a text that is one event and nothing else, such as
// the data of one frame.
func DecodeText(text string, e *Event) error {
	var c jsonscan.Cursor
	c.ResetText(text)
	if err := Decode(&c, e); err != nil {
		return err
	}
	if c.Peek(); c.Offset() < len(text) {
		*e = Event{}
		return ErrTrailing
	}
	return nil
}

// notObject steps over a value that is no event.
func notObject(c *jsonscan.Cursor) error {
	if c.Value(); c.Err() != nil {
		return c.Err()
	}
	return ErrNotObject
}

func decodeSanitized(raw string, e *Event) error {
	if err := DecodeText(strings.ToValidUTF8(raw, "\uFFFD"), e); err != nil {
		return err
	}
	e.Sanitized = true
	return nil
}
