package sessions

import (
	"cmp"
	"container/list"
	"slices"
	"sync"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/exporter/inspectorexporter/internal/daily"
	"github.com/otelcol-mcp/otelcol-mcp/exporter/inspectorexporter/internal/facts"
	"github.com/otelcol-mcp/otelcol-mcp/exporter/inspectorexporter/internal/figures"
	"github.com/otelcol-mcp/otelcol-mcp/exporter/inspectorexporter/internal/parts"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// Board is all sessions. It is safe for concurrent use.
type Board struct {
	// OnePerson says that all sessions are one person's: a connection to an MCP server
	// then belongs to the one session of its agent. It is set before the first use.
	OnePerson bool

	max int
	now func() time.Time

	mu sync.RWMutex
	directory
	changelog
	byStart byStart
	beats   beats
	waiting map[*session]struct{} // have progress that came too soon
	parts   parts.Parts
	folds   []Fold
	peers   peers
}

// New makes an empty board of at most so many sessions.
func New(limit int, now func() time.Time) *Board {
	return &Board{
		max: limit, now: now, directory: newDirectory(), changelog: changelog{entries: list.New()},
		beats: beats{list.New()}, waiting: map[*session]struct{}{}, peers: newPeers(),
	}
}

// Span takes one span of the instrumentation scope of that name. Its session is
// the one that it names, else the one that has its trace, else, if it is about
// agents at all and belongs to no stream, one named by its trace.
func (b *Board) Span(resource pcommon.Resource, span ptrace.Span, scope string) Update {
	b.mu.Lock()
	defer b.mu.Unlock()
	u := b.take(resource, span, scope)
	u.Folds, b.folds = b.folds, nil
	return u
}

func (b *Board) take(resource pcommon.Resource, span ptrace.Span, scope string) Update {
	own, p := b.parts.Place(facts.OwnID(resource.Attributes(), span.Attributes()), span.Attributes())
	now := b.time()
	if p.Whole != "" {
		if p.Wire || facts.IsFrame(span) {
			if u, ok := (joins{b}).onWire(p.Whole, &span); ok {
				return u
			}
		}
		own = p.Whole
	}
	if own == "" && b.find(own, span.TraceID()) == nil {
		if kind := daily.KindOf(scope, span); kind != daily.None {
			return Update{Stream: kind}
		}
	}
	s := b.owner(own, span.TraceID(), cmp.Or(figures.When(span.StartTimestamp()), now), facts.Ours(span.Attributes()))
	if s == nil {
		return Update{}
	}
	s.heard()
	s.row.sent(own, scope, mcpconv.SourceSpans)
	u := b.span(s, resource, span, own, now)
	joins{b}.learn(s, facts.Str(resource.Attributes(), mcpconv.ServiceName), span.Name(), span.Attributes())
	if p := b.parts.Of(u.ID); p.Whole != "" { // as it turned out just now
		u.ID, u.Events = p.Whole, nil
	}
	return u
}

func (b *Board) time() Time { return Time(b.now().UnixNano()) }

func (b *Board) span(s *session, resource pcommon.Resource, span ptrace.Span, own string, now Time) Update {
	m := span.Attributes()
	if facts.Asks(span) {
		b.asked(s, facts.RequestID(m))
	} else {
		b.answered(s, facts.RequestID(m))
	}
	before := s.row.StartedAt
	u := Update{ID: s.row.ID}
	s.heardOf(now, figures.When(span.StartTimestamp()), s.serviceOf(own, span.TraceID(), resource), m)
	s.goesOn(figures.When(span.StartTimestamp()))
	s.span(now, span, b.roleOf(s, span), &u)
	s.announceAfter(&u)
	s.heartbeat(span, &u)
	b.done(s, before, &u)
	return u
}

// serviceOf names the service of a session's own items; guests' services, which
// only share a trace with it, say nothing of the session.
func (s *session) serviceOf(own string, trace pcommon.TraceID, resource pcommon.Resource) string {
	if own == "" && s.row.ID != trace.String() {
		return ""
	}
	return facts.Str(resource.Attributes(), mcpconv.ServiceName)
}

// announceAfter puts SessionStarted before everything else that is told.
func (s *session) announceAfter(u *Update) {
	var first Update
	s.announce(&first)
	u.Events = append(first.Events, u.Events...)
}

// done makes the change known.
func (b *Board) done(s *session, startedBefore Time, u *Update) {
	if s.row.StartedAt != startedBefore {
		b.byStart.resort(s)
	}
	now := b.time()
	if s.recorded != nil {
		s.recorded.show(&s.row)
		if s.row.StartedAt != startedBefore {
			b.byStart.resort(s)
		}
	}
	s.row.Restored = !s.live && s.row.EndedAt == 0
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

// Log takes one log record: signs of life, phases, and calls that begin.
func (b *Board) Log(resource pcommon.Resource, record plog.LogRecord, scope string) Update {
	b.mu.Lock()
	defer b.mu.Unlock()
	m := record.Attributes()
	at := figures.When(cmp.Or(record.Timestamp(), record.ObservedTimestamp()))
	now := b.time()
	own, p := b.parts.Place(facts.OwnID(resource.Attributes(), m), m)
	name := record.EventName()
	if name == mcpconv.LogSessionState {
		return b.state(resource, record)
	}
	if p.Whole != "" {
		if u, ok := (joins{b}).onWire(p.Whole, nil); ok {
			return u
		}
		own = p.Whole
	}
	s := b.owner(own, record.TraceID(), cmp.Or(at, now), own != "" && (name != "" || facts.Ours(m)))
	if s == nil {
		return Update{Stream: daily.KindOfLog(scope, name, m)}
	}
	s.heard()
	s.row.sent(own, scope, mcpconv.SourceLogs)
	if name == mcpconv.LogCallStart {
		b.asked(s, facts.RequestID(m))
	}
	before := s.row.StartedAt
	u := Update{ID: s.row.ID}
	s.heardOf(now, cmp.Or(at, now), s.serviceOf(own, record.TraceID(), resource), m)
	s.log(name, cmp.Or(at, now), record, &u)
	s.announceAfter(&u)
	b.done(s, before, &u)
	return u
}

// log takes what no span tells yet. Markers are spans, too, and those count.
func (s *session) log(name string, at Time, record plog.LogRecord, u *Update) {
	m, id := record.Attributes(), record.SpanID()
	s.open.sign(&s.row, at, m)
	switch name {
	case mcpconv.SpanSessionStart, mcpconv.SpanAgentStart, mcpconv.SpanSignalStart, mcpconv.LogSessionEnd,
		mcpconv.SpanHostStalled, mcpconv.SpanHostResumed, mcpconv.SpanCallStuck, mcpconv.SpanCallReturned:
	case mcpconv.LogPhaseStart:
		s.goesOn(at)
		s.phase(name, at, at, m)
		if !id.IsEmpty() && s.row.EndedAt == 0 && !s.ended.has(id) {
			u.Opened = s.opening(mcpconv.SpanPhase, id, record.TraceID())
		}
	case mcpconv.LogCallStart:
		s.goesOn(at)
		s.begin(id, record.TraceID(), at, facts.CallName(m), m, u)
	default:
		s.phase(name, at, at, m)
	}
	s.tellWait(&s.row, u)
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
