package events

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"github.com/tmaxmax/go-sse"

	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

var errStreamEnded = errors.New("the stream ended")

// push reads a stream until it ends. In the first draft one stream carries all subscriptions.
func (s *subscription) push(ctx context.Context) error {
	if s.src.speaks() == Draft1 {
		return s.src.hub.join(ctx, s)
	}
	return s.src.stream(ctx, s.request(), func(string) *subscription { return s })
}

// stream opens a stream and hands what it carries to the subscriptions that of
// finds, until it ends.
func (src *source) stream(ctx context.Context, params map[string]any, of func(id string) *subscription) error {
	response, id, err := src.peer.Stream(ctx, mcpconv.MethodEventsStream, params)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if mediaType(response) != "text/event-stream" {
		return src.instead(response, id)
	}
	for event, err := range sse.Read(response.Body, &sse.ReadConfig{MaxEventSize: maxFrame}) {
		if err == nil {
			err = ctx.Err() // the buffer may hold more frames
		}
		if err != nil {
			return err
		}
		if over, err := src.frame(ctx, json.RawMessage(event.Data), id, of); over {
			return err
		}
	}
	return errStreamEnded
}

// instead reads an answer that should have been a stream.
func (src *source) instead(response *http.Response, id string) error {
	if _, err := src.peer.Reply(response, id); err != nil {
		return err
	}
	return &httpError{Status: http.StatusNotAcceptable}
}

// frame handles one message of a stream; over if it was the last.
func (src *source) frame(ctx context.Context, raw json.RawMessage, id string, of func(string) *subscription) (over bool, err error) {
	m := parseMembers(raw)
	method := m.Text("method")
	switch {
	case method == "" && m.Text("id") == id:
		if _, err := resultOf(m); err != nil {
			return true, err
		}
		return true, errStreamEnded
	case !strings.HasPrefix(method, mcpconv.EventsPrefix):
		return false, nil
	}
	params := m.Object("params")
	_, batched := params["id"]
	if method == mcpconv.EventsListChanged {
		src.changed()
		return false, nil
	}
	s := of(params.Text("id"))
	if s == nil {
		src.Runner.Dropped(ctx, Label, "unknown subscription", 1)
		return false, nil
	}
	src.heardOf(nil, batched)
	if err = s.notified(ctx, method, m["params"], params); err == nil {
		return false, nil
	}
	return src.single(s, err), err
}

// single reports whether the end of one subscription ends the stream: it does not
// in the first draft, where others go on.
func (src *source) single(s *subscription, err error) bool {
	if src.speaks() == Draft1 && !errors.Is(err, context.Canceled) {
		src.hub.leave(s, err)
		return false
	}
	return true
}

// notified handles a notification of a stream. An error ends the subscription.
func (s *subscription) notified(ctx context.Context, method string, raw json.RawMessage, params members) error {
	switch method {
	case mcpconv.EventOccurred:
		s.is(Push, stateActive)
		if err := s.event(ctx, raw, Push, nil); err != nil {
			return err
		}
		s.src.Seen.Put(ctx, s.position.move(params.Cursor())...)
		return nil
	case mcpconv.EventsActive:
		return s.began(ctx, params)
	case mcpconv.NotificationBeat:
		s.src.Seen.Put(ctx, s.position.move(params.Cursor())...)
		return nil
	case mcpconv.EventsError:
		return s.faulted(ctx, params.Object("error"))
	case mcpconv.EventsTerminated:
		if err := s.about(ctx, method, params.Object("error"), Push); err != nil {
			return err
		}
		return errOver
	}
	return nil
}

// began notes that a stream begins, or that there is a gap in it. A stream that is opened again
// and has no cursor to begin from has a gap as well: what occurred in between was
// kept by nobody.
func (s *subscription) began(ctx context.Context, params members) error {
	s.mu.Lock()
	first := s.fresh
	s.fresh = false
	s.mu.Unlock()
	again := !first && s.position.current() == nil
	s.is(Push, stateActive)
	cursor := params.Cursor()
	if params.Bool("truncated") || again {
		return s.gap(ctx, nil, cursor, Push)
	}
	kept := s.position.move(cursor)
	if first && len(kept) == 0 {
		kept = s.position.mark()
	}
	s.src.Seen.Put(ctx, kept...)
	return nil
}

// faulted handles an error in a stream: in the first draft it is about the
// subscription, later about a moment.
func (s *subscription) faulted(ctx context.Context, fault members) error {
	err := errorOf(fault)
	what := meaningOf(err, s.src.speaks())
	if what == meansExpired { // after reports the gap
		return err
	}
	if e := s.about(ctx, mcpconv.EventsError, fault, Push); e != nil {
		return e
	}
	if s.src.speaks() == Draft1 && what != meansTemporary {
		return err
	}
	return nil
}
