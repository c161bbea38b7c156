package session

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-mcp/otelcol-mcp/internal/identity"
	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonrpc"
	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonscan"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

const second = int64(time.Second)

func testOptions() Options {
	return Options{
		IdleTimeout: time.Minute, Linger: 10 * time.Second, MaxSessions: 10, MaxSpans: 100,
		CallTimeout: 2 * time.Minute, MaxOpenCalls: 100, MaxOpenBytes: 1 << 20, ProgressEvents: 4,
		TextBytes: 64, KeepPayloads: true, DropMethods: map[string]bool{"ping": true},
		MaxPending: 100, Lost: func(string) {},
		StuckAfter: time.Hour, StalledAfter: time.Hour, NoticesPerSecond: 100, DedupeKeys: 2, MinLevel: 1,
	}
}

// tb is what testing.TB and rapid.T have in common.
type tb interface {
	require.TestingT
	Helper()
}

// parse reads a message.
func parse(t tb, text string) *jsonrpc.Message {
	t.Helper()
	var c jsonscan.Cursor
	var m jsonrpc.Message
	c.Reset([]byte(text))
	require.NoError(t, m.Decode(&c), text)
	return &m
}

// story is a Sink that writes down what it is told, one line each.
type story struct {
	lines    []string
	started  map[*Session]int
	ended    map[*Session]int
	calls    map[*Call]int
	waits    map[*Wait]int // started minus ended
	phases   map[*Phase]int
	agents   map[*Agent]int
	silences []silence
}

// silence is that something does not move, moves again, or is over.
type silence struct {
	about any // a *Call, or the id of a session
	what  string
	fault string // why it should not have been told
}

// over is what ends a silence that nothing else ends.
const over = "over"

func newStory() *story {
	return &story{
		started: map[*Session]int{}, ended: map[*Session]int{},
		calls: map[*Call]int{}, waits: map[*Wait]int{},
		phases: map[*Phase]int{}, agents: map[*Agent]int{},
	}
}

func (s *story) add(format string, args ...any) {
	s.lines = append(s.lines, fmt.Sprintf(format, args...))
}

// at is where a span stands; what belongs to no session has random IDs.
func at(s *Session, trace identity.TraceID, span, parent identity.SpanID) string {
	if s == nil || s.Connection {
		return "nowhere"
	}
	return fmt.Sprintf("%s/%s<%s", trace, span, parent)
}

func (s *story) SessionStarted(x *Session, marker identity.SpanID) {
	s.started[x]++
	s.add("start %s epoch %d %s at %d", x.Identity, x.Epoch, at(x, x.Trace, marker, x.Root), x.Start)
}

func (s *story) SessionEnded(e *SessionEnd) {
	x := e.Session
	s.ended[x]++
	if !x.moved {
		s.silences = append(s.silences, silence{about: x.ID, what: over})
	}
	s.add("end %s %s %d..%d %s %v failed %t cancelled %t %q exit %v", x.Identity, at(x, x.Trace, x.Root, e.Summary),
		x.Start, e.Time, e.Reason, x.Totals(), x.Failed, x.Cancelled, x.ErrorText, x.Exit != nil)
}

func (s *story) CallStarted(c *Call, marker identity.SpanID) {
	s.add("calling %s %s %s marker %t", c.Method, c.ID, at(c.Session, c.Trace, c.Span, c.Parent), !marker.IsZero())
}

func (s *story) PhaseStarted(x *Session, p *Phase) {
	s.phases[p]++
	s.add("phase %s %s at %d", p.Name, at(x, p.Trace, p.Span, p.Parent), p.Start)
}

func (s *story) PhaseEnded(e *PhaseEnd) {
	p := e.Phase
	s.phases[p]--
	s.add("phased %s %s %d..%d %t", p.Name, at(e.Session, p.Trace, p.Span, p.Parent), p.Start, e.Time, e.Incomplete)
}

func (s *story) AgentStarted(x *Session, a *Agent, marker identity.SpanID) {
	s.agents[a]++
	s.add("agent %s %s marker %s", a.ID, at(x, a.Trace, a.Span, a.Parent), at(x, a.Trace, marker, a.Span))
}

func (s *story) AgentEnded(e *AgentEnd) {
	a := e.Agent
	if a.Seen() {
		s.agents[a]--
	}
	s.add("agent ended %s %s %d..%d %v %t", a.ID, at(e.Session, a.Trace, a.Span, a.Parent), a.Start, e.Time, e.Outcome, e.Incomplete)
}

func (s *story) InBand(in *InBand) (taken, refused int) {
	s.add("in band %s", in.ResourceSpans)
	return 1, 1
}

func (s *story) Watched(w *Watch) {
	about := at(w.Session, w.Trace, identity.SpanID{}, w.Parent)
	s.silences = append(s.silences, silenceOf(w))
	s.add("watched %s %s at %d after %d", w.Name, about, w.Time, w.Silent)
}

// silenceOf is what was told, and what speaks against it.
func silenceOf(w *Watch) silence {
	if c := w.Call; c != nil {
		told := silence{about: c, what: w.Name}
		if w.Name == mcpconv.SpanCallStuck && (c.dropped || c.mayWait()) {
			told.fault = "it may take its time"
		}
		return told
	}
	s := w.Session
	told := silence{about: s.ID, what: w.Name}
	if w.Name == mcpconv.SpanHostStalled {
		switch p := s.Phase; {
		case len(s.calls) > 0 || len(s.waits) > 0:
			told.fault = "something is open"
		case p != nil && (p.Name == mcpconv.PhaseIdle || p.Name == mcpconv.PhaseApproval):
			told.fault = "it is " + p.Name
		}
	}
	return told
}

func (s *story) CallEnded(e *CallEnd) {
	c := e.Call
	s.silences = append(s.silences, silence{about: c, what: over})
	s.calls[c]++
	s.add("call %s %s %s %d..%d %v %t %t %v", c.Method, c.ID, at(c.Session, c.Trace, c.Span, c.Parent),
		c.Start, e.Time, e.Outcome, e.Cancelled, e.Incomplete, c.Events())
}

func (s *story) WaitStarted(x *Session, w *Wait, marker identity.SpanID) {
	s.waits[w]++
	s.add("wait %s %s marker %s", w.Name, at(x, w.Trace, w.Span, w.Parent), at(x, w.Trace, marker, w.Span))
}

func (s *story) WaitEnded(e *WaitEnd) {
	s.waits[e.Wait]--
	s.add("waited %s %s %d..%d %t", e.Wait.Name, at(e.Session, e.Wait.Trace, e.Wait.Span, e.Wait.Parent),
		e.Wait.Start, e.Time, e.Incomplete)
}

func (s *story) Notice(n *Notice) {
	s.add("notice %s %s %d %v %q", n.Name, at(n.Session, n.Trace, n.Span, n.Parent), n.Time, n.Outcome, n.Invalid)
}

func (s *story) Occurred(o *Occurrence) {
	s.add("occurred %s %s %s/%s<%s %d %v %q", o.Method, o.Name, o.Trace, o.Span, o.Context.Span, o.Time, o.Outcome, o.Invalid)
}

// merge adds what another story tells.
func (s *story) merge(o *story) {
	s.lines = append(s.lines, o.lines...)
	sum(s.started, o.started)
	sum(s.ended, o.ended)
	sum(s.calls, o.calls)
	sum(s.waits, o.waits)
	sum(s.phases, o.phases)
	sum(s.agents, o.agents)
	s.silences = append(s.silences, o.silences...)
}

func sum[K comparable](to, from map[K]int) {
	for k, n := range from {
		to[k] += n
	}
}

// commit runs one transaction and returns what it told.
func commit(t *testing.T, tr *Tracker, now int64, apply func(tx *Tx) error) (*story, map[string]int64) {
	t.Helper()
	told := newStory()
	tx := tr.Begin(now, told, nil)
	require.NoError(t, apply(tx))
	tx.Finish()
	tx.Commit()
	return told, tx.Counts()
}

// say commits one message of session s on connection c, arriving at its time.
func say(t *testing.T, tr *Tracker, now int64, dir Direction, text string) (*story, map[string]int64) {
	t.Helper()
	o := Observation{Arrival: now, Time: now, Session: "s", Connection: "c", Direction: dir}
	return commit(t, tr, now, func(tx *Tx) error { return tx.Message(context.Background(), &o, parse(t, text)) })
}

const (
	callOne  = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","_meta":{"progressToken":"t"}}}`
	replyOne = `{"jsonrpc":"2.0","id":1,"result":{}}`
)
