package session

import (
	"context"

	"github.com/otelcol-mcp/otelcol-mcp/internal/identity"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session/store"
)

// keepFileRoot remembers a root that was read from a file before its session is known.
// As many are remembered as sessions that ended; the oldest make room.
func (tx *transports) keepFileRoot(ctx context.Context, session string, root identity.Context) error {
	if len(session) > idBytes {
		return nil
	}
	e, err := tx.store.Touch(ctx, store.ByFile, session)
	if err != nil {
		return err
	}
	kept := &store.Session{}
	kept.ID, kept.Ended, kept.Roots = e.Name(), max(tx.store.Now(), 1), &store.Roots{File: root}
	e.SetSession(kept)
	return nil
}

// takeFileRoot gives a session that begins the root that was read for it, if there is
// one.
func (tx *transports) takeFileRoot(ctx context.Context, s *store.Session) error {
	e, err := tx.store.TouchExtra(ctx, store.ByFile, s.ID)
	if err != nil {
		return err
	}
	if kept := e.Session(); kept != nil {
		setFileRoot(s, kept.Roots.File)
		e.SetSession(nil)
	}
	return nil
}
