package inspectorwire

import (
	"encoding/hex"
	"strings"
	"unicode/utf8"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonscan"
)

// Verdict classifies what became of a line.
type Verdict uint8

// The verdicts.
const (
	Taken   Verdict = iota // the span was added
	Running                // the span has no end time yet: left out, or see [NewSpansWithRunning]
	Own                    // written by the writer that is to be left out
)

// Spans collects the spans of a trace file's lines. The zero value is not
// usable: see [NewSpans]. It is not safe for concurrent use.
type Spans struct {
	skip    string
	running bool // spans without an end time are taken, too
	td      ptrace.Traces
	groups  map[string]ptrace.SpanSlice // by the text of resource and scope
}

// NewSpans starts a collection that leaves out the lines written by skip (see
// [ProcessWriter]; empty: none).
func NewSpans(skip string) *Spans {
	return &Spans{skip: skip, td: ptrace.NewTraces(), groups: map[string]ptrace.SpanSlice{}}
}

// NewSpansWithRunning starts a collection that leaves out nothing: spans that
// have no end time yet are added, with the end 0.
func NewSpansWithRunning() *Spans {
	s := NewSpans("")
	s.running = true
	return s
}

// Traces returns what was added since the last call, grouped by resource and scope.
func (s *Spans) Traces() ptrace.Traces {
	td := s.td
	s.td, s.groups = ptrace.NewTraces(), map[string]ptrace.SpanSlice{}
	return td
}

// Add reads one line, in either shape, and adds its span. An error means that
// the line is no span and nothing was added; it holds nothing of the line.
// Members that no shape has are passed over.
func (s *Spans) Add(line []byte) (Verdict, error) {
	text := string(line)
	if !utf8.ValidString(text) {
		text = strings.ToValidUTF8(text, "\uFFFD")
	}
	var l traceLine
	if err := l.scan(text); err != nil {
		return Taken, err
	}
	if l.otel.writer != "" && l.otel.writer == s.skip {
		return Own, nil
	}
	switch {
	case l.endTime != "":
		return Taken, s.take(&l)
	case s.running:
		return Running, s.take(&l)
	}
	return Running, l.check()
}

func (s *Spans) take(l *traceLine) error {
	if l.otel.otlp != "" {
		return s.takeOTLP(l)
	}
	span := ptrace.NewSpan()
	if err := l.fill(span); err != nil {
		return err
	}
	span.MoveTo(s.group(l, l.surround).AppendEmpty())
	return nil
}

func (s *Spans) takeOTLP(l *traceLine) error {
	td, err := (&ptrace.JSONUnmarshaler{}).UnmarshalTraces([]byte(l.otel.otlp))
	if err != nil || td.SpanCount() != 1 {
		return ErrLineOTLP
	}
	for _, r := range td.ResourceSpans().All() {
		for _, sc := range r.ScopeSpans().All() {
			if sc.Spans().Len() == 0 {
				continue
			}
			into := s.group(l, func(rs ptrace.ResourceSpans, ss ptrace.ScopeSpans) {
				r.Resource().CopyTo(rs.Resource())
				rs.SetSchemaUrl(r.SchemaUrl())
				sc.Scope().CopyTo(ss.Scope())
				ss.SetSchemaUrl(sc.SchemaUrl())
			})
			sc.Spans().At(0).MoveTo(into.AppendEmpty())
		}
	}
	return nil
}

// group is where the spans of the line's resource and scope are collected;
// fill makes them when they are the first.
func (s *Spans) group(l *traceLine, fill func(ptrace.ResourceSpans, ptrace.ScopeSpans)) ptrace.SpanSlice {
	key := string(l.resource) + "\x00" + string(l.scope)
	if spans, ok := s.groups[key]; ok {
		return spans
	}
	rs := s.td.ResourceSpans().AppendEmpty()
	ss := rs.ScopeSpans().AppendEmpty()
	fill(rs, ss)
	s.groups[key] = ss.Spans()
	return ss.Spans()
}

// traceLine holds the members of a line until all are known.
type traceLine struct {
	traceID, spanID, parentSpanID, parentID jsonscan.Value
	name, kind, startTime, endTime          jsonscan.Value
	attributes, status, events, links       jsonscan.Value
	resource, scope                         jsonscan.Value
	context                                 contextMembers
	otel                                    otelMembers
}

func (l *traceLine) scan(text string) error {
	var c jsonscan.Cursor
	c.ResetText(text)
	if c.Peek() != '{' {
		return ErrLineNotObject
	}
	c.EnterObject()
	for key, ok := c.Key(); ok && c.Err() == nil; key, ok = c.Key() {
		l.take(key, c.Value())
	}
	if c.Err() != nil {
		return c.Err()
	}
	if !c.End() {
		return ErrLineNotObject
	}
	return nil
}

func (l *traceLine) take(key string, v jsonscan.Value) {
	switch key {
	case "context":
		l.context = contextOf(v)
	case "otel":
		l.otel = otelOf(v)
	default:
		if to := l.place(key); to != nil && !v.IsNull() {
			*to = v
		}
	}
}

func (l *traceLine) place(key string) *jsonscan.Value {
	switch key {
	case "trace_id":
		return &l.traceID
	case "span_id":
		return &l.spanID
	case "parent_span_id":
		return &l.parentSpanID
	case "parent_id":
		return &l.parentID
	case "name":
		return &l.name
	case "kind":
		return &l.kind
	case "start_time":
		return &l.startTime
	case "end_time":
		return &l.endTime
	case "attributes":
		return &l.attributes
	case "status":
		return &l.status
	case "events":
		return &l.events
	case "links":
		return &l.links
	case "resource":
		return &l.resource
	case "scope":
		return &l.scope
	}
	return nil
}

// check tells whether the line is a span at all.
func (l *traceLine) check() error { return l.fill(ptrace.NewSpan()) }

func (l *traceLine) fill(span ptrace.Span) error {
	if err := l.ids(span); err != nil {
		return err
	}
	end, okEnd := timestamp(l.endTime)
	start, okStart := timestamp(l.startTime)
	if l.startTime == "" {
		start = end
	}
	if !okStart || !okEnd {
		return ErrLineTime
	}
	span.SetStartTimestamp(start)
	span.SetEndTimestamp(end)
	span.SetName(l.name.Str())
	span.SetKind(kindOf(l.kind))
	span.TraceState().FromRaw(l.context.state)
	span.SetFlags(l.otel.flags)
	span.SetDroppedAttributesCount(l.otel.attributes)
	span.SetDroppedEventsCount(l.otel.events)
	span.SetDroppedLinksCount(l.otel.links)
	attributes(l.attributes, span.Attributes())
	statusOf(l.status, span.Status())
	for v := range l.events.Elements() {
		eventOf(v, span.Events().AppendEmpty())
	}
	for v := range l.links.Elements() {
		linkOf(v, span.Links().AppendEmpty())
	}
	return nil
}

func (l *traceLine) ids(span ptrace.Span) error {
	var trace pcommon.TraceID
	var id, parent pcommon.SpanID
	ok := unhex(trace[:], first(l.traceID, l.context.traceID)) && unhex(id[:], first(l.spanID, l.context.spanID))
	if up := first(l.parentSpanID, l.parentID); up != "" {
		ok = ok && unhex(parent[:], up)
	}
	if !ok {
		return ErrLineIDs
	}
	span.SetTraceID(trace)
	span.SetSpanID(id)
	span.SetParentSpanID(parent)
	return nil
}

func first(a, b jsonscan.Value) string {
	if s := a.Str(); s != "" {
		return s
	}
	return b.Str()
}

func unhex(dst []byte, s string) bool {
	s = strings.TrimPrefix(s, "0x")
	if len(s) != 2*len(dst) {
		return false
	}
	_, err := hex.Decode(dst, []byte(s))
	return err == nil
}

// epoch is time 0 as it is written; parseTime takes it for a mistake.
const epoch = "1970-01-01T00:00:00.000000Z"

// timestamp of an absent time is 0.
func timestamp(v jsonscan.Value) (pcommon.Timestamp, bool) {
	if v == "" {
		return 0, true
	}
	ns, ok := parseTime(v.Str())
	return pcommon.Timestamp(ns), ok || v.Str() == epoch //nolint:gosec // parseTime gives no negative time
}

// surround fills in what all spans of a group have in common.
func (l *traceLine) surround(r ptrace.ResourceSpans, s ptrace.ScopeSpans) {
	for key, v := range l.resource.Members() {
		switch key {
		case "attributes":
			attributes(v, r.Resource().Attributes())
		case "schema_url":
			r.SetSchemaUrl(v.Str())
		case "dropped_attributes_count":
			r.Resource().SetDroppedAttributesCount(uint32Of(v))
		}
	}
	for key, v := range l.scope.Members() {
		switch key {
		case "name":
			s.Scope().SetName(v.Str())
		case "version":
			s.Scope().SetVersion(v.Str())
		case "attributes":
			attributes(v, s.Scope().Attributes())
		case "schema_url":
			s.SetSchemaUrl(v.Str())
		case "dropped_attributes_count":
			s.Scope().SetDroppedAttributesCount(uint32Of(v))
		}
	}
}
