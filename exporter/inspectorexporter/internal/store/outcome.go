package store

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// ErrLost is returned by [Store.Err], and given to [Options.Failed], while lines are lost.
var ErrLost = errors.New("session files lack lines")

// lossEvery is the time between two reports of lost lines, and from the last one until all is well.
const lossEvery = time.Minute

// outcome holds the result of keeping lines. It is safe for concurrent use.
type outcome struct {
	report func(error) // see Options.Failed; may be nil
	now    func() time.Time

	mu       sync.Mutex
	err      error     // of the last write
	retry    time.Time // no write before, while there is one
	lost     int       // lines since all was well
	lostAt   time.Time // the last one
	told     int       // of lost
	failed   bool      // the last report was an error
	reported time.Time
}

// failing is the error of the last write.
func (o *outcome) failing() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.err
}

// health is the error of the last write, and of lost lines.
func (o *outcome) health() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.state()
}

func (o *outcome) state() error {
	if o.lost == 0 || o.now().Sub(o.lostAt) >= lossEvery {
		return o.err
	}
	lost := fmt.Errorf("%w: %d were lost", ErrLost, o.lost)
	if o.err != nil {
		return fmt.Errorf("%w: %w", lost, o.err)
	}
	return fmt.Errorf("%w because the disk does not keep up", lost)
}

// lose counts lines that are in no file.
func (o *outcome) lose(lines int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.lost += lines
	o.lostAt = o.now()
}

// due reports whether writing may work: to compress what waits again and again
// takes time that others need.
func (o *outcome) due() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.err == nil || !o.now().Before(o.retry)
}

// set notes what became of a write.
func (o *outcome) set(err error) {
	o.mu.Lock()
	o.err, o.retry = err, o.now().Add(retryEvery)
	o.mu.Unlock()
	o.check()
}

// run reports until ctx is done. The writer cannot do it: it may hang.
func (o *outcome) run(ctx context.Context) {
	tick := time.NewTicker(flushEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			o.check()
		}
	}
}

// check reports what has changed.
func (o *outcome) check() {
	o.mu.Lock()
	now, err := o.now(), o.state()
	due := (err != nil) != o.failed || o.lost > o.told && now.Sub(o.reported) >= lossEvery
	if due {
		o.failed, o.reported, o.told = err != nil, now, o.lost
	}
	if err == nil {
		o.lost, o.told = 0, 0
	}
	o.mu.Unlock()
	if due && o.report != nil {
		o.report(err)
	}
}
