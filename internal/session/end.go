package session

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/otelcol-mcp/otelcol-mcp/internal/identity"
	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonrpc"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// End takes an end record: the session is closed. exit is the process's exit
// code, nil if it is not known.
func (tx *Tx) End(ctx context.Context, o *Observation, reason string, exit *int64) error {
	s, err := tx.enter(ctx, o, beat)
	if err != nil || s.ended != 0 {
		return err
	}
	s.learn(o, nil)
	tx.mark(&s.Invalid, o)
	tx.announce(s)
	if exit != nil {
		code := *exit
		s.Exit, s.Failed = &code, s.Failed || code != 0
	}
	tx.end(s, o.Time, endReason(reason))
	return tx.endCarried(ctx, o, s, reason, exit)
}

// endReason is the reason as far as it is one of ours.
func endReason(reason string) string {
	for _, known := range []string{mcpconv.EndFinished, mcpconv.EndIdle, mcpconv.EndEvicted, mcpconv.EndShutdown} {
		if reason == known {
			return known
		}
	}
	return mcpconv.EndClosed
}

// Transport takes a transport's change of status.
func (tx *Tx) Transport(ctx context.Context, o *Observation, status string) error {
	s, err := tx.enter(ctx, o, late)
	if err != nil {
		return err
	}
	s.learn(o, nil)
	if s.ended == 0 {
		tx.announce(s)
	}
	s.TransportStatus = strings.Clone(jsonrpc.Cut(status, peerBytes))
	if status == "reconnecting" {
		s.Reconnects++
	}
	tx.notice(s, o, Notice{
		Name: mcpconv.SpanTransport, Status: jsonrpc.Cut(status, peerBytes), Invalid: first(invalidStatus(status), o.Invalid),
	})
	return nil
}

func invalidStatus(status string) string {
	switch status {
	case "connected", "disconnected", "reconnecting":
		return ""
	}
	return "transport_status is not connected, disconnected or reconnecting"
}

// end closes the session: first what is open in it, then itself.
func (tx *Tx) end(s *Session, at int64, reason string) {
	at = max(at, s.Start)
	s.Last = max(s.Last, at)
	if !s.moved {
		for _, c := range s.openCalls() {
			if c.dropped {
				s.cancelledAt = s.cancelledAt.with(c.key().hash(), at)
			}
			tx.close(s, c, CallEnd{Time: at, Incomplete: true})
		}
		tx.closeAgents(s, at)
		tx.closeWaits(s, at, reason != mcpconv.EndFinished)
		tx.closePhase(s, at, true)
	}
	s.ended = max(tx.now, 1)
	if s.Connection {
		return
	}
	tx.sink.SessionEnded(&SessionEnd{
		Session: s, Time: at, Reason: reason, Summary: identity.Span(s.Trace, identity.Summary),
		Host: tx.hostRoot(s),
	})
}

// openCalls are the session's open calls, oldest first.
func (s *Session) openCalls() []*Call {
	calls := make([]*Call, 0, s.open())
	for c := range s.everyOpen {
		calls = append(calls, c)
	}
	slices.SortFunc(calls, inOrder)
	return calls
}

// inOrder compares calls by their start; the rest makes it certain.
func inOrder(a, b *Call) int {
	return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.Connection, b.Connection),
		cmp.Compare(a.ID, b.ID), cmp.Compare(side(a.FromClient), side(b.FromClient)))
}

// Finish ends what cannot outlive the body: the calls of messages that belong
// to neither a session nor a connection. It comes before Commit.
func (tx *Tx) Finish() {
	if tx.alone != nil && tx.alone.ended == 0 {
		tx.end(tx.alone, tx.alone.Last, mcpconv.EndClosed)
	}
}

func decimal(n int64) string { return strconv.FormatInt(n, 10) }
