package sessions

import (
	"cmp"
	"time"
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
	// Between UnknownFrom and UnknownUntil something may have happened that is not known.
	UnknownFrom  Time `json:"unknown_from,omitzero"`
	UnknownUntil Time `json:"unknown_until,omitzero"`
}

// Place is where the session's root is.
type Place struct {
	TraceID      string `json:"trace_id,omitempty"`
	RootSpanID   string `json:"root_span_id,omitempty"`
	SessionEpoch int64  `json:"session_epoch,omitempty"`
	// StateSequence is that of the last state record, 0 without one.
	StateSequence int64 `json:"state_sequence,omitempty"`
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

// plainAfter is when a trace without state records counts as done: nothing need tell of
// its end.
const plainAfter = Time(10 * time.Minute)

// maxOpenShown is how many open calls a row lists.
const maxOpenShown = 16

// recorded reports whether the row is what a state record says.
func (r *Row) recorded() bool { return r.StateSequence != 0 }

// noRecordAfter is how long a session that is at work may be without a state record: its
// receiver then sends one at least every 30 seconds.
const noRecordAfter = Time(time.Minute)

// conclude sets what follows from the rest, as of now.
func (s *session) conclude(now Time) {
	r := &s.row
	r.NoRecordSince = 0
	switch {
	case !r.recorded():
		s.plain.show(r, now)
	case r.EndedAt == 0 && r.State != Idle && now-s.recordAt > noRecordAfter:
		r.NoRecordSince = s.recordAt
	}
	r.Restored = !s.live && r.EndedAt == 0
	r.Status = r.status()
}

// show writes how the trace stands into its row.
func (p *plain) show(r *Row, now Time) {
	r.Ending, r.Waiting = Ending{}, nil
	r.State = Running
	switch {
	case p.end != 0 && p.last <= p.end:
		r.EndedAt, r.Error = max(p.end, r.StartedAt), p.err
		r.DurationMS = int64(r.EndedAt-r.StartedAt) / 1e6
		r.State = Done
		if p.failed {
			r.State = Failed
		}
	case now-r.LastSeen > plainAfter:
		r.State = Done
	case p.paused != 0 && p.working <= p.paused:
		r.State, r.Waiting = Waiting, &Wait{Name: paused, Since: p.paused}
	}
	r.Title = cmp.Or(p.title, p.name)
}

// status is the Inspector's word.
func (r *Row) status() string {
	switch {
	case r.EndedAt != 0 && r.recorded():
		return r.Status // the record's
	case r.State == Failed:
		return Failed
	case r.State == Done:
		return completed
	case r.State == Waiting:
		return paused
	}
	return Running
}
