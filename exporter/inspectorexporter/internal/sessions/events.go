package sessions

import (
	"encoding/json"
	"strings"
)

// Event is one of the reference Inspector's events; the schemas in openapi.yaml.
// The stream adds timestamp and event_id.
type Event struct {
	Type       string          `json:"type"`
	SessionID  string          `json:"session_id"`
	Engine     *string         `json:"engine,omitempty"`
	Title      *string         `json:"title,omitempty"`
	StartTime  Time            `json:"start_time,omitzero"`
	Status     string          `json:"status,omitempty"`
	EndTime    Time            `json:"end_time,omitzero"`
	Error      string          `json:"error,omitempty"`
	DurationMS int64           `json:"duration_ms,omitempty"`
	SignalName *string         `json:"signal_name,omitempty"`
	Prompt     string          `json:"prompt,omitempty"`
	Schema     json.RawMessage `json:"schema,omitempty"`
	Signal     json.RawMessage `json:"signal_schema,omitempty"`
	LLMCalls   *int64          `json:"llm_calls_delta,omitempty"`
	Tokens     *int64          `json:"tokens_delta,omitempty"`
	ToolCalls  *int64          `json:"tool_calls_delta,omitempty"`
	*Fetched
	*Prompted
	*Progressed
	Timestamp Time  `json:"timestamp"`
	EventID   int64 `json:"event_id"`
}

// Fetched is what ResourceFetched has besides.
type Fetched struct {
	URI      string `json:"uri"`
	MimeType string `json:"mime_type,omitempty"`
	Bytes    *int64 `json:"bytes,omitempty"`
}

// Prompted is what PromptUsed has besides.
type Prompted struct {
	TemplateID string          `json:"template_id"`
	Parameters json.RawMessage `json:"parameters,omitempty"` // an object
}

// Progressed is what ProgressUpdate has besides.
type Progressed struct {
	Token   string  `json:"progress_token"`
	Percent float64 `json:"percent"`
	Message string  `json:"message,omitempty"`
}

// maxSchema is how long a schema may be to be part of an event.
const maxSchema = 4 << 10

// objectOf is JSON that begins with a brace, as [schemaOf].
func objectOf(text string) json.RawMessage {
	if !strings.HasPrefix(strings.TrimLeft(text, " \t\r\n"), "{") {
		return nil
	}
	return schemaOf(text)
}

// schemaOf is the text as JSON, nil if it is none, or too long to be part of an event.
func schemaOf(text string) json.RawMessage {
	if text == "" || len(text) > maxSchema || !json.Valid([]byte(text)) {
		return nil
	}
	return json.RawMessage(text)
}
