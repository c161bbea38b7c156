package faults

import (
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-mcp/otelcol-mcp/internal/agent/registry"
	"github.com/otelcol-mcp/otelcol-mcp/test/eventsource"
	"github.com/otelcol-mcp/otelcol-mcp/test/harness"
)

// canary is what payloads hold.
const canary = "CANARY8c1f"

// canaries are bodies with the canary in each payload, well formed and not, by path.
func canaries() map[string][]string {
	const pair = `{"session":"s-1","server":"weather","direction":"client_to_server","message":%s}`
	bodies := map[string][]string{
		"/v1/observations": {
			fmt.Sprintf(pair, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"forecast","arguments":{"city":"`+canary+`"},"_meta":{"x":"`+canary+`"}}}`),
			fmt.Sprintf(pair, `{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"`+canary+`","data":"`+canary+`"}}`),
			fmt.Sprintf(pair, `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"error","logger":"`+canary+`","data":"`+canary+`"}}`),
			fmt.Sprintf(pair, `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":"`+canary+`","message":"`+canary+`"}}`),
			fmt.Sprintf(pair, `{"jsonrpc":"2.0","id":9,"method":"sampling/createMessage","params":{"messages":"`+canary+`"}}`),
			fmt.Sprintf(pair, `{"jsonrpc":"2.0","id":{"`+canary+`":1},"method":7}`),
			fmt.Sprintf(pair, canary), canary, `"` + canary + `"`, `{"session":["` + canary + `"],"time":"` + canary + `"}`, `{"` + canary + `":`, "[[\"" + canary,
		},
		"/v1/inspector/events": {
			`{"type":"SessionStarted","session_id":"i-1","engine":"asyncio","title":"` + canary + `"}`,
			`{"type":"SessionFinished","session_id":"i-1","status":"failed","error":"` + canary + `","output":{"a":"` + canary + `"}}`,
			`{"type":"WaitingOnSignal","session_id":"i-1","signal_name":"s","prompt":"` + canary + `"}`, `{"type":["` + canary + `"]}`, canary,
		},
		"/mcp": {
			initialize, strings.Replace(initialize, `"host"`, `["`+canary+`"]`, 1), canary,
			`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"host_heartbeat","arguments":{"phase":"working","task":"` + canary + `","prompt":"` + canary + `"}}}`,
			`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"host_heartbeat","arguments":"` + canary + `"}}`,
			`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"` + canary + `"}}`,
		},
	}
	for agent := range registry.Hooks() {
		path := "/v1/hooks/" + agent
		for _, event := range []string{
			"SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure", "Notification", "Stop", "BeforeTool", "AfterTool", "AfterAgent", "BeforeModel",
			"preToolUse", "postToolUse", "beforeSubmitPrompt", "errorOccurred", "tool.execute.before", "message.updated",
		} {
			text := `"` + canary + `"`
			bodies[path] = append(bodies[path], strings.ReplaceAll(`{"session_id":"h-1","sessionId":"h-1","conversation_id":"h-1","hook_event_name":"`+event+`","event":"`+event+`","type":"`+event+`",
"prompt":§,"message":§,"error":§,"tool_name":"Bash","toolName":"Bash","tool_use_id":"u-1","tool_input":{"command":§},"tool_response":{"stdout":§},"toolArgs":§,"llm_request":{"messages":[§]},
"properties":{"sessionID":"h-1","info":{"title":§}},"args":{"a":§},"output":§,"last_assistant_message":§,"transcript_path":§}`, "§", text))
		}
		bodies[path] = append(bodies[path], canary, `{"session_id":"`+canary, `{"session_id":1,"hook_event_name":["`+canary+`"],"prompt":{"`+canary+`":1}}`)
	}
	return bodies
}

// telemetry are bodies of OTLP with the canary, well formed and not, by path.
func telemetry() map[string][]string {
	attributes := `"attributes":[{"key":"session.id","value":{"stringValue":"a-1"}},{"key":"event.name","value":{"stringValue":"tool_result"}},{"key":"prompt","value":{"stringValue":"` + canary +
		`"}},{"key":"tool_parameters","value":{"stringValue":"{` + canary + `"}},{"key":"mcp.tool.input_json","value":{"stringValue":"` + canary + `"}}]`
	service := func(name string) string {
		return `"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"` + name + `"}}]}`
	}
	bodies := map[string][]string{}
	for _, name := range []string{"claude-code", "codex_cli_rs", "gemini-cli", "github-copilot", "opencode", "other"} {
		bodies["/v1/logs"] = append(bodies["/v1/logs"], `{"resourceLogs":[{`+service(name)+`,"scopeLogs":[{"logRecords":[{"body":{"stringValue":"`+canary+`"},`+attributes+`}]}]}]}`)
		bodies["/v1/traces"] = append(bodies["/v1/traces"], `{"resourceSpans":[{`+service(name)+`,"scopeSpans":[{"spans":[{"traceId":"00000000000000000000000000000001","spanId":"0000000000000001","name":"tool.call",`+
			`"startTimeUnixNano":"1","endTimeUnixNano":"2","status":{"code":2,"message":"`+canary+`"},"events":[{"name":"exception",`+attributes+`}],`+attributes+`}]}]}]}`)
		bodies["/v1/metrics"] = append(bodies["/v1/metrics"], `{"resourceMetrics":[{`+service(name)+`,"scopeMetrics":[{"metrics":[{"name":"m","gauge":{"dataPoints":[{"asInt":"1",`+attributes+`}]}}]}]}]}`)
	}
	for path := range bodies {
		bodies[path] = append(bodies[path], canary, `{"`+canary+`":1}`, `{"resourceLogs":"`+canary+`","resourceSpans":"`+canary+`","resourceMetrics":"`+canary+`"}`)
	}
	return bodies
}

// TestNoPayloadInTheLog: at level debug, no log line of ours has what payloads of any way in hold, be they well formed or not, nor
// what a backend answers.
func TestNoPayloadInTheLog(t *testing.T) {
	events := startEvents(t)
	inspected := startInspector(t)
	folder := t.TempDir()
	otlp, hooks, page := harness.FreeAddress(t), harness.FreeAddress(t), harness.FreeAddress(t)
	backend := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) }))
	defer backend.Close()
	c := startLimited(t, fmt.Sprintf(`
receivers:
  mcp:
    otlp: {protocols: {http: {endpoint: "%s"}}, metrics: pass}
    webhooks: {http: {endpoint: "%s"}, secrets: [{secret: "whsec_%s"}]}
    trace_files: {include: ["%s/*.jsonl"], poll_interval: 100ms}
    inspector: [{endpoint: "%s/_inspector/events"}]
    events: [{endpoint: "%s", delivery: [push], subscriptions: [{name: "%s"}]}]
processors: {mcp: {mask: {enabled: true}, truncate: {max_bytes: 5}}}
exporters: {otlp_http: {endpoint: "%s"}, mcp_inspector: {http: {endpoint: "%s"}}}
service:
  telemetry: {logs: {level: debug, disable_caller: false, sampling: {enabled: false}}}
  pipelines: {traces/export: {exporters: [otlp_http]}, logs/export: {exporters: [otlp_http]}}
`, otlp, hooks, base64.StdEncoding.EncodeToString(webhookKey), folder, inspected.URL, events.url, occurring, backend.URL, page))

	secret := http.Header{"Authorization": {"Bearer " + canary}, "Cookie": {"a=" + canary}}
	for address, bodies := range map[string]map[string][]string{c.mcp: canaries(), otlp: telemetry()} {
		for path, each := range bodies {
			for _, body := range each {
				ask(t, &asked{address, "POST", path, body, 0}, secret, "")
			}
		}
	}
	signer, err := standardwebhooks.NewWebhookRaw(webhookKey)
	require.NoError(t, err)
	for n, body := range []string{
		`{"jsonrpc":"2.0","method":"notifications/events/event","params":{"eventId":"e-1","name":"incident.created","timestamp":"2026-02-19T16:00:00Z","data":{"a":"` + canary + `"}}}`,
		`{"jsonrpc":"2.0","method":"notifications/events/event","params":"` + canary + `"}`, canary,
	} {
		now, id := time.Now(), fmt.Sprintf("msg-%d", n)
		signature, err := signer.Sign(id, now, []byte(body))
		require.NoError(t, err)
		header := http.Header{"Webhook-Id": {id}, "Webhook-Timestamp": {strconv.FormatInt(now.Unix(), 10)}, "Webhook-Signature": {signature}}
		ask(t, &asked{hooks, "POST", "/v1/webhooks", body, 0}, header, "")
		ask(t, &asked{hooks, "POST", "/v1/webhooks", body, 0}, secret, "")
	}
	require.NoError(t, os.WriteFile(filepath.Join(folder, "1.jsonl"), []byte(strings.ReplaceAll(fmt.Sprintf(line, 1, "tool"), `"status":{`, `"x":"`+canary+`","status":{"description":"`+canary+`",`)+
		`{"name":"`+canary+"\"\n"+canary+"\n"), 0o600))
	harness.Eventually(t, "nobody subscribes", func() bool { return events.Count("events/stream") > 0 })
	events.Append(eventsource.Event{ID: "e-9", Name: occurring, Data: `{"a":"` + canary + `"}`})
	inspected.mu.Lock()
	inspected.tell(map[string]any{"type": "SessionStarted", "session_id": "i-9", "title": canary})
	inspected.tell(map[string]any{"type": []string{canary}, "session_id": map[string]string{canary: canary}})
	inspected.mu.Unlock()

	tap := exec.CommandContext(t.Context(), harness.Tap(t), "--endpoint", "http://"+c.mcp+"/v1/observations", "--session", "tapped", "--", "/bin/sh", "-c", answers)
	tap.Stdin = strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","arguments":{"a":"` + canary + `"}}}` + "\n" + canary + "\n")
	var said strings.Builder
	tap.Stderr = &said
	require.NoError(t, tap.Run())
	assert.NotContains(t, said.String(), canary, "mcptap")

	<-time.After(2 * time.Second) // what is read behind
	for _, path := range []string{"/_inspector/sessions?q=" + canary, "/_inspector/trace/" + canary} {
		ask(t, &asked{page, "GET", path, "", 0}, secret, "")
	}
	for _, session := range []string{"s-1", "i-1", "h-1", "a-1", "tapped"} {
		response, err := http.Get("http://" + page + "/_inspector/trace/" + session)
		require.NoError(t, err)
		text, err := io.ReadAll(response.Body)
		require.NoError(t, err)
		require.NoError(t, response.Body.Close())
		assert.Contains(t, string(text), canary, "%s was not accepted", session)
	}
	c.process.Terminate(t)
	lines := strings.Split(c.process.Output(), "\n")
	require.Greater(t, len(lines), 100, "it is not at level debug")
	for _, line := range lines {
		if strings.Contains(line, "\tottl@") { // filter and transform of contrib write whole spans at debug, see SECURITY.md
			continue
		}
		assert.NotContains(t, line, canary)
	}
}
