package session

import (
	"context"
	"strings"

	"github.com/cespare/xxhash/v2"

	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonrpc"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
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
	if e.Raw != "" && s.again(xxhash.Sum64String(e.Raw)) {
		tx.note(Repeated)
		return nil
	}
	tx.mark(&s.Invalid, o)
	if e.Title != "" {
		s.Title = strings.Clone(jsonrpc.Cut(e.Title, tx.t.opt.TextBytes))
	}
	if s.Engine == "" {
		s.Engine = strings.Clone(jsonrpc.Cut(e.Engine, peerBytes))
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
