package intake

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"
)

// IdleError says that a server sent nothing for as long.
type IdleError struct{ Timeout time.Duration }

// Error implements error.
func (e *IdleError) Error() string { return fmt.Sprintf("the server sent nothing for %v", e.Timeout) }

// IdleTransport wraps another one: its requests fail with an [IdleError] if Timeout
// passes before the response begins, and reading their bodies if it passes in one
// Read. It is safe for concurrent use if Next is.
type IdleTransport struct {
	Next    http.RoundTripper // nil for the default one
	Timeout time.Duration
}

// RoundTrip implements http.RoundTripper.
func (t *IdleTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	next := t.Next
	if next == nil {
		next = http.DefaultTransport
	}
	ctx, cancel := context.WithCancelCause(r.Context())
	idle := &IdleError{t.Timeout}
	timer := time.AfterFunc(t.Timeout, func() { cancel(idle) })
	response, err := next.RoundTrip(r.WithContext(ctx))
	timer.Stop() // until the body is read
	if err != nil {
		defer cancel(nil)
		return nil, orIdle(ctx, idle, err)
	}
	response.Body = &idleBody{response.Body, timer, ctx, cancel, idle}
	return response, nil
}

// orIdle is idle if that is why a request failed.
func orIdle(ctx context.Context, idle *IdleError, err error) error {
	if err != nil && errors.Is(context.Cause(ctx), idle) {
		return idle
	}
	return err
}

type idleBody struct {
	io.ReadCloser
	timer  *time.Timer
	ctx    context.Context //nolint:containedctx // of the request
	cancel context.CancelCauseFunc
	idle   *IdleError
}

// Read implements io.Reader. Only the time in which it waits counts: the reader
// may be busy for as long.
func (b *idleBody) Read(p []byte) (int, error) {
	b.timer.Reset(b.idle.Timeout)
	defer b.timer.Stop()
	n, err := b.ReadCloser.Read(p)
	if err == io.EOF {
		return n, err
	}
	return n, orIdle(b.ctx, b.idle, err)
}

// Close implements io.Closer.
func (b *idleBody) Close() error {
	b.timer.Stop()
	b.cancel(nil)
	return b.ReadCloser.Close()
}
