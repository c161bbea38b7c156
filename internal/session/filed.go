package session

import "context"

// Filed notes the root that the session's trace has in a file, or where else it
// was written by who made it: the session's own root is only derived then, and
// links to it. A session that is not open is not concerned.
func (tx *Tx) Filed(ctx context.Context, session string, root Context) error {
	e, err := tx.touch(ctx, bySession, session)
	if err != nil || e.s == nil || e.s.ended != 0 {
		return err
	}
	roots := Roots{File: root}
	if e.s.Roots != nil {
		roots.Former = e.s.Roots.Former
	}
	e.s.Roots, e.s.Derived = &roots, true
	return nil
}
