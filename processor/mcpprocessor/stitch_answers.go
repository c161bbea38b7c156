package mcpprocessor

import (
	"github.com/otelcol-mcp/otelcol-mcp/processor/mcpprocessor/internal/index"
)

// hear tells the rules an answer, or that there is none.
func (r *rules) hear(q *index.Question, answered bool) {
	switch q.Kind {
	case index.AskClaim:
		r.hearClaim(q)
	case index.AskRoot, index.AskClient:
		if q.Claim != nil {
			r.learn(q.Value, *q.Claim)
		}
	case index.AskDecide:
		r.hearDecision(q, answered)
	case index.AskFate:
		if t := r.get(q.Trace); t != nil && q.Decided {
			r.apply(t, q.Decision)
		}
	case index.AskTwice:
	}
}

func (r *rules) hearClaim(q *index.Question) {
	mine := index.Claim{Site: q.Site, Seq: q.Seq}
	if ticket := r.idx.AddTicket(q.Value, r.now); q.Root != nil && q.Root.Trace != q.Site.Trace && !ticket.LetGo {
		ticket.Root, ticket.LetGo = *q.Root, true
	}
	switch {
	case q.Claim == nil || q.Claim.Site == mine.Site && !q.Claim.Twice:
		r.learn(q.Value, mine)
	case q.Claim.Twice:
		mine.Twice = true
		r.learn(q.Value, mine)
	default:
		r.ask(index.Question{Kind: index.AskTwice, Value: q.Value}, r.shared)
		r.learn(q.Value, *q.Claim)
		r.learn(q.Value, mine)
	}
}

func (r *rules) hearDecision(q *index.Question, answered bool) {
	t := r.get(q.Trace)
	if t == nil || !t.Data.asked {
		return
	}
	t.Data.asked = false
	if answered && q.Decided {
		r.apply(t, q.Decision)
	} else if !t.Data.ghost {
		r.apply(t, index.Decision{}) // as if nothing were known: it stays
	}
}

// wanted asks for what is waited for.
func (r *rules) wanted() (qs []index.Question) {
	for t := range r.win.All() {
		switch {
		case t.Data.ghost && t.Data.state == undecided:
			qs = append(qs, index.Question{Kind: index.AskFate, Trace: t.ID})
		case t.Data.queued && t.Data.prev == nil: // once for all that wait for it
			qs = append(qs, index.Question{Kind: index.AskClient, Value: t.Data.value})
		}
	}
	return qs
}

// overdue takes traces off the list of those that wait, and looks once more for
// the clients of their roots.
func (r *rules) overdue(due []*trace) ([]*trace, bool) {
	for range sweepSize {
		t := r.win.Due(r.now)
		if t == nil {
			return due, false
		}
		r.win.Overdue(t)
		r.ask(index.Question{Kind: index.AskClient, Value: t.Data.value}, r.shared && t.Data.queued)
		due = append(due, t)
	}
	return due, true
}

func (r *rules) sayStay(t *trace) {
	head := top(t)
	switch {
	case !r.shared:
		r.expire(t)
	case !head.Data.asked:
		head.Data.asked = true
		r.tally.expired++
		r.asks = append(r.asks, index.Question{Kind: index.AskDecide, Trace: head.ID})
	}
}
