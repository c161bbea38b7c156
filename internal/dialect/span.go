package dialect

import (
	"strconv"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/internal/dialect/messages"
)

// Span holds what is known of one span or log record while it is read. [Span.Reset]
// makes it ready for the next one, [Span.Release] for a rest. It is not safe for
// concurrent use.
//
// Values alias the attributes: they are valid until those are changed.
type Span struct {
	Name       string
	Kind       ptrace.SpanKind
	Status     ptrace.StatusCode
	Message    string // of the status
	Attributes Attributes
	Events     ptrace.SpanEventSlice
	IsLog      bool

	values  [Fields]Value // of fields that have one; the others are left over
	set     uint64        // fields that have a value
	own     uint64        // fields whose own attribute was there
	both    uint64        // fields whose attribute of the Inspector was there
	attrs   uint64        // fields whose value may alias an attribute
	ranks   [Fields]uint8
	rank    uint8  // of the key that is read
	reading bool   // there is one
	kept    bool   // one of the keys was there that are written besides those of facts
	used    uint64 // fields from RawKind on whose value became another fact
	found   uint16 // which prefixes were seen
	spent   uint16 // those whose values became a fact

	prefixes []string // of the dialect
	flat     messages.Flat

	// NoMessages leaves out what people and models said where it must be built. It stays
	// when the span is reset.
	NoMessages bool

	// Builder writes the messages of models, those of one fact at a time.
	Builder messages.Builder

	Outcome
}

// Outcome holds what is to be done besides writing facts.
type Outcome struct {
	// WantKind is the kind that the span should have, unspecified if its own is right.
	WantKind ptrace.SpanKind
	// Rename is the name that the conventions want, if it is not made of the facts.
	Rename string
	// Replaced are the facts whose own attribute is to be written again, a bit each.
	Replaced uint64
	// Repeats names what the span repeats of others.
	Repeats string
	// Foreign is an operation that the conventions do not have.
	Foreign string
	// NoOperation removes an operation that would make the span count.
	NoOperation bool
	// ContentStatus: the text of the status is a payload, and no error's text.
	ContentStatus bool
	// Failed: the status must be Error.
	Failed bool
	// ClientFault: a server's span that is no error.
	ClientFault bool
	// ErrorText is the text of what failed, if the status has none.
	ErrorText string
}

// Reset makes the span ready for another one.
func (s *Span) Reset() {
	s.Name, s.Message, s.Attributes.Map, s.Events = "", "", pcommon.Map{}, ptrace.SpanEventSlice{}
	s.Kind, s.Status, s.IsLog = 0, 0, false
	s.set, s.own, s.both, s.attrs, s.used = 0, 0, 0, 0, 0
	s.rank, s.reading, s.kept, s.found, s.spent, s.Outcome = 0, false, false, 0, 0, Outcome{}
}

// Release lets go of what was read.
func (s *Span) Release() {
	s.Reset()
	clear(s.values[:])
	s.flat.Release()
}

// read reads one attribute.
func (s *Span) read(e *entry, v pcommon.Value) {
	switch {
	case e.to == 0: // only its being there matters
	case e.as != nil:
		s.rank, s.reading = e.rank, true
		e.as(s, e.to, v)
		s.rank, s.reading = 0, false
	default:
		s.take(e.to, v, e.rank)
	}
	if e.own != 0 {
		s.own |= 1 << e.own
	}
	if e.inspector != 0 {
		s.both |= 1 << e.inspector
	}
	s.kept = s.kept || e.kept
}

// take keeps a value unless a better key gave one. An empty one counts as absent.
func (s *Span) take(f Field, v pcommon.Value, rank uint8) {
	if s.set&(1<<f) != 0 && s.ranks[f] <= rank || !s.values[f].SetAttr(v) {
		return
	}
	s.ranks[f] = rank
	s.set |= 1 << f
	if s.values[f].IsAttr() {
		s.attrs |= 1 << f
	}
}

// free reports whether the key that is read, or the rule that is applied, may give the
// fact. Rules only give what no key gave.
func (s *Span) free(f Field) bool {
	return s.set&(1<<f) == 0 || s.reading && s.ranks[f] > s.rank
}

// Has reports whether the fact is known.
func (s *Span) Has(f Field) bool { return s.set&(1<<f) != 0 }

// Own reports whether the fact's own attribute was there. It is not written again.
func (s *Span) Own(f Field) bool { return s.own&(1<<f) != 0 }

// OwnFacts are the facts whose own attribute was there, a bit each.
func (s *Span) OwnFacts() uint64 { return s.own }

// OwnInspector are the facts whose attribute of the Inspector was there, a bit each.
func (s *Span) OwnInspector() uint64 { return s.both }

// Known are all facts that are known, a bit each.
func (s *Span) Known() uint64 { return s.set & (1<<RawKind - 1) }

// Drop forgets a fact.
func (s *Span) Drop(f Field) { s.set &^= 1 << f }

// SetText sets the fact, whatever it was, if there is a text. The fact's own
// attribute stays as it is all the same.
func (s *Span) SetText(f Field, text string) {
	if text == "" || s.Own(f) && (f != Operation || s.Has(f)) {
		return
	}
	s.values[f].SetText(text)
	s.ranks[f] = s.rank
	s.set |= 1 << f
}

// Replace sets the fact in place of what its own attribute says.
func (s *Span) Replace(f Field, text string) {
	s.values[f].SetText(text)
	s.ranks[f] = 0
	s.set |= 1 << f
	s.Replaced |= 1 << f
}

// AddText sets the fact if it is not known.
func (s *Span) AddText(f Field, text string) {
	if s.free(f) {
		s.SetText(f, text)
	}
}

// AddInt sets the fact if it is not known.
func (s *Span) AddInt(f Field, n int64) {
	if s.free(f) && !s.Own(f) {
		s.values[f].SetInt(n)
		s.ranks[f] = s.rank
		s.set |= 1 << f
	}
}

// Move sets the fact to to the value of from, if it is not known.
func (s *Span) Move(to, from Field) {
	if s.Has(from) && !s.Has(to) {
		s.values[to], s.ranks[to] = s.values[from], 0
		s.set |= 1 << to
		s.attrs |= s.attrs >> from & 1 << to
		s.Use(from)
	}
}

// Use notes that the value became another fact, so that its own attribute can go.
func (s *Span) Use(f Field) { s.used |= 1 << f }

// Text is a fact as a text; "" if it is not known, or is an array or a map.
func (s *Span) Text(f Field) string {
	if !s.Has(f) {
		return ""
	}
	return s.values[f].Text()
}

// JSON is a fact as JSON, or as the text that it is; arrays and maps are encoded.
func (s *Span) JSON(f Field) string {
	if !s.Has(f) {
		return ""
	}
	return s.values[f].JSON()
}

// Int is a fact as a number.
func (s *Span) Int(f Field) (int64, bool) {
	if !s.Has(f) {
		return 0, false
	}
	return s.values[f].Int()
}

// True reports whether the fact holds: true, "true" or 1.
func (s *Span) True(f Field) bool {
	yes, err := strconv.ParseBool(s.Text(f))
	return err == nil && yes
}

// prefixed notes which prefix a key has.
func (s *Span) prefixed(key string) {
	for i, prefix := range s.prefixes {
		if strings.HasPrefix(key, prefix) {
			s.found |= 1 << i
			return
		}
	}
}

// Saw reports whether a key with the prefix of that index was there.
func (s *Span) Saw(index int) bool { return s.found&(1<<index) != 0 }

// What spans have or should have.
const (
	client      = ptrace.SpanKindClient
	server      = ptrace.SpanKindServer
	statusError = ptrace.StatusCodeError
)

// SetOperation replaces the operation if it is none of the conventions', or removes
// it if there is none instead.
func SetOperation(s *Span, name string) {
	s.SetText(Operation, name)
	s.NoOperation = name == "" && !s.Has(Operation)
}

// DropOperation removes the operation of a span that repeats others.
func DropOperation(s *Span, repeats string) {
	s.NoOperation, s.Repeats = true, repeats
	s.Drop(Operation)
}
