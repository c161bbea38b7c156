package store

import (
	"maps"
	"slices"

	"github.com/otelcol-mcp/otelcol-mcp/internal/correlate"
	"github.com/otelcol-mcp/otelcol-mcp/internal/intrusive"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// Session is a live session: its state, and its open calls by what finds them.
type Session struct {
	SessionRecord
	Calls  map[CallKey]*Call // that wait for their reply
	Parked map[ParkKey]*Call // that wait for something else
	Tokens map[CallKey]*Call // by progress token
	Seldom *Seldom           // nil in most sessions; replaced when its turns change
	Held   int64             // bytes of payload kept beside the calls
	Facts  *Facts            // nil until one is reported

	HeardBefore int64 // Heard before the last message
}

// Seldom holds fields that few sessions have: without it a session is in a smaller size class of
// Go's memory.
type Seldom struct {
	turns   []*Call                     // those of Parked that are turns
	asked   map[CallKey]*Call           // that go on after a reply, by the ids of their first and their latest request
	byFacts map[correlate.Account]*Call // of agents, by what reported them first
}

// rare returns these fields of the session.
func (s *Session) rare() Seldom {
	if s.Seldom == nil {
		return Seldom{}
	}
	return *s.Seldom
}

// Turns are the agent's turns that are open or held. They are not to be changed.
func (s *Session) Turns() []*Call { return s.rare().turns }

func (s *Session) setTurns(turns []*Call) {
	next := s.rare()
	next.turns = turns
	s.Seldom = &next
}

// Asked is the call that goes on after a reply and whose first or latest request has
// that id, nil if there is none.
func (s *Session) Asked(key CallKey) *Call { return s.rare().asked[key] }

// CallOf returns the open or held call of an agent that the fact is about, nil if there is
// none. If several sources began to tell of it as of different things, it is the oldest.
func (s *Session) CallOf(fact correlate.FactID) (found *Call) {
	calls := s.rare().byFacts
	if len(calls) == 0 {
		return nil
	}
	for a := range s.Facts.Accounts(fact) {
		if c := calls[a]; c != nil && (found == nil || InOrder(c, found) < 0) {
			found = c
		}
	}
	return found
}

// LeftOf returns where the fact is in what the agent did last, -1 if it is not.
func (s *Session) LeftOf(fact correlate.FactID) int {
	if s.Agent == nil || len(s.Agent.Done) == 0 {
		return -1
	}
	for a := range s.Facts.Accounts(fact) {
		if at := slices.IndexFunc(s.Agent.Done, func(d Fact) bool { return d.Account == a }); at >= 0 {
			return at
		}
	}
	return -1
}

// Call is a live call.
type Call struct {
	CallRecord
	Of    *SessionRecord // the epoch that it belongs to, nil if there is no session
	Bytes int64          // held, about
	Ended bool           // in this transaction or before

	entry       *Entry
	due         int64 // the deadline it is lined up with
	at          int   // place among the deadlines, from 1
	slot        int32 // of its record, 0 if it has none
	lent        int   // place of its copy in dirty.lent, from 1
	node        intrusive.Node[*Call]
	progressing intrusive.Node[*Call]
	dirty       intrusive.Node[*Call]
}

// NewCall is a call of the session that the transaction touched last, or of s
// alone if that lives in the transaction only.
func (tx *Tx) NewCall(s *Session) *Call {
	c := &Call{Of: s.Reported()}
	if s != tx.alone {
		c.entry = tx.last
	}
	c.bind()
	return c
}

func (c *Call) bind() { c.node.Value, c.progressing.Value, c.dirty.Value = c, c, c }

// Session is the session that the call is open in.
func (c *Call) Session() *Session { return c.entry.s }

// Reported is the state for telemetry: a connection is no session.
func (s *Session) Reported() *SessionRecord {
	if s.Connection {
		return nil
	}
	return &s.SessionRecord
}

// Open reports whether the epoch has not ended.
func (s *Session) Open() bool { return s.Ended == 0 }

// OpenCalls counts the open calls.
func (s *Session) OpenCalls() int { return len(s.Calls) + len(s.Parked) }

// EveryCall are the open calls, in no order.
func (s *Session) EveryCall(yield func(*Call) bool) {
	for c := range maps.Values(s.Calls) {
		if !yield(c) {
			return
		}
	}
	for c := range maps.Values(s.Parked) {
		if !yield(c) {
			return
		}
	}
}

// CallsInOrder are the open calls, oldest first.
func (s *Session) CallsInOrder() []*Call {
	calls := make([]*Call, 0, s.OpenCalls())
	for c := range s.EveryCall {
		calls = append(calls, c)
	}
	slices.SortFunc(calls, InOrder)
	return calls
}

// InOrder compares calls by their start; the rest makes the order certain.
func InOrder(a, b *Call) int { return recordsInOrder(&a.CallRecord, &b.CallRecord) }

// Kept reports whether nothing is waited for: the call is a turn, or has ended and
// is held.
func (c *Call) Kept() bool { return c.Parked.Kind == ParkedTurn || c.Over() }

// LongRunning reports whether the call may take any time: by its nature, or because
// it waits for a person or runs as a task.
func (c *Call) LongRunning() bool {
	return mcpconv.Patient(c.Method) || c.OwnModel() || c.Parked.Kind == ParkedTask || c.Parked.Kind == ParkedRound
}

// add makes the call one of the open ones, where its state belongs.
func (s *Session) add(c *Call) {
	if c.Parked.Kind != 0 {
		if s.Parked == nil {
			s.Parked = map[ParkKey]*Call{}
		}
		s.dropTurn(s.Parked[c.Parked])
		s.Parked[c.Parked] = c
		s.keepTurn(c)
		s.keepAsked(c)
		s.keepFact(c)
		return
	}
	s.NoTools = false
	if s.Calls == nil {
		s.Calls = map[CallKey]*Call{}
	}
	s.Calls[c.OpenKey()] = c
	s.keepAsked(c)
	s.keepFact(c)
	if c.Token == "" {
		return
	}
	if key := c.TokenKey(); s.Tokens[key] == nil { // else it is not unique, and stays with the first
		s.setToken(key, c)
	}
}

// restore puts back a call that was removed.
func (s *Session) restore(c *Call, token bool) {
	if c.Parked.Kind != 0 {
		s.Parked[c.Parked] = c
		s.keepTurn(c)
	} else {
		s.Calls[c.OpenKey()] = c
	}
	s.keepAsked(c)
	s.keepFact(c)
	if token {
		s.setToken(c.TokenKey(), c)
	}
}

// keepAsked lets the requests of a call be known again that were answered, but not
// for good.
func (s *Session) keepAsked(c *Call) {
	if c.RoundID == "" && c.Parked.Kind != ParkedTask && c.Parked.Kind != ParkedRound {
		return
	}
	asked := s.rare().asked
	if asked == nil {
		asked = map[CallKey]*Call{}
		next := s.rare()
		next.asked = asked
		s.Seldom = &next
	}
	for _, key := range [...]CallKey{c.Key, c.OpenKey()} {
		if asked[key] == nil { // else the id was used again
			asked[key] = c
		}
	}
}

func (s *Session) dropAsked(c *Call) {
	asked := s.rare().asked
	if len(asked) == 0 {
		return
	}
	for _, key := range [...]CallKey{c.Key, c.OpenKey()} {
		if asked[key] == c {
			delete(asked, key)
		}
	}
}

// keepFact lets the call be found by its fact.
func (s *Session) keepFact(c *Call) {
	if c.Account == 0 || !c.OfAgent() {
		return
	}
	if s.rare().byFacts == nil {
		next := s.rare()
		next.byFacts = map[correlate.Account]*Call{}
		s.Seldom = &next
	}
	s.Seldom.byFacts[c.Account] = c
}

func (s *Session) dropFact(c *Call) {
	if calls := s.rare().byFacts; calls[c.Account] == c {
		delete(calls, c.Account)
	}
}

func (s *Session) keepTurn(c *Call) {
	if c.Parked.Kind == ParkedTurn {
		s.setTurns(append(slices.Clip(s.Turns()), c))
	}
}

// dropTurn leaves the former slice as it is: a rollback brings it back.
func (s *Session) dropTurn(c *Call) {
	if c == nil || c.Parked.Kind != ParkedTurn {
		return
	}
	turns := s.Turns()
	at := slices.Index(turns, c)
	switch {
	case at < 0:
	case len(turns) == 1:
		s.setTurns(nil)
	default:
		s.setTurns(slices.Concat(turns[:at], turns[at+1:]))
	}
}

func (s *Session) setToken(token CallKey, c *Call) {
	if s.Tokens == nil {
		s.Tokens = map[CallKey]*Call{}
	}
	s.Tokens[token] = c
}

// remove takes a call out and reports whether its progress token was its own.
func (s *Session) remove(c *Call) (token bool) {
	if c.Parked.Kind != 0 {
		delete(s.Parked, c.Parked)
		s.dropTurn(c)
	} else {
		delete(s.Calls, c.OpenKey())
	}
	s.dropAsked(c)
	s.dropFact(c)
	if c.Token == "" {
		return false
	}
	key := c.TokenKey()
	if token = s.Tokens[key] == c; token {
		delete(s.Tokens, key)
	}
	return token
}

// quiet reports whether nothing is open in the session that may come to an end, and
// nobody is waited for: only then does silence end it.
func (s *Session) quiet() bool {
	if len(s.Waits) > 0 || s.Waiting() {
		return false
	}
	for c := range s.EveryCall {
		if !c.endless() {
			return false
		}
	}
	return true
}

// endless reports whether the call is open until its session ends, if nothing else is
// heard: it is the turn that its agent works on, or its reply may be lost. A person who
// is asked may still have to answer.
func (c *Call) endless() bool {
	if c.Over() {
		return false
	}
	return c.Uncertain && !c.Asks() && c.Wait == nil || c.Parked.Kind == ParkedTurn && !c.Dropped
}
