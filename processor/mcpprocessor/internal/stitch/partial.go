package stitch

import (
	"errors"

	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/processor/mcpprocessor/internal/window"
)

// keepRefused reduces the batch to the part that the error says was refused, and
// reports whether anything is left. An error with more spans than the batch had is
// about something else.
func keepRefused(b *window.BatchOut, err error) bool {
	part, ok := errors.AsType[consumererror.Traces](err)
	if !ok {
		return true
	}
	if n := part.Data().SpanCount(); n < b.Spans {
		b.Bytes = b.Bytes * int64(n) / int64(b.Spans)
		b.Traces, b.Spans = part.Data(), n
	}
	return b.Spans > 0
}

// withKept adds the spans that were about to wait to an error that a batch was
// refused in part: a sender that sends the refused part again sends these too.
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
