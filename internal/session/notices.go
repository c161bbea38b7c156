package session

import (
	"cmp"
	"crypto/rand"
	"slices"
	"strconv"
	"time"
	"unsafe"

	"github.com/cespare/xxhash/v2"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/identity"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session/store"
)

// noticeExtra are details of a notice that only its session has.
type noticeExtra struct {
	Outcome  Outcome
	Tokens   int64 // spent since the last that was reported
	Replaces string
	Declared store.Known
	Shared   bool // without a session it shares the trace of its connection
}

// noticeSlack is how far outside of its session a notice's own time may lie, in ns. Beyond
// that its span has the time of its message, since a session lasts as long as its spans do.
const noticeSlack = int64(time.Minute)

// record records a notice.
func (tx *notices) record(s *store.Session, env *event.Envelope, n *event.Notice, extra *noticeExtra) {
	r := &tx.lastNotice
	r.Notice, r.Envelope, r.Session, r.Link = n, env, s.Reported(), env.Push
	r.Name, r.Invalid = tx.noticeName(n), n.Invalid
	r.Time, r.Own = cmp.Or(n.Time, env.Time), 0
	tx.store.Count(n.Invalid)
	r.Sender = senderOf(s, env, n.FromClient)
	r.Trace, r.Parent = traceOf(s)
	if extra.Shared && s.Connection && s.ID != "" {
		r.Trace = identity.Trace(tx.opt.Namespace, "connection:"+s.ID)
	}
	r.Context = identity.Context{}
	if n.Source == event.Wire {
		r.Context = tx.context(env, n.Trace)
	}
	if r.Session == nil && r.Context.Valid() {
		r.Trace, r.Parent = r.Context.Trace, r.Context.Span
	}
	r.Span = tx.distinctNotice(n, s.Identity, r.Name, r.Trace, r.Time)
	if n.Time != 0 && (n.Time < s.Start-noticeSlack || n.Time > s.Last+noticeSlack) {
		r.Time, r.Own = env.Time, n.Time
	}
	r.Outcome, r.Tokens, r.Replaces, r.Declared = extra.Outcome, extra.Tokens, extra.Replaces, extra.Declared
	s.Spans++
	if s.Open() { // else its summary has left
		s.Summary.Notices++
		s.Contain(r.Trace, r.Time, r.Time)
	}
	if n.Source == event.AgentLog { // its record is about that
		tx.About.Trace, tx.About.Span = r.Trace, r.Span
	}
	tx.sink.Notice(r)
}

// redelivered reports whether a notice with an id of its own came before with that
// content, as far as that is remembered, and counts it then. With other content it is
// something else: its time becomes part of its id.
func (tx *notices) redelivered(s *store.Session, env *event.Envelope, n *event.Notice, content uint64) bool {
	if n.StableID == "" && !n.Numbered || s.Connection {
		return false
	}
	id := n.StableID
	if id == "" {
		id = string(n.Raw)
	}
	d := store.Delivery{ID: xxhash.Sum64String(n.Method) ^ xxhash.Sum64String(id), Content: content}
	more := s.More()
	known, same := more.Delivered.Find(d)
	switch {
	case same:
		tx.store.Count(Repeated)
		return true
	case known:
		n.StableID += "#" + decimal(cmp.Or(n.Time, env.Time))
	}
	more.Delivered = more.Delivered.With(d)
	s.Extra = &more
	return false
}

// forgetReminders takes those that a compaction does not keep from the pending ones.
func (tx *notices) forgetReminders(s *store.Session) {
	before := s.Pending.Bytes()
	s.Pending = slices.DeleteFunc(slices.Clone(s.Pending), func(r store.Reminder) bool { return !r.Preserve })
	s.Held += s.Pending.Bytes() - before
}

// floods reports whether the session sends more notifications than it may. Seconds
// are those of the messages' times, so that what a sender held back while the
// collector was away, or replays, is not taken for a flood.
func (tx *notices) floods(s *store.Session, env *event.Envelope) bool {
	f := &s.Flood
	second := env.Time / int64(time.Second)
	waited := s.HeardBefore/int64(time.Second) != env.Arrival/int64(time.Second)
	if second > f.Second || second < f.Second && waited { // going back and forth begins no other second
		f.Second, f.N = second, 0
	}
	if int(f.N) < tx.opt.NoticesPerSecond {
		f.N++
		return false
	}
	tx.store.Count(Flood)
	if !f.Dropped {
		f.Dropped = true
		tx.store.Count(FloodBegins)
	}
	return true
}

// noticeName is the name of the notice's span, a string of our own.
func (tx *notices) noticeName(n *event.Notice) string {
	switch {
	case n.Name != "":
		return n.Name
	case n.Prefix != "":
		return n.Prefix + tx.cut(n.Method)
	}
	return tx.method(n.Method)
}

func randomTrace() (id identity.TraceID) {
	_, _ = rand.Read(id[:]) // never fails (crypto/rand)
	return id
}

// distinctNotice is the span ID of a notice, which no other of the transaction has.
func (tx *notices) distinctNotice(n *event.Notice, session, name string, trace identity.TraceID, at int64) identity.SpanID {
	return tx.distinct(func(suffix string) identity.SpanID { return identifyNotice(n, session, name, trace, at, suffix) })
}

// identifyNotice derives the notice's span ID: from the id that its sender gave
// it, else from its time and what it says. suffix makes it another one.
func identifyNotice(n *event.Notice, session, name string, trace identity.TraceID, at int64, suffix string) identity.SpanID {
	what, raw := n.Method, string(n.Raw)
	switch n.Source {
	case event.Hook, event.AgentLog, event.AgentSpan:
		what = name
	case event.Transport:
		what, raw = name, name
	}
	if n.StableID != "" {
		return identity.Span(trace, identity.Notice, session, what, n.StableID+suffix)
	}
	var digits [20]byte
	ns := strconv.AppendInt(digits[:0], at, 10)
	return identity.Span(trace, identity.Notice, session, what, unsafe.String(&ns[0], len(ns)), raw+suffix)
}

// decimal is n in decimal digits.
func decimal(n int64) string { return strconv.FormatInt(n, 10) }
