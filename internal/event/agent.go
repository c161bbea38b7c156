package event

import "github.com/otelcol-mcp/otelcol-mcp/internal/identity"

// HostStatus holds what an agent host's heartbeat reports. Numbers are totals.
type HostStatus struct {
	Phase          JSON
	TokensUsed     JSON
	TokensLimit    JSON
	ToolCallsTotal JSON
	ElapsedSeconds JSON
	CurrentTask    JSON
	FilesActive    JSON // of the tools only
	Subagents      JSON // likewise
	Tool           bool // the heartbeat is the call of a tool
}

// Heartbeat is a sign of life of an agent host. Status is the Notice's Detail.
type Heartbeat struct {
	Notice
	Status HostStatus
}

// HostReportKind names a report of a host beside heartbeats.
type HostReportKind uint8

// The kinds of reports.
const (
	OtherReport HostReportKind = iota
	CompactionReport
	PressureReport
	ErrorReport
	SpawnReport // of a sub-agent without an id
)

// HostReport are the members of the rarer notifications of agent hosts.
type HostReport struct {
	Kind HostReportKind

	TokensBefore    JSON
	TokensAfter     JSON
	MessagesDropped JSON
	Reason          JSON

	TokensUsed     JSON
	TokensLimit    JSON
	ToolCallsTotal JSON
	Percent        JSON
	Threshold      JSON

	ErrorType  JSON
	Retrying   JSON
	RetryCount JSON
	Message    JSON

	Agent SubAgent
}

// HostReported is such a notification. Report is the Notice's Detail.
type HostReported struct {
	Notice
	Report HostReport
}

// SubAgent holds what is reported of a sub-agent.
type SubAgent struct {
	ID       JSON
	Type     JSON
	Task     JSON
	Model    JSON
	Duration JSON // seconds
	Outcome  JSON // success, error, timeout
	Tokens   JSON // used
}

// SelfReport holds what all events have that an agent reports of itself, through its
// hooks or its own telemetry.
type SelfReport struct {
	Notice
	Title  string // of the session; "" if it is not reported, as all of these
	Made   bool   // the agent makes a title of its own: the first of these is not a person's
	Facts  *Facts // nil if the event mentions none
	Native Native // the agent's own span of what the event reports, if a span reports it
	Turn   string // id of the turn
	// ThreadUnknown is set where the source names no sub-agent, also of what one does.
	ThreadUnknown bool
}

// Facts hold what any event may mention of the agent that reports it. What is not
// mentioned is empty.
type Facts struct {
	Version string // of the agent
	Model   string
	Window  int64    // tokens that fit into the context
	Dir     string   // working directory
	Branch  string   // of git
	Sources []string // telemetry that the agent is configured to send: mcpconv.Source…
	Process string   // id of the agent's process
}

// Native is a span that an agent made itself. It is handed on as it is, so that
// no other span needs to report the same.
type Native struct {
	Trace  identity.TraceID
	Span   identity.SpanID
	Parent identity.SpanID // zero for a root
	Start  int64           // Unix ns
	End    int64           // likewise
}

// Valid reports whether there is such a span.
func (n *Native) Valid() bool { return !n.Span.IsZero() }

// AgentStarted reports that an agent started a sub-agent. Its Notice is recorded if
// it has no id.
type AgentStarted struct {
	SelfReport
	Agent SubAgent
}

// AgentEnded reports that a sub-agent ended.
type AgentEnded struct {
	SelfReport
	Agent SubAgent
}

// SessionStarted reports that an agent's session begins, or goes on after a compaction.
type SessionStarted struct {
	SelfReport
	Internal bool // the agent talks with itself, for the session that was prompted just before
}

// SessionEnded reports that an agent's session ends.
type SessionEnded struct{ SelfReport }

// ProcessGone reports that the process of a session's agent does not run any more.
type ProcessGone struct{}

func (*ProcessGone) event() {}

// Missed reports that the receiver may lack what happened in a session in a time, Unix ns: it
// could not be reached, or stood still.
type Missed struct {
	From, Until int64
	HooksKept   bool // hooks waited for it, and came: only telemetry may be lost
}

func (*Missed) event() {}

// SpanOfTrace is a span of a program that is no agent that is known. Its Native is the span.
type SpanOfTrace struct {
	SelfReport
	Derived bool // nothing names a session: it is that of the trace, and ends with its root
	Root    bool
}

// PromptSubmitted reports that a person asks the agent to work: a turn begins.
type PromptSubmitted struct {
	SelfReport
	Prompt  JSON
	Unasked bool // the agent may have begun by itself: where hooks report prompts, they tell
}

// TurnEnded reports that the agent waits for the next prompt, or that the turn failed.
type TurnEnded struct {
	SelfReport
	Failed     bool
	Type       string // of the error
	Text       string // likewise
	Certain    bool   // if it had failed, that would be reported: of hooks it always is
	Output     JSON   // the agent's last message, a string; "" if it is not reported
	Unprompted bool   // it may be a command of the agent's own: other reports tell whether a person asked something
}

// CompactionStarted reports that the agent begins to compact its context.
type CompactionStarted struct {
	SelfReport
	Manual  bool // a person asked for it, between two turns
	Endless bool // its end will not be reported
}

// CompactionEnded reports that the compaction is over. Its start may not have been
// reported. What is not known is empty.
type CompactionEnded struct {
	SelfReport
	Before   int64 // tokens in the context
	After    int64
	Duration int64 // ns
	Failed   bool
	Trigger  string // auto, manual
}

// ApprovalRequested reports that a person is asked for something.
type ApprovalRequested struct {
	SelfReport
	Call     JSON // id of the call; "" if it is not told, as the next one
	Tool     JSON // that is to be allowed
	Input    JSON
	SubAgent JSON
	Reminder bool // an agent that rests says so to remind of itself only
}

// ApprovalAnswered reports that a person answered what was asked.
type ApprovalAnswered struct {
	SelfReport
	Call JSON // id of the call that was asked for; "" if it is not told
}

// ToolUse is a call of a tool as its agent reports it.
type ToolUse struct {
	ID       JSON // "" if the agent gives none
	Tool     JSON
	Input    JSON
	Server   string // "" for an agent's own tool
	SubAgent JSON
	Duration JSON // ms, without the time in which a person was asked
	Output   JSON

	Name      string // of the tool as its MCP server calls it; "" for an agent's own tool, or if it is not known
	Decision  string // accept, reject; "" if it is not reported, as the next two
	Decider   string // who decided: config, hook, user_temporary …, as sent
	ErrorType string
	OnWire    bool  // it is the call of an MCP client or server, which may be another layer of its agent's
	InSize    int64 // bytes of the input; 0 if it is not reported
	OutSize   int64 // bytes of the output, likewise
	Start     int64 // Unix ns; 0 if it follows from Duration
	End       int64 // Unix ns; 0 if it is the envelope's time
}

// ToolStarted reports that the agent is about to call a tool.
type ToolStarted struct {
	SelfReport
	Use  ToolUse
	Asks bool // the tool asks a person something
}

// ToolEnded reports that a tool returned, or failed.
type ToolEnded struct {
	SelfReport
	Use         ToolUse
	Failed      bool
	Interrupted bool
	Text        string // of the failure
}

// ToolDenied reports that the agent itself refused to call a tool.
type ToolDenied struct {
	SelfReport
	Use    ToolUse
	Reason string
	Rests  bool // the agent waits for a person then, unless it reports that it goes on
}

// ToolNamed is which tool of which MCP server a call is of that was reported before.
// It begins nothing. Use has the call as it was reported, with Server and Name.
type ToolNamed struct {
	SelfReport
	Use ToolUse
}

// About is the activity itself; events that embed it have it too.
func (a *SelfReport) About() *SelfReport { return a }
