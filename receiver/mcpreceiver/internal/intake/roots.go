package intake

import (
	"context"

	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/identity"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session"
)

// LinkRoot links the root that a session's trace has in a file, and which is about
// to be handed on, with the root that the session has here: whichever is sent later
// links to the other. If the sessions cannot be asked, only a link is lost.
func (r *Runner) LinkRoot(ctx context.Context, endpoint, id string, root ptrace.Span) {
	found := event.FileRootFound{
		Root: identity.Context{Trace: identity.TraceID(root.TraceID()), Span: identity.SpanID(root.SpanID())},
	}
	err := r.Run(ctx, endpoint, func(tx *session.Tx, _ int64) error {
		return tx.Apply(ctx, &event.Envelope{Session: id}, &found)
	})
	if err == nil && found.Derived.Valid() {
		link := root.Links().AppendEmpty()
		link.SetTraceID([16]byte(found.Derived.Trace))
		link.SetSpanID([8]byte(found.Derived.Span))
	}
}
