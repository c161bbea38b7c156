package eventsource

import (
	"context"
	"io"
	"net/http"
	"sync"
)

// Transport answers requests by a handler, without a network, so that tests may
// have a clock of their own.
type Transport struct{ Handler http.Handler }

// RoundTrip implements http.RoundTripper.
func (t Transport) RoundTrip(r *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancel(r.Context())
	reader, writer := io.Pipe()
	context.AfterFunc(ctx, func() { _ = writer.CloseWithError(context.Canceled) })
	w := &answering{header: http.Header{}, body: writer, begun: make(chan struct{})}
	inner := r.Clone(ctx)
	if inner.Body == nil {
		inner.Body = http.NoBody
	}
	go func() {
		defer func() {
			if recover() != nil {
				w.once.Do(func() { w.broken = true; close(w.begun) })
				_ = writer.CloseWithError(io.ErrUnexpectedEOF)
				return
			}
			w.WriteHeader(http.StatusOK)
			_ = writer.Close()
		}()
		t.Handler.ServeHTTP(w, inner)
	}()
	select {
	case <-w.begun:
	case <-ctx.Done():
		cancel()
		return nil, ctx.Err()
	}
	if w.broken {
		cancel()
		return nil, io.ErrUnexpectedEOF
	}
	return &http.Response{
		StatusCode: w.status, Status: http.StatusText(w.status), Header: w.header.Clone(), Request: r,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, ContentLength: -1, Body: &closing{reader, cancel},
	}, nil
}

type closing struct {
	*io.PipeReader
	cancel context.CancelFunc
}

// Close implements io.Closer.
func (c *closing) Close() error {
	c.cancel()
	return c.PipeReader.Close()
}

type answering struct {
	header http.Header
	body   *io.PipeWriter
	once   sync.Once
	begun  chan struct{}
	status int
	broken bool
}

// Header implements http.ResponseWriter.
func (w *answering) Header() http.Header { return w.header }

// WriteHeader implements http.ResponseWriter.
func (w *answering) WriteHeader(status int) {
	w.once.Do(func() {
		w.status = status
		close(w.begun)
	})
}

// Write implements http.ResponseWriter.
func (w *answering) Write(p []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	return w.body.Write(p)
}

// Flush implements http.Flusher.
func (w *answering) Flush() { w.WriteHeader(http.StatusOK) }
