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

// Form names how a body holds its events.
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
// A JSON syntax error costs what [jsonscan.Items] says. Frames without data are
// no items, and a last frame needs no blank line behind it.
func Events(body []byte, form Form) iter.Seq2[int, Item] {
	return func(yield func(int, Item) bool) { walk(body, form, yield) }
}

var spare = sync.Pool{New: func() any { return new(Event) }}

// visitor is told of one item; false when it wants no more.
type visitor = func(int, Item) bool

// walk hands the visitor down as an argument of its own: kept in the walker it
// would be allocated for every body.
func walk(body []byte, form Form, visit visitor) {
	w := walker{event: spare.Get().(*Event)}
	if form == SSE {
		w.stream(body, visit)
	} else {
		w.json(body, visit)
	}
	*w.event = Event{} // a spare event must not pin a body
	spare.Put(w.event)
}

// walker numbers the items of one body.
type walker struct {
	event *Event
	n     int
}

// item tells what became of one item.
func (w *walker) item(err error, visit visitor) bool {
	w.n++
	return visit(w.n-1, Item{Event: w.event, Err: err})
}

// lost tells of an item that no event was decoded for.
func (w *walker) lost(err error, visit visitor) {
	*w.event = Event{}
	w.item(err, visit)
}

func (w *walker) json(body []byte, visit visitor) {
	var items jsonscan.Items
	items.Reset(body)
	for items.Next() {
		err := items.Done(Decode(items.Cursor(), w.event))
		if !w.item(err, visit) {
			return
		}
	}
}

func (w *walker) stream(body []byte, visit visitor) {
	// A frame that the body's end cuts short counts as whole.
	const end = "\n\n"
	r := io.MultiReader(bytes.NewReader(body), strings.NewReader(end))
	limit := &sse.ReadConfig{MaxEventSize: len(body) + len(end) + 1}
	for frame, err := range sse.Read(r, limit) {
		if err != nil {
			w.lost(err, visit)
			return
		}
		if frame.Data != "" && !w.item(DecodeText(frame.Data, w.event), visit) {
			return
		}
	}
}
