package failures

import (
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-mcp/otelcol-mcp/exporter/inspectorexporter/internal/facts"
	"github.com/otelcol-mcp/otelcol-mcp/exporter/inspectorexporter/internal/figures"
)

// same reports whether both spans are of one fact. What is the same as a third one is the
// same, too.
func (f *failure) same(o *failure) bool {
	return f.knownAs(o.id) || o.knownAs(f.id) || !f.also.IsEmpty() && f.also == o.also ||
		f.call != 0 && f.call == o.call ||
		f.request != 0 && f.request == o.request && f.side&asks != o.side&asks ||
		f.isBelow(o) && f.isLayer(o) || o.isBelow(f) && o.isLayer(f)
}

func (f *failure) knownAs(id pcommon.SpanID) bool {
	return !id.IsEmpty() && (f.id == id || f.also == id)
}

func (f *failure) isBelow(o *failure) bool { return o.knownAs(f.parent) }

// isLayer reports whether the span is of what the one above it is: of its other side, of its
// message to the server, or a step in another one. A tool that calls others is another fact
// than those.
func (f *failure) isLayer(above *failure) bool {
	switch {
	case f.kind == step || above.kind == step:
		return f.kind == above.kind
	case f.side&served != 0:
		return above.kind != turn && (above.side&asks != 0 || f.kind == tool && above.kind == tool)
	}
	return f.side&onWire != 0 && f.kind == tool && above.kind == tool &&
		(f.tool == "" || above.tool == "" || facts.SameTool(above.tool, f.tool))
}

// covers reports whether what o says follows from what f does: that a step around it or in it
// failed, or that the turn did, or the phase that the agent is in then.
func (f *failure) covers(o *failure) bool {
	switch {
	case o.kind == step:
		return f.kind != step && (f.isBelow(o) || o.isBelow(f))
	case o.kind == turn && f.kind == model:
		return o.endedBy(f)
	case o.kind == phase && f.kind == model:
		return within(f.end, o.start)
	}
	at := o.end
	if o.kind == phase {
		at = o.start
	}
	return o.directness() > 0 && f.directness() > o.directness() && f.end == at
}

// directness is how close a report is to what failed; it is 0 of what fails on its own.
func (f *failure) directness() int {
	switch f.kind {
	case phase:
		return 1
	case report:
		return 2
	case turn:
		return 3
	case model:
		return 4
	}
	return 0
}

// A turn ends, and the agent's phase is an error, as soon as a model fails and is not tried
// again. Several sources may see that at different times.
const (
	soon      = figures.Time(5 * time.Second)
	tolerance = figures.Time(2 * time.Second)
)

// endedBy reports whether the turn failed because the call of the model did.
func (f *failure) endedBy(call *failure) bool {
	return call.end >= f.start-tolerance && within(call.end, f.end)
}

// within reports whether what failed then may be what ended something at that time.
func within(failed, at figures.Time) bool { return failed >= at-soon && failed <= at+tolerance }
