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
	timer.Stop() // until somebody reads
	response.Body = &watchedBody{response.Body, timer, w.silence, cancel}
	return response, nil
}

type watchedBody struct {
	io.ReadCloser
	timer   *time.Timer
	silence time.Duration
	cancel  context.CancelFunc
}

// Read implements io.Reader. Only the time in which it waits counts: whoever
// reads may be busy for as long.
func (b *watchedBody) Read(p []byte) (int, error) {
	b.timer.Reset(b.silence)
	defer b.timer.Stop()
	return b.ReadCloser.Read(p)
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
