package mcpprocessor

import (
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-mcp/otelcol-mcp/processor/mcpprocessor/internal/index"
)

// decide decides an undecided trace, if need be together with the other replicas.
func (r *rules) decide(t *trace, d index.Decision) {
	switch {
	case t.Data.state != undecided || t.Data.asked:
	case r.shared:
		t.Data.asked = true
		r.asks = append(r.asks, index.Question{Kind: index.AskDecide, Trace: t.ID, Decision: d})
	case r.replicas:
		// Nobody knows what the others decide.
		r.settle(t, t.ID, false)
	default:
		r.apply(t, d)
	}
}

// apply does what was decided.
func (r *rules) apply(t *trace, d index.Decision) {
	t.Data.asked = false
	switch {
	case t.Data.state != undecided:
	case !d.Join:
		r.settle(t, t.ID, false)
	default:
		r.join(t, d)
	}
}

func (r *rules) join(t *trace, d index.Decision) {
	r.dequeue(t)
	t.Data.root, t.Data.parent = d.Root, d.To.Span
	if fate := r.idx.Fate(d.To.Trace, r.now); fate != nil {
		r.settle(t, fate.Final, false)
		return
	}
	to := r.get(d.To.Trace)
	switch {
	case to == nil && r.replicas:
		to = r.ghost(d.To.Trace)
	case to == nil:
		r.settle(t, d.To.Trace, false) // forgotten, so it left long ago
		return
	}
	if top(to) == t {
		r.ring(t, to)
		return
	}
	hang(t, to)
}

// ring is for a trace that would join what is joined to it. Of such a ring one
// trace stays, and the others follow it.
func (r *rules) ring(t, to *trace) {
	stays := least(to)
	stays.Data.cyclic = true
	r.tally.ambiguous[cycle]++
	r.settle(t, stays.ID, false)
}

// ghost stands for a trace of which other replicas know more.
func (r *rules) ghost(id pcommon.TraceID) *trace {
	t := r.win.Stand(id)
	t.Data.ghost = true
	r.idx.AddTrace(id, r.now).Open = t.Handle
	r.ask(index.Question{Kind: index.AskFate, Trace: id}, r.shared)
	return t
}
