package push

import (
	"context"

	"github.com/otelcol-mcp/otelcol-mcp/internal/session"
	"github.com/otelcol-mcp/otelcol-mcp/receiver/mcpreceiver/internal/intake/reqmeta"
)

// TakeObservations tells tx what a body pushed to [ObservationsPath] holds,
// without HTTP: what benchmarks measure. session is what a header names.
func TakeObservations(ctx context.Context, tx *session.Tx, now int64, session string, body []byte) error {
	return takeObservations(ctx, tx, direct(now, session, body), &tally{})
}

// TakeEvents is TakeObservations for JSON pushed to [InspectorPath].
func TakeEvents(ctx context.Context, tx *session.Tx, now int64, session string, body []byte) error {
	return takeEvents(ctx, tx, direct(now, session, body), &tally{})
}

func direct(now int64, session string, body []byte) *pushed {
	return &pushed{body: body, now: now, Request: reqmeta.Request{Session: session}, invalid: func(string) {}}
}
