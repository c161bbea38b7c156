package events

import (
	"context"
	"time"

	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
	"github.com/otelcol-mcp/otelcol-mcp/internal/retry"
)

// poll asks again and again until something fails.
func (s *subscription) poll(ctx context.Context) error {
	for {
		result, err := s.pollOnce(ctx)
		if err != nil {
			return s.pollFailed(ctx, err)
		}
		s.is(Poll, stateActive)
		moved, err := s.polled(ctx, result)
		if err != nil {
			return err
		}
		next := nextPoll(result)
		switch {
		case result.Bool("hasMore") && moved:
			continue
		case result.Bool("hasMore"): // and nothing in hand: at once, but for the floor
			next = pollFloor
		}
		if !retry.Sleep(ctx, next) {
			return ctx.Err()
		}
	}
}

// pollFailed records what a server answers to the poll of an active subscription in
// place of events, and returns errOver if that ends the subscription. Errors of polls
// that are tried again are not recorded again.
func (s *subscription) pollFailed(ctx context.Context, err error) error {
	fault := faultMembers(err)
	if fault == nil || !s.active() {
		return err
	}
	method, cause := mcpconv.EventsError, err
	switch meaningOf(err, s.src.speaks()) {
	case meansExpired: // after reports the gap
		return err
	case meansForbidden, meansNotFound:
		method, cause = mcpconv.EventsTerminated, errOver
	}
	if err := s.about(ctx, method, fault, Poll); err != nil {
		return err
	}
	return cause
}

// nextPoll is when the server wants to be asked again, but not too soon.
func nextPoll(result members) time.Duration {
	next := result.Number("nextPollMs") * float64(time.Millisecond)
	if seconds := result.Number("nextPollSeconds"); seconds > 0 {
		next = seconds * float64(time.Second)
	}
	return max(pollFloor, time.Duration(min(next, float64(time.Hour))))
}

// pollOnce is the result for this subscription, in either form.
func (s *subscription) pollOnce(ctx context.Context) (members, error) {
	params := s.request()
	if s.src.speaks() == Draft1 {
		params = map[string]any{"subscriptions": []any{params}}
	}
	if s.src.MaxEvents > 0 {
		params["maxEvents"] = s.src.MaxEvents
	}
	result, err := s.src.peer.Call(ctx, mcpconv.MethodEventsPoll, params)
	if err != nil {
		return nil, err
	}
	entries, batched := result["results"]
	s.src.heardOf(result, batched)
	if !batched {
		return result, nil
	}
	for _, raw := range (members{"results": entries}).List("results") {
		if entry := parseMembers(raw); entry.Text("id") == s.position.subscriptionID() {
			if fault := entry.Object("error"); fault != nil {
				return nil, errorOf(fault)
			}
			return entry, nil
		}
	}
	return nil, errNoReply
}

// polled records what a poll brought, then the cursor behind it; moved if there
// were events, and another cursor: the same page again, for ever, is no progress.
func (s *subscription) polled(ctx context.Context, result members) (moved bool, err error) {
	cursor := result.Cursor()
	if result.Bool("truncated") {
		if err := s.gap(ctx, nil, s.position.current(), Poll); err != nil {
			return false, err
		}
	}
	list := result.List("events")
	for i, raw := range list {
		if ctx.Err() != nil {
			return false, ctx.Err() // the rest comes again: the cursor is before it
		}
		var page *string // the cursor behind the last event of the page
		if i == len(list)-1 {
			page = cursor
		}
		if err := s.event(ctx, raw, Poll, page); err != nil {
			return false, err
		}
	}
	kept := s.position.move(cursor)
	s.src.Seen.Put(ctx, kept...)
	return len(list) > 0 && len(kept) > 0, nil
}
