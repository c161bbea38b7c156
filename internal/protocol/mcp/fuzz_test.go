package mcp

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonscan"
	"github.com/otelcol-mcp/otelcol-mcp/internal/protocol/jsonrpc"
)

// FuzzDecoder reads messages of all protocols, and what is read of them a second
// time: whatever an event holds of the message is JSON.
func FuzzDecoder(f *testing.F) {
	for _, text := range []string{
		notify("notifications/host.compacting", `{"tokens_before":180000,"tokens_after":0,"messages_dropped":0,"reason":"r"}`),
		notify("notifications/host.subagent_spawned", `{"subagent_id":"a","subagent_type":"Explore","task":"t","model":"m"}`),
		notify("notifications/host.subagent_completed", `{"subagent_id":"a","duration_seconds":1.5,"outcome":"error","tokens_used":1e3}`),
		notify("notifications/host.token_pressure", `{"percent":75.5,"threshold":"high","p\u0065rcent":null}`),
		notify("notifications/host.error", `{"error_type":"api_timeout","message":"m","retrying":true,"retry_count":-1}`),
		request("tools/call", `{"name":"eywa_heartbeat","arguments":{"phase":"working","detail":"d","files_active":["a",1],"subagents":2}}`),
		notify("notifications/reminder", `{"reminder":{"id":"r","body":"b","tags":["t"],"dedupeKey":"k","ttlTurns":3,"firedAtTurn":null}}`),
		notify("notifications/message", `{"_meta":{"harn":{"reminder":{"id":"r","body":"b","dedupe_key":"k","fired_at_turn":1}}}}`),
		notify("session/update", `{"update":{"sessionUpdate":"reminder_emitted","_meta":{"harn":{"reminder":{"reminderId":"r"}}}}}`),
		notify("session/remind", `{"body":"b","role_hint":"system","preserve_on_compact":false}`),
		request("initialize", `{"clientCapabilities":{"logging":{"level":"info"}},"capabilities":{"logging":{}}}`),
		reply(`{"capabilities":{"reminders":{"emit":true},"_meta":{"harn":{"reminders":{"emit":true}}},"logging":{}}}`),
		notify("session/update", `{"update":{"sessionUpdate":"tool_call","toolCallId":"t","title":null,"title":"x","status":"failed","content":[{"content":{"text":"y"}}]}}`),
		notify("session/update", `{"update":{"sessionUpdate":"usage_update","used":1,"size":2e3,"entries":[null]}}`),
		reply(`{"task":{"taskId":"k","status":"working","ttl":1000,"statusMessage":"m"}}`),
		reply(`{"resultType":"task","taskId":"k","status":"completed","result":{"content":[],"isError":true},"error":{"code":-1,"message":"m"}}`),
		reply(`{"resultType":"input_required","requestState":"s","inputRequests":{"a":{"method":"elicitation/create","params":{"message":"m","requestedSchema":{}}},"b":1}}`),
		reply(`{"_meta":{"otel":{"traces":{"resourceSpans":[{}]}}},"outcome":{"optionId":"a"}}`),
		request("sampling/createMessage", `{"messages":[],"modelPreferences":{"hints":[{"name":"m"}]}}`),
		notify("log", `{"level":"info","message":"m","timestamp":"2026-02-19T16:00:00Z"}`),
	} {
		f.Add([]byte(text), true)
		f.Add([]byte(text), false)
	}
	f.Fuzz(func(t *testing.T, body []byte, acp bool) {
		var c jsonscan.Cursor
		var it jsonrpc.Item
		var d Decoder
		c.Reset(body)
		if it.Decode(&c) != nil || !it.HasMessage {
			return
		}
		env := event.Envelope{Session: "s", ACP: acp, Served: acp}
		require.NoError(t, d.Message(t.Context(), checker{t}, &env, &it.Message))
	})
}

// checker is a target that makes sure that what it is given is sound.
type checker struct{ t *testing.T }

func (c checker) Apply(_ context.Context, _ *event.Envelope, e event.Event) error {
	switch e := e.(type) {
	case *event.CallStarted:
		c.json(e.Raw, e.ID, e.Input, e.Preference, e.Token, e.Trace.Traceparent)
	case *event.CallEnded:
		c.json(e.Reply.Spans, e.Reply.Result.Raw, e.Reply.Result.Content, e.Task.TTL)
		require.Equal(c.t, e.Created, e.Created && e.Task.ID != "")
		if e.Input != nil {
			c.json(e.Input.Schema)
		}
		if done := e.Task.Outcome; done != nil {
			c.json(done.Raw, done.Result.Raw)
		}
	case *event.ToolUpdated:
		c.json(e.Call, e.Title, e.Status, e.Input, e.Output)
	case *event.Heartbeat:
		c.json(e.Status.Phase, e.Status.FilesActive)
	case *event.HostReported:
		c.json(e.Report.Percent, e.Report.Message, e.Report.Agent.Task)
	}
	if noted, ok := e.(interface{ Base() *event.Notice }); ok {
		n := noted.Base()
		c.json(n.Raw, n.Params, n.RPCID)
		if r, ok := n.Detail.(*event.Reminder); ok {
			c.json(r.ID, r.Body, r.Tags, r.FiredAt)
		}
	}
	return nil
}

func (c checker) json(values ...jsonscan.Value) {
	for _, v := range values {
		require.True(c.t, v == "" || json.Valid([]byte(v)), v)
	}
}
