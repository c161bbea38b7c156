// Package retry spaces attempts: exponential back-off with jitter (cenkalti/backoff), so
// that those that fail at the same moment do not retry in step. It honours the delay that
// a server asks for.
package retry

import (
	"context"
	"errors"
	"time"

	"github.com/cenkalti/backoff/v5"
)

// jitter bounds the difference of a delay from the calculated one, as a part of it.
const jitter = 0.25

// Backoff gives the delays between attempts. It is for one goroutine.
type Backoff struct{ exponential backoff.ExponentialBackOff }

// New makes a back-off whose first delay is about the first, whose next ones
// double, and none of which is longer than the longest.
func New(first, longest time.Duration) *Backoff {
	return &Backoff{backoff.ExponentialBackOff{
		InitialInterval: first, RandomizationFactor: jitter, Multiplier: 2,
		MaxInterval: time.Duration(float64(longest) / (1 + jitter)),
	}}
}

// Reset begins again with the first delay: an attempt succeeded.
func (b *Backoff) Reset() { b.exponential.Reset() }

// Next returns how long to wait after an attempt that failed with err: the delay that
// err has from [After], else the next one.
func (b *Backoff) Next(err error) time.Duration {
	if asked, ok := errors.AsType[*backoff.RetryAfterError](err); ok {
		return asked.Duration
	}
	return b.exponential.NextBackOff()
}

// Wait lets the delay after an attempt that failed with err pass; it is false if
// ctx is done before.
func (b *Backoff) Wait(ctx context.Context, err error) bool { return Sleep(ctx, b.Next(err)) }

// Do calls attempt until it succeeds or ctx is done, which is its error then, or
// attempt fails with a [Permanent] error, or for the tries-th time; 0 tries are
// any number.
func Do(ctx context.Context, b *Backoff, tries uint, attempt func() error) error {
	_, err := backoff.Retry(ctx, func() (struct{}, error) { return struct{}{}, attempt() },
		backoff.WithBackOff(&b.exponential), backoff.WithMaxTries(tries), backoff.WithMaxElapsedTime(0))
	return err
}

// Permanent marks an error that another attempt would meet again: [Do] stops at
// it and returns err. It is nil for nil.
func Permanent(err error) error { return backoff.Permanent(err) }

// After adds to an error how long its sender asks to wait; 0 adds nothing.
func After(err error, d time.Duration) error {
	if d <= 0 {
		return err
	}
	return &delayed{err, backoff.RetryAfterError{Duration: d}}
}

// delayed is an error with a delay. Its text is the error's.
type delayed struct {
	error
	after backoff.RetryAfterError
}

// Unwrap lets errors.Is and errors.As find both.
func (d *delayed) Unwrap() []error { return []error{d.error, &d.after} }

// Sleep lets d pass; it is false if ctx is done before.
func Sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
