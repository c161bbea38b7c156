package mcpprocessor

import (
	"errors"

	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/processor/mcpprocessor/internal/window"
)

// leave leaves of the parcel what the error says was refused, and reports whether
// that is anything. More than the parcel held is about something else.
func leave(p *window.Parcel, err error) bool {
	part, ok := errors.AsType[consumererror.Traces](err)
	if !ok {
		return true
	}
	if n := part.Data().SpanCount(); n < p.Spans {
		p.Bytes = p.Bytes * int64(n) / int64(p.Spans)
		p.Traces, p.Spans = part.Data(), n
	}
	return p.Spans > 0
}

// withKept says of a batch that was refused in part that the rest of it was not
// taken either: who sends the part again sends all of it.
func withKept(err error, kept ptrace.Traces) error {
	part, ok := errors.AsType[consumererror.Traces](err)
	if !ok {
		return err
	}
	all := ptrace.NewTraces()
	part.Data().CopyTo(all)
	kept.ResourceSpans().MoveAndAppendTo(all.ResourceSpans())
	return consumererror.NewTraces(err, all)
}
