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
			return err
		}
		s.is(Poll, stateActive)
		moved, err := s.polled(ctx, result)
		if err != nil {
			return err
		}
		next := nextPoll(result)
		switch {
		case result.yes("hasMore") && moved:
			continue
		case result.yes("hasMore"): // and nothing in hand: at once, but for the floor
			next = pollFloor
		}
		if !retry.Sleep(ctx, next) {
			return ctx.Err()
		}
	}
}

// nextPoll is when the server wants to be asked again, but not too soon.
func nextPoll(result members) time.Duration {
	next := result.number("nextPollMs") * float64(time.Millisecond)
	if seconds := result.number("nextPollSeconds"); seconds > 0 {
		next = seconds * float64(time.Second)
	}
	return max(pollFloor, time.Duration(min(next, float64(time.Hour))))
}

// pollOnce is the result for this subscription, in either form.
func (s *subscription) pollOnce(ctx context.Context) (members, error) {
	params := s.request()
	if s.src.speaks() == G1 {
		params = map[string]any{"subscriptions": []any{params}}
	}
	if s.src.MaxEvents > 0 {
		params["maxEvents"] = s.src.MaxEvents
	}
	result, err := s.src.peer.call(ctx, mcpconv.MethodEventsPoll, params)
	if err != nil {
		return nil, err
	}
	entries, batched := result["results"]
	s.src.heardOf(result, batched)
	if !batched {
		return result, nil
	}
	for _, raw := range (members{"results": entries}).list("results") {
		if entry := parse(raw); entry.text("id") == s.named() {
			if fault := entry.object("error"); fault != nil {
				return nil, faultOf(fault)
			}
			return entry, nil
		}
	}
	return nil, errNoAnswer
}

// polled records what a poll brought, then the cursor behind it; moved if there
// were events, and another cursor: the same page again, for ever, is no progress.
func (s *subscription) polled(ctx context.Context, result members) (moved bool, err error) {
	cursor := result.cursor()
	if result.yes("truncated") {
		if err := s.gap(ctx, nil, s.at(), Poll); err != nil {
			return false, err
		}
	}
	list := result.list("events")
	for _, raw := range list {
		if err := s.event(ctx, raw, Poll); err != nil {
			return false, err
		}
	}
	kept := s.move(cursor)
	s.src.Book.put(ctx, kept...)
	return len(list) > 0 && len(kept) > 0, nil
}
