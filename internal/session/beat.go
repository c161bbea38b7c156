package session

import (
	"context"
	"math"

	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonrpc"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// Beat takes a heartbeat. One that counts nothing, or comes after the end, is a
// sign of life only.
func (tx *Tx) Beat(ctx context.Context, o *Observation, e *Event) error {
	for _, n := range []*int64{&e.LLMCalls, &e.Tokens, &e.ToolCalls} {
		if *n < 0 {
			*n = 0
			tx.note(NegativeDelta)
		}
	}
	w := beat
	if e.LLMCalls == 0 && e.Tokens == 0 && e.ToolCalls == 0 {
		w = breath
	}
	s, err := tx.inspected(ctx, o, w)
	if err != nil || s == nil || s.ended != 0 || w == breath {
		return err
	}
	tx.announce(s)
	s.Summary.LLMCalls = add(s.Summary.LLMCalls, e.LLMCalls)
	s.Summary.Tokens = add(s.Summary.Tokens, e.Tokens)
	s.Summary.ToolCalls = add(s.Summary.ToolCalls, e.ToolCalls)
	tx.notice(s, o, Notice{Name: mcpconv.SpanInspector + e.Type, Event: e, Invalid: o.Invalid})
	return nil
}

// add saturates: what a client sends must not turn a sum negative.
func add(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

// Told takes any other Inspector event.
func (tx *Tx) Told(ctx context.Context, o *Observation, e *Event) error {
	s, err := tx.inspected(ctx, o, opens)
	if err != nil {
		return err
	}
	tx.announce(s)
	tx.closeWaits(s, o.Time, false)
	name := mcpconv.SpanInspector + jsonrpc.Cut(e.Type, tx.t.opt.TextBytes)
	switch e.Kind {
	case EventResource:
		name = mcpconv.SpanResource
		s.Summary.Resources++
	case EventPrompt:
		name = mcpconv.SpanPrompt
		s.Summary.Prompts++
	case EventProgress:
		name = mcpconv.SpanProgress
	}
	tx.notice(s, o, Notice{Name: name, Event: e, Invalid: o.Invalid})
	return nil
}
