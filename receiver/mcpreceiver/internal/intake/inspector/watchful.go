package inspector

import (
	"context"
	"io"
	"net/http"
	"strings"
	"time"
)

// watchful gives up responses whose body is silent for too long, so that a
// connection which is dead and was not closed is noticed.
type watchful struct {
	next    http.RoundTripper
	silence time.Duration
}

// RoundTrip implements http.RoundTripper.
func (w *watchful) RoundTrip(r *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancel(r.Context())
	timer := time.AfterFunc(w.silence, cancel)
	response, err := w.next.RoundTrip(r.WithContext(ctx))
	if err != nil {
		timer.Stop()
		cancel()
		return nil, err
	}
	response.Body = &watchedBody{response.Body, timer, w.silence, cancel}
	return response, nil
}

type watchedBody struct {
	io.ReadCloser
	timer   *time.Timer
	silence time.Duration
	cancel  context.CancelFunc
}

// Read implements io.Reader.
func (b *watchedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if n > 0 {
		b.timer.Reset(b.silence)
	}
	return n, err
}

// Close implements io.Closer.
func (b *watchedBody) Close() error {
	b.timer.Stop()
	b.cancel()
	return b.ReadCloser.Close()
}

// neighbours is where the other endpoints of the server are.
func neighbours(events string) string {
	path, _, _ := strings.Cut(events, "?")
	return strings.TrimSuffix(strings.TrimRight(path, "/"), "/events")
}
