// Package push serves the endpoints that messages, hooks and Inspector events are POSTed
// to.
package push

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"time"

	"github.com/otelcol-mcp/otelcol-mcp/internal/session"
	"github.com/otelcol-mcp/otelcol-mcp/receiver/mcpreceiver/internal/intake"
	"github.com/otelcol-mcp/otelcol-mcp/receiver/mcpreceiver/internal/intake/body"
)

// The endpoints.
const (
	ObservationsPath = "/v1/observations"
	InspectorPath    = "/v1/inspector/events"
)

// Register adds the push endpoints to mux.
func Register(mux *http.ServeMux, runner *intake.Runner) {
	mux.Handle(ObservationsPath, &endpoint{runner, ObservationsPath, isJSON, handleObservations, 0})
	mux.Handle(InspectorPath, &endpoint{runner, InspectorPath, isInspector, handleEvents, 0})
	registerHooks(mux, runner)
}

// endpoint is one way to push. It is safe for concurrent use.
type endpoint struct {
	runner *intake.Runner
	path   string
	accept func(mediaType string) bool
	handle handler
	wait   time.Duration // that the sender has at most, 0 any
}

// handler applies everything in the body to the transaction. It counts in t what is
// good and bad; its error is the transaction's.
type handler func(ctx context.Context, tx *session.Tx, p *pushed, t *tally) error

// pushed is one request.
type pushed struct {
	body       []byte
	media      string
	url.Values // of the query
	now        int64
	intake.Request
	header  http.Header // of the request
	invalid func(reason string)
}

// ServeHTTP implements http.Handler.
func (e *endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	media := mediaType(r, e.accept)
	switch {
	case r.Method != http.MethodPost:
		w.Header().Set("Allow", http.MethodPost)
		e.fail(w, r, http.StatusMethodNotAllowed, "method", "send messages with POST")
		return
	case !e.accept(media):
		e.fail(w, r, http.StatusUnsupportedMediaType, "content type", "set Content-Type to application/json or application/x-ndjson")
		return
	}
	if e.runner.Storable(r.Context()) != nil {
		w.Header().Set("Retry-After", "1")
		e.fail(w, r, http.StatusServiceUnavailable, "storage", "the storage cannot be written now: send this again later")
		return
	}
	text, err := body.Read(r, e.runner.Bodies, e.runner.BodyBytes)
	if err != nil {
		e.unread(w, r, err)
		return
	}
	defer text.Recycle()
	query := intake.QueryOf(r)
	e.serve(w, r, &pushed{body: text.Bytes(), media: media, Values: query, Request: intake.RequestOf(r, query), header: r.Header})
}

// fail answers a request of which not even the items are known.
func (e *endpoint) fail(w http.ResponseWriter, r *http.Request, code int, reason, text string) {
	e.runner.Rejected(r.Context(), e.path, reason, 1)
	http.Error(w, text, code)
}

func (e *endpoint) serve(w http.ResponseWriter, r *http.Request, p *pushed) {
	ctx := r.Context()
	if e.wait > 0 {
		limited, cancel := context.WithTimeout(ctx, e.wait)
		defer cancel()
		ctx = limited
	}
	var t tally
	var invalid map[string]int64
	err := e.runner.Run(ctx, e.path, func(tx *session.Tx, now int64) error {
		t = tally{}
		clear(invalid)
		p.now = now
		p.invalid = func(reason string) {
			if invalid == nil {
				invalid = map[string]int64{}
			}
			invalid[reason]++
		}
		err := e.handle(ctx, tx, p, &t)
		t.dropped = tx.Counts()[session.Flood]
		return err
	})
	if errors.Is(err, errTooMany) {
		e.fail(w, r, http.StatusRequestEntityTooLarge, "too many", err.Error())
		return
	}
	if intake.Kept(err) {
		// Pipelines have it: sent again it would be recorded twice, so that a failure is
		// not the sender's but the next one's.
		_ = e.runner.Store(ctx)
	}
	if err != nil {
		e.runner.Rejected(ctx, e.path, refusal(err), t.accepted)
		refuse(w, err)
		return
	}
	for reason, n := range invalid {
		e.runner.Invalid(ctx, e.path, reason, n)
	}
	if p.BadContext {
		e.runner.BadContexts(ctx, e.path, 1)
	}
	e.runner.Accepted(ctx, e.path, t.accepted)
	if t.rejected > 0 {
		e.runner.Rejected(ctx, e.path, "malformed", t.rejected)
	}
	t.write(w)
}

// refusal is the reason under which a refused body is counted.
func refusal(err error) string {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return "client gone"
	}
	return "pipeline refused"
}
