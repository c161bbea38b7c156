package inspectorwire

import (
	"encoding/json"

	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonscan"
)

// Types of events. Others occur and are to be taken as they are.
const (
	TypeConnected       = "Connected"
	TypeSessionStarted  = "SessionStarted"
	TypeSessionFinished = "SessionFinished"
	TypeHeartbeat       = "Heartbeat"
	TypeWaitingOnSignal = "WaitingOnSignal"
	TypeSignalReceived  = "SignalReceived"
	TypeProgressUpdate  = "ProgressUpdate"
	TypeResourceFetched = "ResourceFetched"
	TypePromptUsed      = "PromptUsed"
)

// Values of [Event.Status].
const (
	StatusCompleted = "completed"
	StatusFailed    = "failed"
	StatusCancelled = "cancelled"
)

// EngineInbound is the [Event.Engine] of a session that a remote caller opened.
const EngineInbound = "inbound"

// Event is one Inspector event as seen on the wire. Its strings and Values
// alias the decoded text: they are valid as long as that is unchanged, and who
// keeps one clones it. Fields that the event's type does not have are zero; so
// are absent ones and numbers and times that cannot be read.
type Event struct {
	Raw       string // the event's JSON text as sent, with every member
	Type      string // one of the Type constants or any other; never empty
	SessionID string // empty for Connected and the idle keep-alive
	Time      int64  // `timestamp`, Unix ns
	EventID   int64  // counts per sending process, from 1

	// Invalid says what breaks the event's schema, in words that hold nothing
	// of the event; empty when nothing does.
	Invalid string
	// Sanitized tells that the text held bytes that are not UTF-8. Then the
	// event, Raw too, comes from a copy with U+FFFD in their place.
	Sanitized bool

	// SessionStarted
	Engine    string // as sent, but EngineInbound for all its spellings
	Title     string
	StartTime int64 // Unix ns

	Finish // SessionFinished
	Deltas // Heartbeat

	// WaitingOnSignal and SignalReceived
	SignalName string
	Prompt     string         // WaitingOnSignal only
	Schema     jsonscan.Value // WaitingOnSignal only: any JSON but null

	// ResourceFetched
	URI      string
	MimeType string
	Bytes    int64
	HasBytes bool

	// PromptUsed
	TemplateID string
	Parameters jsonscan.Value // an object unless Invalid

	// ProgressUpdate
	ProgressToken string // of a number, its text
	Percent       float64
	HasPercent    bool

	Message string // ProgressUpdate and Connected
}

// Finish holds what the end of a session says.
type Finish struct {
	Status     string // one of the Status constants unless Invalid
	EndTime    int64  // Unix ns
	ErrorText  string
	DurationMS float64 // milliseconds; never negative, and fits an int64 as ns
}

// Deltas hold what was added since the session's last heartbeat. Negative ones are
// handed on.
type Deltas struct{ LLMCallsDelta, TokensDelta, ToolCallsDelta int64 }

// Writer is the writer that a Connected frame names, empty if it names none.
func (e *Event) Writer() string {
	var named struct {
		Writer string `json:"writer_id"`
	}
	if json.Unmarshal([]byte(e.Raw), &named) != nil {
		return ""
	}
	return named.Writer
}
