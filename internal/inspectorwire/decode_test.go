package inspectorwire

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonscan"
)

// 2025-08-02T09:31:07Z
const at = 1754127067_000_000_000

var decoded = map[string]struct {
	text string
	want Event
}{
	"connected": {
		`{"type": "Connected", "message": "hello"}`,
		Event{Type: TypeConnected, Message: "hello"},
	},
	"started": {
		`{"type":"SessionStarted","session_id":"s-1","engine":"asyncio","title":"caf\u00e9","start_time":"2025-08-02T09:31:07","timestamp":"2025-08-02T09:31:08.5","event_id":7}`,
		Event{Type: TypeSessionStarted, SessionID: "s-1", Engine: "asyncio", Title: "café", StartTime: at, Time: at + 1_500_000_000, EventID: 7},
	},
	"inbound under its other name": {
		`{"type":"SessionStarted","session_id":"s-1","engine":"MCP-Inbound"}`,
		Event{Type: TypeSessionStarted, SessionID: "s-1", Engine: EngineInbound},
	},
	"an engine nobody knows": {
		`{"type":"SessionStarted","session_id":"s-1","engine":"Ray"}`,
		Event{Type: TypeSessionStarted, SessionID: "s-1", Engine: "Ray"},
	},
	"finished": {
		`{"type":"SessionFinished","session_id":"s-1","status":"failed","end_time":"2025-08-02T09:31:07Z","error":"boom","duration_ms":12.5}`,
		Event{Type: TypeSessionFinished, SessionID: "s-1", Finish: Finish{Status: StatusFailed, EndTime: at, ErrorText: "boom", DurationMS: 12.5}},
	},
	"heartbeat": {
		`{"type":"Heartbeat","session_id":"s-1","llm_calls_delta":1,"tokens_delta":-20,"tool_calls_delta":3e0,"current_span_count":9}`,
		Event{Type: TypeHeartbeat, SessionID: "s-1", Deltas: Deltas{LLMCallsDelta: 1, TokensDelta: -20, ToolCallsDelta: 3}},
	},
	"keep-alive": {
		`{"type":"Heartbeat"}`,
		Event{Type: TypeHeartbeat},
	},
	"waiting": {
		`{"type":"WaitingOnSignal","session_id":"s-1","signal_name":"approve","prompt":"Go on?","schema":{"type": "object"}}`,
		Event{Type: TypeWaitingOnSignal, SessionID: "s-1", SignalName: "approve", Prompt: "Go on?", Schema: `{"type": "object"}`},
	},
	"waiting, as the page calls it": {
		`{"type":"WaitingOnSignal","session_id":"s-1","signal_name":"approve","prompt":null,"schema":null,"signal_schema":true}`,
		Event{Type: TypeWaitingOnSignal, SessionID: "s-1", SignalName: "approve", Schema: "true"},
	},
	"signal received": {
		`{"type":"SignalReceived","session_id":"s-1","signal_name":"approve"}`,
		Event{Type: TypeSignalReceived, SessionID: "s-1", SignalName: "approve"},
	},
	"progress": {
		`{"type":"ProgressUpdate","session_id":"s-1","progress_token":7,"percent":0,"message":"starting"}`,
		Event{Type: TypeProgressUpdate, SessionID: "s-1", ProgressToken: "7", HasPercent: true, Message: "starting"},
	},
	"resource": {
		`{"type":"ResourceFetched","session_id":"s-1","uri":"file:///a","mime_type":"text/plain","bytes":0}`,
		Event{Type: TypeResourceFetched, SessionID: "s-1", URI: "file:///a", MimeType: "text/plain", HasBytes: true},
	},
	"prompt": {
		`{"type":"PromptUsed","session_id":"s-1","template_id":"t","parameters":{"a": [1]}}`,
		Event{Type: TypePromptUsed, SessionID: "s-1", TemplateID: "t", Parameters: `{"a": [1]}`},
	},
	"unknown": {
		`{"type":"DiskSpaceLow","free":{"type":"bytes"},"status":3,"percent":"low"}`,
		Event{Type: "DiskSpaceLow"},
	},
	"members of other types are left alone": {
		`{"type":"Heartbeat","uri":7,"status":"failed","message":"x"}`,
		Event{Type: TypeHeartbeat},
	},
	"type last, escaped names": {
		`{"engine":"temporal","session\u005fid":"s-1","\u0074ype":"SessionStarted"}`,
		Event{Type: TypeSessionStarted, SessionID: "s-1", Engine: "temporal"},
	},
	"the last duplicate counts": {
		`{"type":"Heartbeat","session_id":"s-1","type":"SignalReceived","session_id":"s-2"}`,
		Event{Type: TypeSignalReceived, SessionID: "s-2"},
	},
}

func TestDecode(t *testing.T) {
	for name, tc := range decoded {
		t.Run(name, func(t *testing.T) {
			var e Event
			require.NoError(t, DecodeText(tc.text, &e))
			tc.want.Raw = tc.text
			assert.Equal(t, tc.want, e)
		})
	}
}

func TestDecodeSaysWhatIsInvalid(t *testing.T) {
	for text, want := range map[string]string{
		`{"type":"SessionStarted"}`:                                                      "session_id is missing",
		`{"type":"SignalReceived","session_id":""}`:                                      "session_id is missing",
		`{"type":"SessionStarted","session_id":7}`:                                       "session_id is not a string",
		`{"type":"SessionFinished","session_id":"s"}`:                                    "status is not completed, failed or cancelled",
		`{"type":"SessionFinished","session_id":"s","status":"OK"}`:                      "status is not completed, failed or cancelled",
		`{"type":"SessionFinished","session_id":"s","status":"failed","error":{}}`:       "error is not a string",
		`{"type":"SessionFinished","session_id":"s","status":"failed","duration_ms":-1}`: "duration_ms is out of range",
		`{"type":"WaitingOnSignal","session_id":"s"}`:                                    "signal_name is missing",
		`{"type":"ResourceFetched","session_id":"s"}`:                                    "uri is missing",
		`{"type":"ResourceFetched","session_id":"s","uri":"u","bytes":"7"}`:              "bytes is not an integer",
		`{"type":"PromptUsed","session_id":"s"}`:                                         "template_id is missing",
		`{"type":"PromptUsed","session_id":"s","template_id":"t","parameters":[]}`:       "parameters is not an object",
		`{"type":"ProgressUpdate","session_id":"s","percent":1}`:                         "progress_token is missing",
		`{"type":"ProgressUpdate","session_id":"s","progress_token":"p"}`:                "percent is missing",
		`{"type":"ProgressUpdate","session_id":"s","progress_token":"p","percent":""}`:   "percent is not a number",
		`{"type":"Heartbeat","tokens_delta":1.5}`:                                        "tokens_delta is not an integer",
		`{"type":"Heartbeat","event_id":"1"}`:                                            "event_id is not an integer",
		`{"type":"Later","timestamp":"yesterday"}`:                                       "timestamp is not an ISO 8601 time of the years 1970 to 2261",
	} {
		var e Event
		require.NoError(t, DecodeText(text, &e), text)
		assert.Equal(t, want, e.Invalid, text)
		assert.Equal(t, text, e.Raw)
		assert.NotEmpty(t, e.Type)
	}
}

func TestWhatIsInvalidIsKeptAsFarAsItGoes(t *testing.T) {
	var e Event
	require.NoError(t, DecodeText(`{"type":"SessionFinished","session_id":7,"status":"lost","error":{"a":1}}`, &e))
	assert.Equal(t, "7", e.SessionID)
	assert.Equal(t, "lost", e.Status)
	assert.JSONEq(t, `{"a":1}`, e.ErrorText)
}

func TestDecodeRefuses(t *testing.T) {
	for text, want := range map[string]string{
		``:                           "invalid JSON at byte 0: expected a value",
		`{"type":"Heartbeat"`:        "invalid JSON at byte 19: expected a comma",
		`[]`:                         ErrNotObject.Error(),
		`"Heartbeat"`:                ErrNotObject.Error(),
		`{}`:                         ErrNoType.Error(),
		`{"type":""}`:                ErrNoType.Error(),
		`{"type":7}`:                 ErrNoType.Error(),
		`{"type":"Heartbeat"} {}`:    ErrTrailing.Error(),
		"{\"type\":\"\"}\xff":        ErrNoType.Error(),
		`{"Type":"Heartbeat"}`:       ErrNoType.Error(),
		`{"type":"Heartbeat",}`:      "invalid JSON at byte 20: expected a member name",
		"{\"type\":\"Heart\nbeat\"}": "invalid JSON at byte 14: control character in a string",
	} {
		e := Event{Type: "left over"}
		require.EqualError(t, DecodeText(text, &e), want, text)
		assert.Zero(t, e, text)
	}
}

func TestBadUTF8IsReplacedInThatItemOnly(t *testing.T) {
	body := []byte("{\"type\":\"SessionStarted\",\"session_id\":\"s\xff\",\"\xc3\":1}{\"type\":\"é\"}")
	var c jsonscan.Cursor
	c.Reset(body)
	var e Event
	require.NoError(t, Decode(&c, &e))
	assert.Equal(t, Event{
		Raw:       "{\"type\":\"SessionStarted\",\"session_id\":\"s\uFFFD\",\"\uFFFD\":1}",
		Type:      TypeSessionStarted,
		SessionID: "s\uFFFD",
		Sanitized: true,
	}, e)
	require.NoError(t, Decode(&c, &e))
	assert.Equal(t, Event{Raw: `{"type":"é"}`, Type: "é"}, e)
}
