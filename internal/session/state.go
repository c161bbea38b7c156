package session

import (
	"github.com/otelcol-mcp/otelcol-mcp/internal/identity"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session/store"
)

// SessionState has all that a row of a session shows, as of one moment. The one
// with the greatest epoch, then sequence, replaces all others of the session.
type SessionState struct {
	Session   *store.SessionRecord
	Sequence  int64         // grows with each state of a session, through all its epochs
	Name      string        // mcpconv.State…
	Totals    store.Summary // of all epochs
	LastError string        // the text of the one that ended last; payload
	Calls     []RunningCall // the oldest calls that run, at most [CallsShown]
	OpenCalls int           // how many run
	Asked     *Asked        // what a person, or another program, is asked; nil if nothing is
	Stall     *Stall        // nil unless the session stalled
	End       *SessionEnd   // nil while the session is open
	Outcome   Outcome       // of the session, once it has ended
}

// RunningCall is a call that somebody waits for.
type RunningCall struct {
	*store.CallRecord
	Detail string // what it is about, by its input; payload
}

// callsShown bounds the calls of a [SessionState].
const callsShown = 16

// Asked is a question that is open.
type Asked struct {
	Kind   string // mcpconv.Wait…
	Name   string // of the signal
	Tool   string // that is to be allowed
	Detail string // the command, the file or the question; payload
	Prompt string // payload
	Span   identity.SpanID
	Since  int64 // Unix ns
}

// Stall describes why a session counts as stalled.
type Stall struct {
	Reason string // mcpconv.Stall…
	Detail string // the phase, or the tool that hangs
	Since  int64  // Unix ns
}
