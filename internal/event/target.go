package event

import "context"

// Target accepts events: sessions do, and so do tests. The event and its
// envelope are valid during the call only.
type Target interface {
	Apply(ctx context.Context, env *Envelope, e Event) error
}
