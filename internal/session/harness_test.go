package session

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/identity"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session/store"
)

const second = int64(time.Second)

// heard is a sink that keeps the names of what it receives.
type heard struct{ names []string }

func (h *heard) add(name string) { h.names = append(h.names, name) }

func (h *heard) SessionStarted(*store.SessionRecord, identity.SpanID) { h.add("session started") }
func (h *heard) SessionState(*SessionState)                           {}
func (h *heard) SessionEnded(e *SessionEnd)                           { h.add("session ended " + e.Reason) }

func (h *heard) CallStarted(e CallStart) { h.add("call started " + e.Call.Method) }

func (h *heard) CallEnded(e *CallEnd) { h.add("call ended " + e.Call.Method) }

func (h *heard) WaitStarted(e *WaitStart) { h.add("wait started " + e.Wait.Name) }

func (h *heard) WaitEnded(e *WaitEnd) { h.add("wait ended " + e.Wait.Name) }

func (h *heard) PhaseStarted(_ *store.SessionRecord, p *store.Phase) {
	h.add("phase started " + p.Name)
}
func (h *heard) PhaseEnded(e *PhaseEnd) { h.add("phase ended " + e.Phase.Name) }
func (h *heard) AgentStarted(_ *store.SessionRecord, a *store.Agent, _ identity.SpanID) {
	h.add("agent started " + a.ID)
}
func (h *heard) AgentEnded(e *AgentEnd)                 { h.add("agent ended " + e.Agent.ID) }
func (h *heard) Watched(w *Watch)                       { h.add(w.Name) }
func (h *heard) InBand(*InBand) (accepted, refused int) { return 0, 0 }
func (h *heard) Notice(n *Notice)                       { h.add("notice " + n.Name) }
func (h *heard) Occurred(o *Occurrence)                 { h.add("occurred " + o.Method) }

// begun is a transaction of a new Engine in which the session "s" is entered.
func begun(t *testing.T) (*Tx, *store.Session, *heard) {
	t.Helper()
	sink := &heard{}
	tx := New(Options{
		IdleTimeout: time.Minute, Linger: time.Minute, MaxSessions: 10, Remember: 24 * time.Hour, MaxSpans: 100, CallTimeout: time.Minute, MaxOpenCalls: 10,
		MaxOpenBytes: 1 << 20, ProgressEvents: 4, TextBytes: 16, KeepPayloads: true, StuckAfter: time.Hour, StalledAfter: time.Hour,
		NoticesPerSecond: 2, MaxPending: 10, Lost: func(string) {},
	}).Begin(second, sink, nil)
	s, err := tx.rules.sessions.enter(t.Context(), envelope(second), opens)
	require.NoError(t, err)
	return tx, s, sink
}

func envelope(at int64) *event.Envelope { return &event.Envelope{Session: "s", Time: at, Arrival: at} }
