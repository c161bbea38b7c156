package push

import (
	"context"

	"github.com/otelcol-mcp/otelcol-mcp/internal/session"
	"github.com/otelcol-mcp/otelcol-mcp/receiver/mcpreceiver/internal/intake"
)

// HandleObservations applies what a body pushed to [ObservationsPath] holds,
// without HTTP: what benchmarks measure. session is what a header names.
func HandleObservations(ctx context.Context, tx *session.Tx, now int64, session string, body []byte) error {
	return handleObservations(ctx, tx, direct(now, session, body), &tally{})
}

// HandleEvents is HandleObservations for JSON pushed to [InspectorPath].
func HandleEvents(ctx context.Context, tx *session.Tx, now int64, session string, body []byte) error {
	return handleEvents(ctx, tx, direct(now, session, body), &tally{})
}

func direct(now int64, session string, body []byte) *pushed {
	return &pushed{body: body, now: now, Request: intake.Request{Session: session}, invalid: func(string) {}}
}
