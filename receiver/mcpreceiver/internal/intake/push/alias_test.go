package push

import (
	"bytes"
	"maps"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-mcp/otelcol-mcp/receiver/mcpreceiver/internal/intake/body"
)

// everyMember holds what is read from JSON-RPC messages and records, with
// values that are found again.
const everyMember = `{"time":1000,"connection":"c-1","session":"s-1","host":"h-1","direction":"client_to_server","transport":"stdio-1","server":"server-1","server_uri":"stdio:///bin/server-1","client":"client-1","mcp_session_id":"m-1","request_id":"r-1","traceparent":"00-0123456789abcdef0123456789abcdef-0123456789abcdef-01","tracestate":"vendor=state-1","message":{"jsonrpc":"2.0","id":"id-1","method":"initialize","params":{"protocolVersion":"2025-11-25","clientInfo":{"name":"peer-1","version":"version-1"}}}}
{"time":1001,"connection":"c-1","session":"s-1","direction":"server_to_client","message":{"jsonrpc":"2.0","id":"id-1","result":{"protocolVersion":"2025-11-25","serverInfo":{"name":"peer-2","version":"version-2"}}}}
{"time":1002,"connection":"c-1","session":"s-1","transport":"stdio-2","direction":"client_to_server","message":{"jsonrpc":"2.0","id":"id-2","method":"tools/call","params":{"name":"tool-1","arguments":{"a":"argument-1"},"_meta":{"progressToken":"token-1","mcp.request_id":"request-1"}}}}
{"time":1003,"connection":"c-1","session":"s-1","direction":"server_to_client","message":{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"token-1","progress":1,"total":2,"message":"progress-1"}}}
{"time":1004,"connection":"c-1","session":"s-1","direction":"server_to_client","message":{"jsonrpc":"2.0","id":"id-2","result":{"content":[{"type":"text","text":"failure-1"}],"isError":true,"structuredContent":{"s":"structure-1"}}}}
{"time":1005,"connection":"c-1","session":"s-1","direction":"client_to_server","message":{"jsonrpc":"1.5","id":"id-3","method":"unknown/method-1","params":{"uri":"uri-1"}}}
{"time":1006,"connection":"c-1","session":"s-1","direction":"server_to_client","message":{"jsonrpc":"2.0","id":"id-3","error":{"code":-32000,"message":"error-1"}}}
{"time":1007,"connection":"c-1","session":"s-1","direction":"client_to_server","message":{"jsonrpc":"2.0","id":"id-4","method":"prompts/get","params":{"name":"prompt-1","arguments":{"a":"argument-2"}}}}
{"time":1008,"connection":"c-1","session":"s-1","direction":"client_to_server","message":{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"id-4","reason":"reason-1"}}}
{"time":1009,"connection":"c-1","session":"s-1","direction":"server_to_client","message":{"jsonrpc":"2.0","id":"id-5","method":"sampling/createMessage","params":{"messages":[{"role":"user","content":{"type":"text","text":"sample-1"}}],"systemPrompt":"system-1","modelPreferences":{"hints":[{"name":"hint-1"}]}}}}
{"time":1010,"connection":"c-1","session":"s-1","direction":"client_to_server","message":{"jsonrpc":"2.0","id":"id-5","result":{"role":"assistant","content":{"type":"text","text":"answer-1"},"model":"model-1","stopReason":"stop-1"}}}
{"time":1011,"connection":"c-1","session":"s-1","direction":"server_to_client","message":{"jsonrpc":"2.0","id":"id-6","method":"elicitation/create","params":{"message":"elicit-1","requestedSchema":{"type":"schema-1"}}}}
{"time":1012,"connection":"c-1","session":"s-1","direction":"client_to_server","message":{"jsonrpc":"2.0","id":"id-6","result":{"action":"action-1"}}}
{"time":1013,"connection":"c-1","session":"s-1","direction":"client_to_server","message":{"jsonrpc":"2.0","id":"id-7","method":"resources/read","params":{"uri":"uri-2"}}}
{"time":1014,"connection":"c-1","session":"s-1","direction":"server_to_client","message":{"jsonrpc":"2.0","id":"id-7","result":{"contents":[{"uri":"uri-2","mimeType":"mime-1","text":"t"}]}}}
{"time":1015,"connection":"c-1","session":"s-1","direction":"server_to_client","message":{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"level-1","logger":"logger-1","data":{"d":"data-1"}}}}
{"time":1016,"connection":"c-1","session":"s-1","message":{"jsonrpc":"2.1","method":"notifications/unknown-1","params":{"uri":"uri-3","x":"params-1","_meta":{"traceparent":"00-0123456789abcdef0123456789abcdef-0123456789abcdef-01","tracestate":"vendor=state-2"}}}}
{"time":1017,"connection":"c-1","session":"s-1","message":{"jsonrpc":"2.0","id":"orphan-1","error":{"code":1,"message":"error-2"}}}
{"time":1018,"connection":"c-1","session":"s-1","transport":"transport-1","transport_status":"status-1"}
{"time":1018,"session":"s-1","message":{"jsonrpc":"2.0","method":"notifications/host.error","params":{"error_type":"kind-1","message":"failure-1"}}}
{"time":1019,"connection":"c-2","message":{"jsonrpc":"2.0","id":"open-1","method":"tools/call","params":{"name":"tool-2","arguments":{"a":"argument-3"}}}}
{"jsonrpc":"2.0","id":"alone-1","method":"tools/call","params":{"name":"tool-3","arguments":{"a":"argument-4"}}}
{"time":1020,"session":"s-1","direction":"client_to_server","message":{"jsonrpc":"2.0","id":"open-2","method":"tools/call","params":{"name":"tool-4","arguments":{"a":"argument-5"},"_meta":{"progressToken":"token-2"}}}}
`

const everyEvent = `{"type":"SessionStarted","session_id":"s-2","timestamp":"2026-02-19T16:00:00Z","engine":"engine-1","title":"Title-1","started_at":"2026-02-19T16:00:00Z"}
{"type":"WaitingOnSignal","session_id":"s-2","timestamp":"2026-02-19T16:00:01Z","signal_name":"signal-1","prompt":"prompt-1","schema":{"type":"schema-1"}}
{"type":"SignalReceived","session_id":"s-2","timestamp":"2026-02-19T16:00:02Z","signal_name":"signal-1"}
{"type":"ResourceFetched","session_id":"s-2","timestamp":"2026-02-19T16:00:03Z","uri":"uri-1","mime_type":"mime-1","bytes":7}
{"type":"PromptUsed","session_id":"s-2","timestamp":"2026-02-19T16:00:04Z","template_id":"template-1","parameters":{"p":"parameter-1"}}
{"type":"ProgressUpdate","session_id":"s-2","timestamp":"2026-02-19T16:00:05Z","progress_token":"token-1","percent":5,"message":"message-1"}
{"type":"Heartbeat","session_id":"s-2","timestamp":"2026-02-19T16:00:06Z","llm_calls_delta":1,"tokens_delta":2,"tool_calls_delta":3}
{"type":"Other-1","session_id":"s-2","timestamp":"2026-02-19T16:00:07Z","x":"other-1"}
{"type":"WaitingOnSignal","session_id":"s-2","timestamp":"2026-02-19T16:00:08Z","signal_name":"signal-2","prompt":"prompt-2"}
{"type":"SessionStarted","session_id":"s-3","timestamp":"2026-02-19T16:00:00Z","engine":"engine-2","title":"Title-2"}
{"type":"SessionFinished","session_id":"s-3","timestamp":"2026-02-19T16:00:09Z","status":"failed","error":"failure-1"}
`

const everyHook = `{"session_id":"s-4","hook_event_name":"SessionStart","source":"startup","session_title":"title-1","transcript_path":"path-1"}
{"session_id":"s-4","hook_event_name":"UserPromptSubmit","prompt":"prompt-1"}
{"session_id":"s-4","hook_event_name":"SubagentStart","agent_id":"agent-1","agent_type":"type-1"}
{"session_id":"s-4","hook_event_name":"PreToolUse","agent_id":"agent-1","agent_type":"type-1","tool_name":"mcp__server-1__tool-1","tool_input":{"i":"input-1"},"tool_use_id":"use-1","mcp_server":{"name":"server-2"}}
{"session_id":"s-4","hook_event_name":"PostToolUse","agent_id":"agent-1","tool_name":"mcp__server-1__tool-1","tool_input":{"i":"input-1"},"tool_use_id":"use-1","tool_response":{"o":"output-1"},"duration_ms":5}
{"session_id":"s-4","hook_event_name":"PreToolUse","tool_name":"mcp__server-3__tool-2","tool_input":{"i":"input-2"}}
{"session_id":"s-4","hook_event_name":"PermissionRequest","tool_name":"mcp__server-3__tool-2","tool_input":{"i":"input-2"}}
{"session_id":"s-4","hook_event_name":"PostToolUseFailure","tool_name":"mcp__server-3__tool-2","tool_input":{"i":"input-2"},"error":"failure-1"}
{"session_id":"s-4","hook_event_name":"PostToolUseFailure","tool_name":"tool-3","tool_use_id":"use-2","error":"failure-2","is_interrupt":true}
{"session_id":"s-4","hook_event_name":"PreToolUse","tool_name":"AskUserQuestion","tool_input":{},"tool_use_id":"use-3"}
{"session_id":"s-4","hook_event_name":"Elicitation","mcp_server_name":"server-4","message":"message-1"}
{"session_id":"s-4","hook_event_name":"ElicitationResult","action":"accept"}
{"session_id":"s-4","hook_event_name":"Notification","message":"message-2","title":"title-2","notification_type":"permission_prompt"}
{"session_id":"s-4","hook_event_name":"Notification","message":"message-3"}
{"session_id":"s-4","hook_event_name":"PreCompact","trigger":"trigger-1"}
{"session_id":"s-4","hook_event_name":"PostCompact","trigger":"manual","compact_summary":"summary-1"}
{"session_id":"s-4","hook_event_name":"SubagentStop","agent_id":"agent-1","last_assistant_message":"last-1"}
{"session_id":"s-4","hook_event_name":"SubagentStop","agent_id":"agent-2","agent_type":"type-2"}
{"session_id":"s-4","hook_event_name":"Unknown-1","x":"unknown-1"}
{"session_id":"s-4","hook_event_name":"StopFailure","error":"error-1","error_details":"details-1"}
{"session_id":"s-4","hook_event_name":"Stop","last_assistant_message":"last-2"}
{"session_id":"s-4","hook_event_name":"PreToolUse","tool_name":"tool-4","tool_input":{"i":"input-4"},"tool_use_id":"use-4"}
{"session_id":"s-4","hook_event_name":"PermissionDenied","tool_name":"tool-4","tool_input":{"i":"input-4"},"tool_use_id":"use-4","reason":"reason-2"}
{"session_id":"s-5","hook_event_name":"SessionEnd","reason":"reason-1"}
`

// scribble overwrites the buffers that wait for the next body: one of them
// held the last one, which was that long.
func scribble(tb testing.TB, length int) {
	var kept []*body.Body
	for size := 1 << 10; size < min(4*max(length, 1<<10), body.KeepBytes); size *= 2 {
		for range 8 {
			r := httptest.NewRequest(http.MethodPost, ObservationsPath, bytes.NewReader(bytes.Repeat([]byte("X"), size)))
			b, err := body.Read(r, nil, 0)
			require.NoError(tb, err)
			kept = append(kept, b)
		}
	}
	for _, b := range kept {
		b.Recycle()
	}
}

func TestNothingRefersToABodyThatWasAnswered(t *testing.T) {
	bodies := map[string]string{ObservationsPath: everyMember, InspectorPath: everyEvent, ClaudeCodePath: everyHook}
	maps.Copy(bodies, hookBodies(t))
	for path, body := range bodies {
		t.Run(path, func(t *testing.T) {
			b := newBench()
			w := b.post(path, ndjson, []byte(body))
			require.Equal(t, http.StatusAccepted, w.Code, w.Body)
			require.Empty(t, w.Body.String())
			before := b.dump(t)
			scribble(t, len(body))
			require.Equal(t, string(before), string(b.dump(t)))
			b.drain(t)
			require.NotContains(t, string(b.dump(t)), "XX")
		})
	}
}
