package sessions

import (
	"cmp"
	"container/list"
	"slices"
	"strings"
	"sync"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/exporter/inspectorexporter/internal/attribute"
	"github.com/otelcol-mcp/otelcol-mcp/exporter/inspectorexporter/internal/daily"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// Board is all sessions. It is safe for concurrent use.
type Board struct {
	max int
	now func() time.Time

	mu sync.RWMutex
	directory
	changelog
	byStart byStart
	beats   beats
	waiting map[*session]struct{} // have progress that came too soon
	parts   parts
	folds   []Fold
	records bool // state records come here
}

// New makes an empty board of at most so many sessions.
func New(limit int, now func() time.Time) *Board {
	return &Board{
		max: limit, now: now, directory: newDirectory(), changelog: changelog{entries: list.New()},
		beats: beats{list.New()}, waiting: map[*session]struct{}{},
	}
}

// Span applies one span of the instrumentation scope of that name. Its session is
// the one that it names, else the one that has its trace, else, if it is about
// agents at all and belongs to no stream, one named by its trace.
func (b *Board) Span(resource pcommon.Resource, span ptrace.Span, scope string) Update {
	b.mu.Lock()
	defer b.mu.Unlock()
	u := b.apply(resource, span, scope)
	u.Folds, b.folds = b.folds, nil
	return u
}

func (b *Board) apply(resource pcommon.Resource, span ptrace.Span, scope string) Update {
	own, whole := b.parts.place(attribute.OwnID(resource.Attributes(), span.Attributes()), span.Attributes())
	now := b.time()
	if whole != "" {
		if attribute.IsFrame(span) {
			if u, ok := b.frame(whole, span.TraceID()); ok {
				return u
			}
		}
		own = whole
	}
	if own == "" && b.find(own, span.TraceID()) == nil {
		if kind := daily.KindOf(scope, span); kind != daily.None {
			return Update{Stream: kind}
		}
	}
	s := b.owner(own, span.TraceID(), cmp.Or(when(span.StartTimestamp()), now), attribute.Ours(span.Attributes()))
	if s == nil {
		return Update{}
	}
	s.received(scope)
	u := b.span(s, resource, span, own, now)
	b.joinHalves(s, span)
	if whole := b.parts.of(u.ID); whole != "" { // as it turned out just now
		u.ID, u.Events = whole, nil
	}
	return u
}

func (b *Board) time() Time { return Time(b.now().UnixNano()) }

func (b *Board) span(s *session, resource pcommon.Resource, span ptrace.Span, own string, now Time) Update {
	m := span.Attributes()
	if attribute.Asks(span) {
		b.asked(s, attribute.RequestID(m))
	} else {
		b.answered(s, attribute.RequestID(m))
	}
	before := s.row.StartedAt
	u := Update{ID: s.row.ID}
	s.heardOf(own, span.TraceID(), resource, when(span.StartTimestamp()), now)
	s.span(now, span, b.roleOf(s, span), &u)
	b.done(s, before, &u)
	return u
}

// received notes that this run received something of the session.
func (s *session) received(scope string) {
	s.live = true
	s.ours = s.ours || strings.HasPrefix(scope, ourScopes)
}

// hides reports whether the session has no row: our receivers report the state of what has
// one, so that where their records come, a session without one did nothing yet.
func (b *Board) hides(s *session) bool { return s.ours && b.records && !s.row.recorded() }

// recordsCome notes that state records come here. Who saw what now has no row is told so.
func (b *Board) recordsCome() {
	if b.records {
		return
	}
	b.records = true
	for _, s := range b.byStart {
		if b.hides(s) {
			b.touch(s)
		}
	}
}

// heardOf applies what every span and log record says. Guests' services, which only share
// a trace with the session, say nothing of it.
func (s *session) heardOf(own string, trace pcommon.TraceID, resource pcommon.Resource, at, now Time) {
	r := &s.row
	r.LastSeen = max(r.LastSeen, now)
	if r.recorded() {
		return
	}
	if at != 0 {
		r.StartedAt = min(r.StartedAt, at)
	}
	if own != "" || r.ID == trace.String() {
		if service := attribute.Str(resource.Attributes(), mcpconv.ServiceName); r.Host == "" && service != "" {
			r.Host = attribute.Text(service)
		}
	}
}

// done makes the change known.
func (b *Board) done(s *session, startedBefore Time, u *Update) {
	if s.row.StartedAt != startedBefore {
		b.byStart.resort(s)
	}
	now := b.time()
	s.conclude(now)
	s.publish(u)
	for i := range u.Events {
		e := &u.Events[i]
		e.SessionID, e.Timestamp = s.row.ID, cmp.Or(e.Timestamp, now)
	}
	if s.progress != nil {
		b.waiting[s] = struct{}{}
	}
	b.beats.keep(s, now, false)
	b.touch(s)
}

// Log applies one log record: the state of a session, or the start of a call or phase,
// for which the trace has a line.
func (b *Board) Log(resource pcommon.Resource, record plog.LogRecord, scope string) Update {
	b.mu.Lock()
	defer b.mu.Unlock()
	m, name := record.Attributes(), record.EventName()
	if name == mcpconv.LogSessionState {
		return b.state(resource, record)
	}
	at := when(cmp.Or(record.Timestamp(), record.ObservedTimestamp()))
	now := b.time()
	own, whole := b.parts.place(attribute.OwnID(resource.Attributes(), m), m)
	if whole != "" {
		if u, ok := b.frame(whole, pcommon.TraceID{}); ok {
			return u
		}
		own = whole
	}
	s := b.owner(own, record.TraceID(), cmp.Or(at, now), own != "" && (name != "" || attribute.Ours(m)))
	if s == nil {
		return Update{Stream: daily.KindOfLog(scope, name, m)}
	}
	s.received(scope)
	before := s.row.StartedAt
	u := Update{ID: s.row.ID}
	s.heardOf(own, record.TraceID(), resource, at, now)
	switch name {
	case mcpconv.LogPhaseStart:
		s.begin(record.SpanID(), record.TraceID(), at, mcpconv.SpanPhase, m, &u)
	case mcpconv.LogCallStart:
		b.asked(s, attribute.RequestID(m))
		s.begin(record.SpanID(), record.TraceID(), at, attribute.CallName(m), m, &u)
	}
	b.done(s, before, &u)
	b.joinRequest(attribute.RequestID(m))
	u.Folds, b.folds = b.folds, nil
	return u
}

func (b *Board) insert(s *session) {
	b.byID[s.row.ID] = s
	b.byStart.insert(s)
	b.touch(s)
}

// byStart is the sessions, the oldest first.
type byStart []*session

func compare(a, b *session) int {
	return cmp.Or(cmp.Compare(a.row.StartedAt, b.row.StartedAt), cmp.Compare(a.row.ID, b.row.ID))
}

func (l *byStart) insert(s *session) {
	i, _ := slices.BinarySearchFunc(*l, s, compare)
	*l = slices.Insert(*l, i, s)
}

// remove looks at all: the start may have changed.
func (l *byStart) remove(s *session) {
	if i := slices.Index(*l, s); i >= 0 {
		*l = slices.Delete(*l, i, i+1)
	}
}

// resort puts a session to its place, whose start has changed.
func (l *byStart) resort(s *session) {
	l.remove(s)
	l.insert(s)
}

// Grown notes how long the session's trace is.
func (b *Board) Grown(id string, size int64, epoch int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	s := b.byID[id]
	if s == nil || epoch < s.row.TraceEpoch || epoch == s.row.TraceEpoch && size <= s.row.TraceBytes {
		return // of a span that was appended at the same time, and earlier
	}
	s.row.TraceBytes, s.row.TraceEpoch = size, epoch
	b.touch(s)
}

// Remove drops a session.
func (b *Board) Remove(id string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if s := b.byID[id]; s != nil {
		b.drop(s)
	}
}

// Meta is a session's row as JSON, for [Board.Known]; nil if there is none.
func (b *Board) Meta(id string) []byte {
	b.mu.Lock()
	defer b.mu.Unlock()
	s := b.byID[id]
	if s == nil {
		return nil
	}
	return b.encode(s)
}
