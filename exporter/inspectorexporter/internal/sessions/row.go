package sessions

import (
	"slices"
	"time"

	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// Values of [Row.State], the words of the web UI.
const (
	Running = "running"
	Idle    = "idle"
	Waiting = "waiting"
	Stalled = "stalled"
	Failed  = "failed"
	Done    = "done"
)

// States lists the values of [Row.State], those that want attention first.
var States = []string{Stalled, Waiting, Running, Idle, Failed, Done}

// Values of [Row.Status] that are no [Row.State], the words of the Inspector.
const (
	paused    = "paused"
	completed = "completed"
	cancelled = "cancelled"
)

// Row is one session as the web UI shows it; the schema Session of openapi.yaml.
type Row struct {
	ID         string `json:"id"`
	OriginalID string `json:"original_id,omitempty"`
	Status     string `json:"status"`
	State      string `json:"state"`
	About
	Place
	StartedAt Time `json:"started_at"`
	Ending
	LastSeen    Time       `json:"last_seen"`
	Phase       string     `json:"phase,omitempty"`
	PhaseSince  Time       `json:"phase_since,omitzero"`
	CurrentTask string     `json:"current_task,omitempty"`
	Waiting     *Wait      `json:"waiting,omitempty"`
	Stalled     *Stall     `json:"stalled,omitempty"`
	HostError   *HostError `json:"host_error,omitempty"`
	Context
	OpenCalls []OpenCall `json:"open_calls"`
	OpenCount int        `json:"open_call_count"`
	Totals
	SpanCount  int64 `json:"span_count"`
	TraceBytes int64 `json:"trace_bytes"`
	TraceEpoch int   `json:"trace_epoch"`
	Restored   bool  `json:"restored,omitempty"` // it is open, and this run was told nothing of it
	// NoRecordSince is set while a session that was at work has had no state record for
	// longer than is usual: what it does is unknown.
	NoRecordSince Time `json:"no_record_since,omitzero"`

	foreign bool // no marker told of it, so perhaps nothing tells of its end
	wire    bool // it is nothing but an agent's connection to an MCP server
	naming
}

// Place is where the session's root is.
type Place struct {
	TraceID      string `json:"trace_id,omitempty"`
	RootSpanID   string `json:"root_span_id,omitempty"`
	SessionEpoch int64  `json:"session_epoch,omitempty"`
}

// Ending is how the session ended, if it has.
type Ending struct {
	EndedAt    Time   `json:"ended_at,omitzero"`
	DurationMS int64  `json:"duration_ms,omitempty"`
	EndReason  string `json:"end_reason,omitempty"`
	Error      string `json:"error,omitempty"`
}

// Wait is what a session waits for.
type Wait struct {
	Kind   string `json:"kind,omitempty"` // approval, question, elicitation, signal
	Name   string `json:"name,omitempty"`
	Tool   string `json:"tool,omitempty"`   // that is to be allowed
	Detail string `json:"detail,omitempty"` // the command, the file or the question
	Prompt string `json:"prompt,omitempty"`
	SpanID string `json:"span_id,omitempty"`
	Since  Time   `json:"since"`
}

// Stall is why a session counts as stalled.
type Stall struct {
	Reason string `json:"reason"` // host_silent, call_stuck, silent
	Detail string `json:"detail,omitempty"`
	Since  Time   `json:"since"`
}

// HostError is what the host last failed at, unless it went on since.
type HostError struct {
	Type       string `json:"type,omitempty"`
	Message    string `json:"message,omitempty"`
	Retrying   bool   `json:"retrying,omitempty"`
	RetryCount int64  `json:"retry_count,omitempty"`
	Time       Time   `json:"time"`
}

// OpenCall is a call that runs.
type OpenCall struct {
	SpanID    string `json:"span_id"`
	TraceID   string `json:"trace_id"`
	Name      string `json:"name"`
	Detail    string `json:"detail,omitempty"`
	About     string `json:"about,omitempty"` // the command, the file, the address
	StartedAt Time   `json:"started_at"`
	Stuck     bool   `json:"stuck,omitempty"`
}

// silentAfter is when a session that is open but of which nothing comes counts
// as stalled: later than the receiver's own limits.
const silentAfter = Time(time.Hour)

// foreignAfter is when a session of somebody else's instrumentation counts as
// done: nothing need tell of its end.
const foreignAfter = Time(10 * time.Minute)

// wireAfter is when an agent's connection to an MCP server rests if no call is open: it
// says nothing until the agent calls a tool, and many agents never close it.
const wireAfter = Time(time.Minute)

// maxOpenShown is how many open calls a row lists.
const maxOpenShown = 16

// conclude sets what follows from the rest, as of now.
func (r *Row) conclude(now Time, rec *recorded) {
	r.NoRecordSince = 0
	if rec != nil && rec.epoch >= r.SessionEpoch { // decided where the session is kept
		if r.State == Running && now-r.LastSeen > silentAfter {
			r.NoRecordSince = r.LastSeen
		}
		return
	}
	if r.Stalled != nil && r.Stalled.Reason == silent {
		r.Stalled = nil
	}
	r.State = r.state(now)
	if r.State == Stalled && r.Stalled == nil {
		r.Stalled = &Stall{Reason: silent, Since: r.LastSeen}
	}
	r.Status = r.status()
}

const silent = "silent"

func (r *Row) state(now Time) string {
	switch {
	case r.EndedAt != 0 && r.EndReason == mcpconv.EndStalled:
		return Stalled
	case r.EndedAt != 0 && r.Status == Failed:
		return Failed
	case r.EndedAt != 0:
		return Done
	case r.Stalled != nil:
		return Stalled
	case r.Waiting != nil:
		return Waiting
	case r.foreign && r.OpenCount == 0 && now-r.LastSeen > foreignAfter:
		return Done
	case r.rests(), r.wire && r.OpenCount == 0 && now-r.LastSeen > wireAfter:
		return Idle
	case now-r.LastSeen > silentAfter:
		return r.quiet()
	}
	return Running
}

// quiet is the state of a session of which nothing comes: an alarm only where a sign
// of life was to be expected, which telemetry alone does not promise.
func (r *Row) quiet() string {
	switch {
	case r.foreign:
		return Done
	case len(r.Sources) > 0 && !slices.ContainsFunc(r.Sources, isLive):
		return Idle
	}
	return Stalled
}

func isLive(source string) bool {
	return source != mcpconv.SourceLogs && source != mcpconv.SourceSpans
}

// rests reports whether the host said that it waits for the next prompt, and no
// call runs: that it then says nothing more is no alarm.
func (r *Row) rests() bool { return r.Phase == mcpconv.PhaseIdle && r.OpenCount == 0 }

// status is the Inspector's word; of a session that ended it is known already.
func (r *Row) status() string {
	switch {
	case r.EndedAt != 0:
		return r.Status
	case r.State == Waiting:
		return paused
	case r.State == Done:
		return completed
	}
	return Running
}
