package sessions

import (
	"slices"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/exporter/inspectorexporter/internal/attribute"
)

// directory knows which session a span or log record belongs to.
type directory struct {
	byID      map[string]*session
	byTrace   map[pcommon.TraceID]*session
	byRequest map[string]*session // by mcp.request_id of a call
	byAnswer  map[string]*session // by mcp.request_id of what served a call
}

func newDirectory() directory {
	return directory{
		byID: map[string]*session{}, byTrace: map[pcommon.TraceID]*session{},
		byRequest: map[string]*session{}, byAnswer: map[string]*session{},
	}
}

// claimed is by what a directory finds a session, beside its id.
type claimed struct {
	traces   claims[pcommon.TraceID]
	requests claims[string]          // of its calls
	answers  claims[string]          // of the calls that it served
	guests   claims[pcommon.TraceID] // traces of servers that its calls reached
}

func (d *directory) find(own string, trace pcommon.TraceID) *session {
	if own == "" {
		return d.byTrace[trace]
	}
	id, _ := attribute.ID(own)
	return d.byID[id]
}

// foreseeGuest looks at a span before it and those beside it are taken: children come
// before their parents, and only the parent may tell whose they are.
func (d *directory) foreseeGuest(own string, span ptrace.Span) {
	s := d.find(own, span.TraceID())
	if own == "" && s == nil {
		if s = d.byRequest[attribute.RequestID(span.Attributes())]; s != nil {
			s.guests.add(span.TraceID())
		}
	}
	if s != nil {
		d.claim(s, span.TraceID())
	}
}

// claim makes the trace the session's, if it is nobody's.
func (d *directory) claim(s *session, trace pcommon.TraceID) {
	if _, taken := d.byTrace[trace]; taken || trace.IsEmpty() {
		return
	}
	d.byTrace[trace] = s
	if given := s.traces.add(trace); !given.IsEmpty() {
		delete(d.byTrace, given)
	}
}

// asked notes that a call of the session has this request id: the server's spans
// of it, in a trace of their own, belong there too.
func (d *directory) asked(s *session, id string) {
	if _, taken := d.byRequest[id]; taken || id == "" {
		return
	}
	id = strings.Clone(id)
	d.byRequest[id] = s
	if given := s.requests.add(id); given != "" {
		delete(d.byRequest, given)
	}
}

// answered notes that the session served the call with this request id: who looks
// for the id finds both sides.
func (d *directory) answered(s *session, id string) {
	if _, taken := d.byAnswer[id]; taken || id == "" || d.byRequest[id] == s {
		return
	}
	id = strings.Clone(id)
	d.byAnswer[id] = s
	if given := s.answers.add(id); given != "" {
		delete(d.byAnswer, given)
	}
}

// isGuest reports whether the span is that of a server which a call of the
// session reached.
func (d *directory) isGuest(s *session, span ptrace.Span) bool {
	id := attribute.RequestID(span.Attributes())
	return slices.Contains(s.guests.Items, span.TraceID()) || id != "" && d.byRequest[id] == s
}

func (d *directory) forget(s *session) {
	delete(d.byID, s.row.ID)
	for _, trace := range s.traces.Items {
		delete(d.byTrace, trace)
	}
	for _, id := range s.answers.Items {
		delete(d.byAnswer, id)
	}
	for _, id := range s.requests.Items {
		delete(d.byRequest, id)
	}
}

// maxClaims is how many of each kind a session has.
const maxClaims = 256

// claims is the last maxClaims of what a session has claimed.
type claims[T comparable] struct{ ring[T] }

func (c *claims[T]) add(item T) (given T) { return c.Add(item, maxClaims) }
