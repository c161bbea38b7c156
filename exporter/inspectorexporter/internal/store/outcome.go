package store

import (
	"sync"
	"time"
)

// outcome is whether files can be written. It is safe for concurrent use.
type outcome struct {
	report func(error) // of each change; may be nil
	now    func() time.Time

	mu    sync.Mutex
	err   error     // of the last write
	retry time.Time // no write before, while there is one
}

func (o *outcome) failing() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.err
}

// due reports whether writing may work: to compress what waits again and again
// takes time that others need.
func (o *outcome) due() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.err == nil || !o.now().Before(o.retry)
}

// set reports the first time that a file could not be written, and the first that
// all could.
func (o *outcome) set(err error) {
	o.mu.Lock()
	changed := (err == nil) != (o.err == nil)
	o.err, o.retry = err, o.now().Add(retryEvery)
	o.mu.Unlock()
	if changed && o.report != nil {
		o.report(err)
	}
}
