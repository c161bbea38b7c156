package sessions

import (
	"cmp"
	"slices"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-mcp/otelcol-mcp/exporter/inspectorexporter/internal/facts"
	"github.com/otelcol-mcp/otelcol-mcp/exporter/inspectorexporter/internal/recent"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// openSpan is a span that runs.
type openSpan struct {
	call   OpenCall
	wait   bool
	prompt string
}

// Opening is a span that runs, for the trace: everything known of it, but no end.
type Opening struct {
	Name   string
	Span   pcommon.SpanID
	Parent pcommon.SpanID // its root's, where nothing else is known
}

// maxOpen is how many spans of a session are known to run.
const maxOpen = 1000

// openSpans is the spans of a session that run. Calls and waits are in the order
// in which they began, so that no change needs to look at all of them.
type openSpans struct {
	byID  map[pcommon.SpanID]*openSpan
	calls []*openSpan
	waits []*openSpan
	stuck int  // how many are
	gave  bool // up: nothing came since the last stuck call timed out
}

func (o *openSpans) full() bool { return len(o.byID) >= maxOpen }

// list is the one that the span is in.
func (o *openSpans) list(span *openSpan) *[]*openSpan {
	if span.wait {
		return &o.waits
	}
	return &o.calls
}

// slot is where the span is in its list, or would be.
func slot(list []*openSpan, span *openSpan) (at int, found bool) {
	if n := len(list); n == 0 || earlier(list[n-1], span) < 0 {
		return n, false // most begin after all others
	}
	return slices.BinarySearchFunc(list, span, earlier)
}

func earlier(a, b *openSpan) int {
	return cmp.Or(cmp.Compare(a.call.StartedAt, b.call.StartedAt), cmp.Compare(a.call.SpanID, b.call.SpanID))
}

func (o *openSpans) add(id pcommon.SpanID, span *openSpan) {
	if o.byID == nil {
		o.byID = map[pcommon.SpanID]*openSpan{}
	}
	o.byID[id] = span
	list := o.list(span)
	at, _ := slot(*list, span)
	*list = slices.Insert(*list, at, span)
}

// remove is the span that no longer runs, nil if it was not known to.
func (o *openSpans) remove(id pcommon.SpanID) *openSpan {
	span := o.byID[id]
	if span == nil {
		return nil
	}
	delete(o.byID, id)
	o.mark(span, false)
	list := o.list(span)
	if at, found := slot(*list, span); found {
		*list = slices.Delete(*list, at, at+1)
	}
	return span
}

// mark notes that a span hangs, or that it moves again.
func (o *openSpans) mark(span *openSpan, stuck bool) {
	switch {
	case stuck && !span.call.Stuck:
		o.stuck++
	case !stuck && span.call.Stuck:
		o.stuck--
	}
	span.call.Stuck = stuck
}

// show writes what is open into the row.
func (o *openSpans) show(r *Row) {
	r.OpenCalls, r.OpenCount, r.Waiting = r.OpenCalls[:0], len(o.calls), nil
	for _, span := range o.calls[:min(len(o.calls), maxOpenShown)] {
		r.OpenCalls = append(r.OpenCalls, span.call)
	}
	if len(o.waits) > 0 {
		first := o.waits[0]
		r.Waiting = &Wait{Name: first.call.Detail, Prompt: first.prompt, SpanID: first.call.SpanID, Since: first.call.StartedAt}
	}
	if r.Stalled != nil && r.Stalled.Reason == stuckCall && o.stuck == 0 && !o.gave {
		r.Stalled = nil
	}
}

// giveUp takes a call that ends: one that was stuck and timed out is no sign of life.
func (o *openSpans) giveUp(id pcommon.SpanID, m pcommon.Map) {
	incomplete, _ := facts.Bool(m, mcpconv.Incomplete)
	span := o.byID[id]
	o.gave = o.gave || incomplete && span != nil && span.call.Stuck && facts.Str(m, mcpconv.ErrorCode) == mcpconv.CodeTimeout
}

// sign takes whatever else comes of the session, later than it stalled, as a sign of life.
func (o *openSpans) sign(r *Row, at Time, m pcommon.Map) {
	if incomplete, _ := facts.Bool(m, mcpconv.Incomplete); o.gave && !incomplete && r.Stalled != nil && at > r.Stalled.Since {
		if o.gave = false; o.stuck == 0 && r.Stalled.Reason == stuckCall {
			r.Stalled = nil
		}
	}
}

// maxEnded is how many spans of a session are remembered to have ended.
const maxEnded = 512

// endedSpans is the last spans that ended, so that a start which comes late opens
// nothing, and a span that comes again is not counted again.
type endedSpans struct{ recent.Ring[pcommon.SpanID] }

func (e *endedSpans) has(id pcommon.SpanID) bool { return slices.Contains(e.Items, id) }

// note reports whether the span is new.
func (e *endedSpans) note(id pcommon.SpanID) bool {
	if e.has(id) {
		return false
	}
	e.Add(id, maxEnded)
	return true
}

// keepOnly forgets all others: sessions that ended are many.
func (e *endedSpans) keepOnly(id pcommon.SpanID) {
	e.Ring = recent.Ring[pcommon.SpanID]{Items: []pcommon.SpanID{id}}
}

// forget makes the span one that may begin again.
func (e *endedSpans) forget(id pcommon.SpanID) {
	e.Ring = recent.Ring[pcommon.SpanID]{Items: slices.DeleteFunc(e.Items, func(ended pcommon.SpanID) bool { return ended == id })}
}
