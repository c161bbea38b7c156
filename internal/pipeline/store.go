package pipeline

import "context"

// Store returns when what was accepted before the call is stored, if a crash must
// not lose it. If it cannot be stored it is kept in memory, and stored as soon as
// that is possible.
func (r *Runner) Store(ctx context.Context) error {
	if r.Sync == nil {
		return nil
	}
	err := r.Sync(ctx)
	r.unstored.Store(err != nil)
	return err
}

// Storable is an error if what was accepted last still cannot be stored: nothing
// more is to be accepted from senders that can send it again.
func (r *Runner) Storable(ctx context.Context) error {
	if !r.unstored.Load() {
		return nil
	}
	return r.Store(ctx)
}
