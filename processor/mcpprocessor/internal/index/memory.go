package index

import (
	"iter"
	"math/bits"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
)

// Ticket is what is known about a value.
type Ticket struct {
	Claim   Claim
	Root    Root
	Claimed bool   // Claim is known
	LetGo   bool   // Root is known
	Queue   uint32 // the caller's; the ticket is not forgotten while it is not 0
}

// Trace is what is known about a trace.
type Trace struct {
	Fate    Fate
	Settled bool   // Fate is known
	Open    uint32 // the caller's; the trace is not forgotten while it is not 0
}

// Memory is what this process remembers. It is not safe for concurrent use, and
// reads no clock: now is nanoseconds of a clock that does not run backwards.
type Memory struct {
	tickets *memo[Value, Ticket]
	traces  *memo[pcommon.TraceID, Trace]
}

// NewMemory remembers for that long, and at least limit values and traces: twice
// as many at most, besides those that the caller has a hold on.
func NewMemory(limit int, remember time.Duration) *Memory {
	// Some more than limit, so that who holds limit of them has not always the
	// oldest; and as many as a ring has places, which are there anyway.
	limit = 1 << bits.Len(uint(limit+limit/32))
	return &Memory{
		tickets: newMemo[Value](limit, int64(remember), func(t *Ticket) bool { return t.Queue != 0 }),
		traces:  newMemo[pcommon.TraceID](limit, int64(remember), func(t *Trace) bool { return t.Open != 0 }),
	}
}

// AddTicket is what is known about the value. It may be changed until the next
// AddTicket and is remembered from now on.
func (m *Memory) AddTicket(v Value, now int64) *Ticket { return m.tickets.add(v, now) }

// TicketAt is what is known about the value, nil if nothing is. The place is the
// one that PlaceOfTicket gave, with which it is quicker, or any other.
func (m *Memory) TicketAt(p Place, v Value, now int64) *Ticket { return m.tickets.at(p, v, now) }

// PlaceOfTicket is where the ticket is that AddTicket returned last.
func (m *Memory) PlaceOfTicket() Place { return m.tickets.recent }

// AddTicketAt is AddTicket, and quicker with the place that PlaceOfTicket gave.
func (m *Memory) AddTicketAt(p Place, v Value, now int64) *Ticket { return m.tickets.addAt(p, v, now) }

// Settle remembers what became of a trace, from now on. The place is the one that
// PlaceOfTrace gave, or any other.
func (m *Memory) Settle(p Place, id pcommon.TraceID, f Fate, now int64) {
	*m.traces.addAt(p, id, now) = Trace{Fate: f, Settled: true}
}

// PlaceOfTrace is where the trace is that AddTrace returned last.
func (m *Memory) PlaceOfTrace() Place { return m.traces.recent }

// WarmTraces prepares for AddTrace of a batch's traces.
func (m *Memory) WarmTraces(ids iter.Seq[pcommon.TraceID]) { m.traces.warm(ids) }

// WarmValues prepares for AddTicket of a batch's values.
func (m *Memory) WarmValues(vs iter.Seq[Value]) { m.tickets.warm(vs) }

// Trace is what is known about the trace, nil if nothing is.
func (m *Memory) Trace(id pcommon.TraceID, now int64) *Trace { return m.traces.get(id, now) }

// AddTrace is what is known about the trace. It may be changed until the next
// AddTrace and is remembered from now on.
func (m *Memory) AddTrace(id pcommon.TraceID, now int64) *Trace { return m.traces.add(id, now) }

// Fate is what became of a trace, nil if that is open or forgotten.
func (m *Memory) Fate(id pcommon.TraceID, now int64) *Fate {
	if t := m.traces.get(id, now); t != nil && t.Settled {
		return &t.Fate
	}
	return nil
}

// Claim is who claimed the value, nil if nobody did.
func (m *Memory) Claim(v Value, now int64) *Claim {
	if t := m.tickets.get(v, now); t != nil && t.Claimed {
		return &t.Claim
	}
	return nil
}

// Questions tell all that others need to know to an index that has forgotten it.
func (m *Memory) Questions(now int64) (qs []Question) {
	for id, t := range m.traces.all(now) {
		if f := t.Fate; t.Settled && f.Shared {
			d := Decision{Join: f.Final != id, To: Site{Trace: f.Final, Span: f.Parent}, Root: f.Root}
			qs = append(qs, Question{Kind: AskDecide, Trace: id, Decision: d})
		}
	}
	for v, t := range m.tickets.all(now) {
		if t.Claimed {
			qs = append(qs, Question{Kind: AskClaim, Value: v, Site: t.Claim.Site, Seq: t.Claim.Seq})
		}
		if t.Claimed && t.Claim.Twice {
			qs = append(qs, Question{Kind: AskTwice, Value: v})
		}
		if t.LetGo {
			qs = append(qs, Question{Kind: AskRoot, Value: v, Site: t.Root.Site})
		}
	}
	return qs
}
