package inspectorwire

import (
	"bytes"
	"io"
	"iter"
	"strings"
	"sync"

	"github.com/tmaxmax/go-sse"

	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonscan"
)

// Form is how a body holds its events.
type Form uint8

// The forms of a body.
const (
	// JSON is one object, an array of objects, or objects one after another,
	// a line each (NDJSON) or pretty-printed.
	JSON Form = iota
	// SSE is a text/event-stream.
	SSE
)

// Item is one event of a body, or why there is none.
type Item struct {
	Event *Event // valid until the next item; zero if Err is set
	Err   error  // the item cannot be taken
}

// Events yields the items of a body with their 0-based numbers, each once. The
// events' strings alias the body, which must not change meanwhile; those of an
// event stream alias its frames.
//
// After a JSON syntax error it goes on behind the next line feed; inside an
// array, though, the rest of the body is lost with that one item. Frames without
// data are no items, and a last frame needs no blank line behind it.
func Events(body []byte, form Form) iter.Seq2[int, Item] {
	return func(yield func(int, Item) bool) { walk(body, form, yield) }
}

var spare = sync.Pool{New: func() any { return new(Event) }}

func walk(body []byte, form Form, yield func(int, Item) bool) {
	w := walker{event: spare.Get().(*Event), yield: yield}
	if form == SSE {
		w.stream(body)
	} else {
		w.json(body)
	}
	*w.event = Event{} // a spare event must not pin a body
	spare.Put(w.event)
}

// walker numbers the items of one body.
type walker struct {
	event *Event
	yield func(int, Item) bool
	n     int
}

// item yields what became of one item; false when no more are wanted.
func (w *walker) item(err error) bool {
	w.n++
	return w.yield(w.n-1, Item{Event: w.event, Err: err})
}

func (w *walker) json(body []byte) {
	var c jsonscan.Cursor
	c.Reset(body)
	for more(&c, body) {
		if c.Peek() == '[' {
			if !w.array(&c) {
				return
			}
			continue
		}
		if !w.item(Decode(&c, w.event)) {
			return
		}
		if c.Err() != nil && !c.SkipLine() {
			return
		}
	}
}

// more tells whether anything but white space follows.
func more(c *jsonscan.Cursor, body []byte) bool {
	c.Peek()
	return c.Offset() < len(body)
}

// array is false when nothing may follow it.
func (w *walker) array(c *jsonscan.Cursor) bool {
	c.EnterArray()
	for c.Next() {
		if !w.item(Decode(c, w.event)) || c.Err() != nil {
			return false
		}
	}
	if c.Err() != nil {
		*w.event = Event{}
		w.item(c.Err())
		return false
	}
	return true
}

func (w *walker) stream(body []byte) {
	texts, err := frames(body)
	for _, text := range texts {
		if !w.item(DecodeText(text, w.event)) {
			return
		}
	}
	if err != nil {
		*w.event = Event{}
		w.item(err)
	}
}

// frames are the data of the frames that have any. They are collected first
// because a loop body handed to the reader would be allocated for JSON too.
func frames(body []byte) (texts []string, err error) {
	// A frame that the body's end cuts short is whole for us.
	const end = "\n\n"
	r := io.MultiReader(bytes.NewReader(body), strings.NewReader(end))
	limit := &sse.ReadConfig{MaxEventSize: len(body) + len(end) + 1}
	for frame, err := range sse.Read(r, limit) {
		if err != nil {
			return texts, err
		}
		if frame.Data != "" {
			texts = append(texts, frame.Data)
		}
	}
	return texts, nil
}
