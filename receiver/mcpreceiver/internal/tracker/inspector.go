package tracker

import (
	"context"
	"hash/maphash"
	"math"
	"strings"

	"github.com/otelcol-mcp/otelcol-mcp/internal/identity"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
	"github.com/otelcol-mcp/otelcol-mcp/receiver/mcpreceiver/internal/wire"
)

// Inspector statuses (SessionFinished).
const (
	statusFailed    = "failed"
	statusCancelled = "cancelled"
)

// Start is what the start of a session tells.
type Start struct {
	Title  string
	Engine string
	Time   int64 // Unix ns, 0 if it is not told
	Raw    string
}

// Started opens a session, or one more level of an open one.
func (tx *Tx) Started(ctx context.Context, o *Observation, e Start) error {
	s, err := tx.inspected(ctx, o, opens)
	if err != nil {
		return err
	}
	if e.Raw != "" && s.again(maphash.String(seed, e.Raw)) {
		tx.note(Repeated)
		return nil
	}
	tx.mark(&s.Invalid, o)
	if e.Title != "" {
		s.Title = strings.Clone(wire.Cut(e.Title, tx.t.opt.TextBytes))
	}
	if s.Engine == "" {
		s.Engine = strings.Clone(wire.Cut(e.Engine, peerBytes))
	}
	if e.Time > 0 {
		s.Start = min(s.Start, e.Time)
	}
	s.starts++
	s.sawStart = true
	tx.closeWaits(s, o.Time, false)
	tx.announce(s)
	return nil
}

// again tells whether the session's last starts include one of these bytes: a
// body that is sent twice must not open two levels.
func (s *Session) again(raw uint64) bool {
	for _, seen := range s.started {
		if seen == raw {
			return true
		}
	}
	s.started[s.starts&1] = raw
	return false
}

// mark notes the first thing that was wrong.
func (tx *Tx) mark(invalid *string, o *Observation) {
	tx.note(o.Invalid)
	*invalid = first(*invalid, o.Invalid)
}

// Finish is what the end of a session tells.
type Finish struct {
	Status string
	Error  string
	Start  int64 // Unix ns, 0 if it is not told
	Time   int64 // the same
}

// Finished closes one level of a session, and the session when it was the last.
// The worst status wins: the application's own finish always says completed.
func (tx *Tx) Finished(ctx context.Context, o *Observation, e Finish) error {
	s, err := tx.inspected(ctx, o, beat)
	if err != nil || s.ended != 0 {
		return err
	}
	tx.mark(&s.Invalid, o)
	if e.Start > 0 && !s.sawStart {
		s.Start = min(s.Start, e.Start)
	}
	tx.announce(s)
	tx.worsen(s, e)
	if s.starts--; s.starts > 0 {
		tx.closeWaits(s, o.Time, false)
		return nil
	}
	if e.Time == 0 {
		e.Time = o.Time
	}
	tx.end(s, e.Time, mcpconv.EndFinished)
	return nil
}

// worsen takes over a status that is worse than what the session has.
func (tx *Tx) worsen(s *Session, e Finish) {
	switch {
	case e.Status == statusFailed && !s.Failed:
		s.Failed = true
	case e.Status == statusCancelled && !s.Failed && !s.Cancelled:
		s.Cancelled = true
	default:
		return
	}
	if tx.t.opt.KeepPayloads {
		s.held += int64(len(e.Error) - len(s.ErrorText))
		s.ErrorText = strings.Clone(e.Error)
	}
}

// Waiting opens a wait for a signal; the former one is over.
func (tx *Tx) Waiting(ctx context.Context, o *Observation, name, prompt, schema, raw string) error {
	s, err := tx.inspected(ctx, o, opens)
	if err != nil {
		return err
	}
	tx.announce(s)
	hash := maphash.String(seed, raw)
	for _, w := range s.waits {
		if w.raw == hash && w.Start == o.Time {
			tx.note(Repeated)
			return nil
		}
	}
	tx.closeWaits(s, o.Time, false)
	w := &Wait{Name: strings.Clone(wire.Cut(name, tx.t.opt.TextBytes)), Start: o.Time, raw: hash}
	if tx.t.opt.KeepPayloads {
		w.Prompt, w.Schema = strings.Clone(prompt), strings.Clone(schema)
		s.held += int64(len(prompt) + len(schema))
	}
	w.Trace, w.Parent = s.traceOf()
	tx.mark(&w.Invalid, o)
	w.Span = identity.Span(w.Trace, identity.Wait, s.Identity, w.Name, decimal(w.Start))
	s.waits = append(s.waits[:len(s.waits):len(s.waits)], w)
	tx.count(s)
	tx.sink.WaitStarted(s, w, s.marker(w.Span))
	return nil
}

var seed = maphash.MakeSeed()

// Resumed ends the session's waits.
func (tx *Tx) Resumed(ctx context.Context, o *Observation) error {
	s, err := tx.inspected(ctx, o, opens)
	if err != nil {
		return err
	}
	tx.note(o.Invalid)
	tx.announce(s)
	tx.closeWaits(s, o.Time, false)
	return nil
}

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
	tx.notice(s, o, &Notice{Name: mcpconv.SpanInspector + e.Type, Event: e, Invalid: o.Invalid})
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
	name := mcpconv.SpanInspector + wire.Cut(e.Type, tx.t.opt.TextBytes)
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
	tx.notice(s, o, &Notice{Name: name, Event: e, Invalid: o.Invalid})
	return nil
}

// inspected enters a session that the Inspector tells of.
func (tx *Tx) inspected(ctx context.Context, o *Observation, w weight) (*Session, error) {
	s, err := tx.enter(ctx, o, w)
	if err != nil || s == nil {
		return nil, err
	}
	s.Inspector = true
	s.learn(o, nil)
	return s, nil
}
