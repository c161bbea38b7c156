package event

import "github.com/otelcol-mcp/otelcol-mcp/internal/identity"

// WorkflowStarted reports that an Inspector's session begins, or one more level of it.
type WorkflowStarted struct {
	Title  string
	Engine string
	Time   int64 // Unix ns, 0 if it is not told
	Raw    string
	Extra  JSON // an object of the members that have no field here; "" if there are none
}

// Statuses of [WorkflowFinished].
const (
	WorkflowCompleted = "completed"
	WorkflowFailed    = "failed"
	WorkflowCancelled = "cancelled"
)

// WorkflowFinished reports that one level of an Inspector's session ends.
type WorkflowFinished struct {
	Status string
	Error  string
	Start  int64 // Unix ns, 0 if it is not told
	Time   int64 // likewise
	Extra  JSON  // as of a start
}

// WaitStarted reports that an Inspector's session waits for a signal.
type WaitStarted struct {
	Name   string
	Prompt string
	Schema JSON
	Raw    string
}

// WaitEnded reports that the signal came.
type WaitEnded struct{ Name string }

// WorkflowUsage is an Inspector's heartbeat. Deltas is the Notice's Detail.
type WorkflowUsage struct {
	Notice
	Deltas Deltas
}

// WorkflowReported is any other event of the Inspector.
type WorkflowReported struct{ Notice }

// Closed reports that a process or connection ended, and its session with it.
type Closed struct {
	Reason   string
	ExitCode *int64 // nil if it is not known
}

// TransportChanged is a change of a transport's status.
type TransportChanged struct {
	Notice
	Status TransportStatus
}

// FileRootFound reports that the session's trace has a root of its own in a file, which
// was not handed on yet.
type FileRootFound struct {
	Root identity.Context
	// Derived is set when the event is applied: the session's own root, if that was
	// sent already and could not link to this one. Root is to link to it then.
	Derived identity.Context
}

// Occurrence holds what a server reports to a subscription of MCP Events:
// something that occurred, or something about the subscription. It belongs to
// no session and needs no envelope. Its strings are kept.
type Occurrence struct {
	Method       string // mcpconv.EventOccurred, EventsError, EventsGap or EventsTerminated
	Endpoint     string // of the server, as configured
	Server       string // the server's own name, "" if it did not say
	ID           string // eventId, or what stands for one that is missing
	Name         string // of the type of event
	Cursor       string
	Data         string // JSON
	Subscription string
	Generation   string // g1, g2, g3
	Delivery     string // poll, push, webhook
	Time         int64  // when it occurred, Unix ns; 0: when it arrived
	Code         string // of the error
	Message      string // of the error
	Traceparent  string
	Tracestate   string
	Params       string // JSON, if they hold what has no field here
	Nameless     bool   // ID only stands for one that is missing
	Invalid      string
}

func (*WorkflowStarted) event()  {}
func (*WorkflowFinished) event() {}
func (*WaitStarted) event()      {}
func (*WaitEnded) event()        {}
func (*Closed) event()           {}
func (*FileRootFound) event()    {}
func (*Occurrence) event()       {}
