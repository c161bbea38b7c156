package session

import (
	"cmp"
	"strings"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/identity"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session/store"
)

// A turn is a call that is parked: it waits for the agent to rest. One is open at
// a time, others may be pending.

// currentTurn is the key of the open turn; pending ones have their span's id.
const currentTurn = "turn"

// openTurn returns the turn that the agent works on, nil if there is none.
func openTurn(s *store.Session) *store.Call {
	return s.Parked[store.ParkKey{Kind: store.ParkedTurn, ID: currentTurn}]
}

// turnAt returns the turn of that time, nil if there is none.
func turnAt(s *store.Session, at int64) (found *store.Call) {
	for _, c := range s.Turns() {
		if c.Dropped || c.Start > at+resolution || c.Over() && at > c.Report.End+resolution {
			continue
		}
		if found == nil || c.Start > found.Start {
			found = c
		}
	}
	return found
}

// start opens a turn, and ends the one before, of whose end nothing was seen.
func (tx *turns) start(s *store.Session, env *event.Envelope, a *event.SelfReport, start int64, about subject) *store.Call {
	if old := openTurn(s); old != nil {
		tx.end(s, old, a, turnEnd{Time: max(old.Turn.Last, old.Start)})
	}
	c := tx.newTurn(s, env, a, start)
	c.Account = about.account
	if s.Parked[c.Parked] != nil { // held too many
		return c
	}
	tx.store.Open(s, c)
	tx.joins.aboutCall(c)
	return c
}

// newTurn creates a turn that is not open yet.
func (tx *turns) newTurn(s *store.Session, env *event.Envelope, a *event.SelfReport, start int64) *store.Call {
	agent := editAgent(s)
	agent.Turns++
	c := tx.store.NewCall(s)
	c.Kind, c.Source, c.Method, c.Version = event.AgentTurn, a.Source, mcpconv.SpanTurn, "2.0"
	c.Start, c.RoundStart, c.Arrival, c.ProgressArrival, c.LastProgress = start, start, env.Arrival, env.Arrival, env.Time
	c.Sender, c.Client = intern(s, senderOf(s, env, true)), intern(s, env.Client)
	c.Turn = &store.Turn{}
	if loose := agent.Unassigned; loose != nil && a.Native.Valid() { // what is in it came first
		*c.Turn = *loose
	}
	agent.Unassigned = nil
	c.Turn.ID, c.Turn.Index, c.Turn.Last = tx.text(a.Turn), agent.Turns, start
	c.Trace, c.Parent = traceOf(s)
	c.Span = identity.Span(c.Trace, identity.Turn, s.Identity, cmp.Or(c.Turn.ID, decimal(start)))
	c.Key = store.CallKey{Connection: intern(s, env.Scope()), ID: store.GeneratedID + decimal(start) + `"`, FromClient: true}
	c.Parked = store.ParkKey{Kind: store.ParkedTurn, ID: currentTurn}
	c.Report = &store.Report{Reported: store.SourceOf(a.Source)}
	c.Bytes = c.CallRecord.Bytes()
	return c
}

// prompted notes the prompt of the turn, the first time with an event.
func (tx *turns) prompted(c *store.Call, e *event.PromptSubmitted) {
	first, a := !c.Turn.Prompted, &e.SelfReport
	tx.joins.reported(c, a.Source, store.Report{})
	if tx.opt.KeepPayloads && c.Input == "" && e.Prompt != "" {
		tx.store.Edit(c)
		c.Input = strings.Clone(cmp.Or(e.Prompt.Str(), string(e.Prompt)))
		tx.store.Grow(c, int64(len(c.Input)))
	}
	tx.change(c, func(t *store.Turn) {
		t.Prompted, t.ID = true, cmp.Or(t.ID, tx.text(a.Turn))
	})
	if first {
		tx.sink.CallStarted(CallStart{Session: c.Of, Call: &c.CallRecord})
	}
}

// turnEnd describes the end of a turn.
type turnEnd struct {
	Time    int64 // Unix ns
	Outcome Outcome
	Seen    bool       // it was reported, rather than concluded from something else
	Output  event.JSON // the agent's last message
}

// end ends a turn. Without a prompt it is not recorded, unless the agent sent a span
// of its own.
func (tx *turns) end(s *store.Session, c *store.Call, a *event.SelfReport, e turnEnd) {
	native := e.Seen && a.Native.Valid()
	if !c.Turn.Prompted && !native {
		tx.store.Close(s, c)
		editAgent(s).Turns--
		return
	}
	o := &e.Outcome
	r := store.Report{End: max(e.Time, c.Start), Unclosed: !e.Seen, Failed: o.Failed, Code: o.Code, Type: o.Type}
	if tx.opt.KeepPayloads {
		r.Text, r.Output = strings.Clone(o.Message), strings.Clone(string(e.Output))
	}
	if c.Parked.ID == currentTurn {
		tx.park(s, c)
	}
	reported := *a
	if !native {
		reported.Native = event.Native{}
	}
	tx.joins.ended(s, c, &reported, r)
	for len(s.Turns()) > store.NestedMax {
		if !tx.releaseOldest(s) {
			break
		}
	}
}

// releaseOldest emits the oldest pending turn early, since every report of an agent
// looks through all of them. It returns false if none is pending.
func (tx *turns) releaseOldest(s *store.Session) bool {
	var oldest *store.Call
	for _, c := range s.Turns() {
		if c.Over() && (oldest == nil || store.InOrder(c, oldest) < 0) {
			oldest = c
		}
	}
	if oldest != nil {
		tx.joins.emitPending(s, oldest)
	}
	return oldest != nil
}

// park makes the turn pending.
func (tx *turns) park(s *store.Session, c *store.Call) {
	tx.store.Park(s, c, store.ParkedTurn, c.Span.String())
}

// change replaces the turn by a changed copy.
func (tx *turns) change(c *store.Call, change func(*store.Turn)) {
	before := c.AgentBytes()
	tx.store.Edit(c)
	next := *c.Turn
	change(&next)
	c.Turn = &next
	tx.store.Grow(c, c.AgentBytes()-before)
}

// resolution bounds the difference between the beginnings of one turn or sub-agent by two sources, in ns.
const resolution = int64(2e9)

// near reports whether two sources may mean the same by these times.
func near(a, b int64) bool { return max(a-b, b-a) <= resolution }
