package session

import (
	"context"
	"slices"
	"strings"

	"github.com/cespare/xxhash/v2"

	"github.com/otelcol-mcp/otelcol-mcp/internal/identity"
	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonrpc"
)

// Waiting opens a wait for a signal; the former one is over.
func (tx *Tx) Waiting(ctx context.Context, o *Observation, name, prompt, schema, raw string) error {
	s, err := tx.inspected(ctx, o, opens)
	if err != nil {
		return err
	}
	tx.announce(s)
	hash := xxhash.Sum64String(raw)
	for _, w := range s.waits {
		if w.raw == hash && w.Start == o.Time {
			tx.note(Repeated)
			return nil
		}
	}
	tx.closeWaits(s, o.Time, false)
	w := &Wait{Name: strings.Clone(jsonrpc.Cut(name, tx.t.opt.TextBytes)), Start: o.Time, raw: hash}
	if tx.t.opt.KeepPayloads {
		w.Prompt, w.Schema = strings.Clone(prompt), strings.Clone(schema)
		s.held += int64(len(prompt) + len(schema))
	}
	w.Trace, w.Parent = s.traceOf()
	tx.mark(&w.Invalid, o)
	w.Span = identity.Span(w.Trace, identity.Wait, s.Identity, w.Name, decimal(w.Start))
	s.waits = append(slices.Clip(s.waits), w)
	tx.count(s)
	tx.sink.WaitStarted(s, w, s.marker(w.Span))
	return nil
}

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

// closeWaits ends all waits of the session.
func (tx *Tx) closeWaits(s *Session, at int64, incomplete bool) {
	for _, w := range s.waits {
		end := max(at, w.Start)
		s.Summary.WaitingNs += end - w.Start
		s.held -= w.bytes()
		tx.count(s)
		tx.sink.WaitEnded(&WaitEnd{Session: s, Wait: w, Time: end, Incomplete: incomplete})
	}
	s.waits = nil
}
