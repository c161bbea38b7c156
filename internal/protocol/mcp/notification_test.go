package mcp

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonscan"
)

// notifications are all kinds, and the events they are.
var notifications = []struct {
	method, params string
	env            event.Envelope
	want           func(n event.Notice) event.Event // n is what all have
}{
	{method: "notifications/events/heartbeat", params: `{}`, want: func(n event.Notice) event.Event {
		return &event.KeepAlive{Contact: n.Contact}
	}},
	{method: "notifications/cancelled", params: `{"requestId":"a","reason":"why"}`, want: func(n event.Notice) event.Event {
		return &event.CallCancelled{Notice: about(n, &event.Subject{}), ID: `"a"`, Reason: "why"}
	}},
	{method: "notifications/progress", params: `{"progressToken":7,"progress":0.5,"total":2,"message":"m"}`, want: func(n event.Notice) event.Event {
		return &event.CallProgress{
			Notice: about(fromServer(n), &event.Progress{Token: "7", Value: "0.5", Total: "2", Message: `"m"`}),
			Token:  "7", Value: 0.5, HasValue: true, Total: 2, HasTotal: true, Message: "m",
		}
	}},
	{method: "notifications/tasks", params: `{"taskId":"k","status":"failed","statusMessage":"m","error":{"code":1}}`, want: func(n event.Notice) event.Event {
		return &event.TaskChanged{
			Notice: about(fromServer(n), &event.Subject{TaskID: `"k"`, TaskStatus: `"failed"`}),
			Task:   event.Task{ID: "k", Status: "failed", Message: "m", Outcome: &event.Reply{Raw: `{"code":1}`, Failed: true, Code: 1, Coded: true}},
		}
	}},
	{method: "notifications/tasks/status", params: `{"taskId":"k","status":"working"}`, want: func(n event.Notice) event.Event {
		return &event.TaskChanged{
			Notice: about(fromServer(n), &event.Subject{TaskID: `"k"`, TaskStatus: `"working"`}),
			Task:   event.Task{ID: "k", Status: "working"},
		}
	}},
	{method: "notifications/otel/trace", params: `{"resourceSpans":[{}]}`, want: func(n event.Notice) event.Event {
		return &event.SpansSent{Notice: about(fromServer(n), &event.Subject{}), Spans: `[{}]`}
	}},
	{method: "session/update", params: `{"update":{"sessionUpdate":"tool_call","toolCallId":"t"}}`, want: func(n event.Notice) event.Event {
		return &event.ToolUpdated{Notice: fromServer(n), Call: `"t"`}
	}},
	{method: "session/update", params: `{"update":{"sessionUpdate":"agent_message_chunk"}}`, want: func(n event.Notice) event.Event {
		return &event.StreamUpdated{Notice: fromServer(n)}
	}},
	{method: "session/update", params: `{"update":{"sessionUpdate":"plan","entries":[1]}}`, want: func(n event.Notice) event.Event {
		n = about(fromServer(n), &event.Plan{Entries: "[1]"})
		return &n
	}},
	{method: "session/update", params: `{"update":{"sessionUpdate":"reminder_emitted","id":"r","body":"b"}}`, want: func(n event.Notice) event.Event {
		n = about(fromServer(n), &event.Reminder{ID: `"r"`, Body: `"b"`})
		n.Name, n.StableID = "notifications/reminder", "r"
		return &n
	}},
	{method: "notifications/host.heartbeat", params: `{"phase":"idle"}`, env: event.Envelope{Host: "h"}, want: func(n event.Notice) event.Event {
		status := event.HostStatus{Phase: `"idle"`}
		return &event.Heartbeat{Notice: about(n, &status), Status: status}
	}},
	{method: "notifications/reminder", params: `{"eventId":"e","reminder":{"id":"r","body":"b"}}`, want: func(n event.Notice) event.Event {
		n = about(fromServer(n), &event.Reminder{ID: `"r"`, Body: `"b"`})
		n.Name, n.StableID = "notifications/reminder", "e"
		return &n
	}},
	{method: "notifications/message", params: `{"level":"info","logger":"l","data":{"a":1},"timestamp":"2026-02-19T16:00:00Z"}`, want: func(n event.Notice) event.Event {
		n = about(fromServer(n), &event.Log{Level: `"info"`, Logger: `"l"`, Data: `{"a":1}`})
		return &n
	}},
	{method: "notifications/message", params: `{"level":"info","_meta":{"harn":{"reminder":{"body":"b"}}}}`, want: func(n event.Notice) event.Event {
		n = about(fromServer(n), &event.Reminder{Body: `"b"`})
		n.Name, n.Invalid = "notifications/reminder", "reminder has no id"
		return &n
	}},
	{method: "log", params: `{"level":"info","message":"m","sessionId":"s","timestamp":"2026-02-19T16:00:00Z"}`, env: event.Envelope{ACP: true}, want: func(n event.Notice) event.Event {
		n = about(fromServer(n), &event.Log{Level: `"info"`, Message: `"m"`, ACP: true, InSession: true})
		n.Time = time.Date(2026, 2, 19, 16, 0, 0, 0, time.UTC).UnixNano()
		return &n
	}},
	{method: "log", params: `{"level":"info","message":"m"}`, want: func(n event.Notice) event.Event {
		n = about(fromServer(n), &event.Subject{})
		return &n
	}},
	{method: "notifications/resources/updated", params: `{"uri":"u"}`, want: func(n event.Notice) event.Event {
		n = about(fromServer(n), &event.Subject{URI: `"u"`})
		return &n
	}},
	{method: "x", params: `{"reminder":{"id":"r"},"_meta":{"traceparent":"tp"}}`, want: func(n event.Notice) event.Event {
		n = about(n, &event.Subject{})
		n.StableID, n.Trace.Traceparent = "r", `"tp"`
		return &n
	}},
}

func TestNotifications(t *testing.T) {
	for _, tt := range notifications {
		t.Run(tt.method, func(t *testing.T) {
			assert.Equal(t, tt.want(named(tt.method, tt.params)), only(t, tt.env, notify(tt.method, tt.params)))
		})
	}
}

func TestProgressOfNoCall(t *testing.T) {
	for _, params := range []string{
		`{"progress":1}`, `{"progressToken":7}`, `{"progressToken":7,"progress":"1"}`, `7`, `{"progressToken":7,"progress":null}`,
	} {
		e := only(t, event.Envelope{}, notify("notifications/progress", params)).(*event.CallProgress)
		assert.False(t, e.HasValue, params)
		assert.Equal(t, "progressToken or progress is missing", e.Invalid)
	}
}

func TestInvalidNotifications(t *testing.T) {
	for _, tt := range []struct {
		text, want string
		env        event.Envelope
	}{
		{text: notify("notifications/cancelled", `{}`), want: "requestId is missing"},
		{text: notify("notifications/resources/updated", `{"uri":7}`), want: "uri is missing"},
		{text: notify("notifications/message", `{"level":"loud"}`), want: "level is not one of RFC 5424's"},
		{text: notify("log", `{"level":"info","message":7}`), env: event.Envelope{ACP: true}, want: "message is not a string"},
		{text: notify("log", `{"level":"info","message":"m","timestamp":"now"}`), env: event.Envelope{ACP: true}, want: "timestamp is not a time"},
		{text: notify("log", `{"level":"info","message":"m","timestamp":"1960-01-01T00:00:00Z"}`), env: event.Envelope{ACP: true}, want: "timestamp is not a time"},
		{text: notify("notifications/host.heartbeat", `{"phase":"off"}`), want: "phase is missing or unknown"},
		{text: notify("notifications/host.error", `{"retrying":1}`), want: "retrying is not a boolean"},
		{text: notify("session/remind", `{"id":"r"}`), want: "reminder has no body"},
		{text: notify("session/update", `"x"`), want: "params is neither an object nor an array"},
		{text: notify("x", `7`), want: "params is neither an object nor an array"},
		{text: notify("x", `[]`)},
		{text: `{"jsonrpc":"2.0","method":"x"}`},
		{text: notify("x", `7`), env: event.Envelope{Invalid: "time"}, want: "time"},
		{text: `{"jsonrpc":"2.0","id":null,"method":"x"}`, env: event.Envelope{Invalid: "time"}, want: "id is null"},
	} {
		e := only(t, tt.env, tt.text).(interface{ Base() *event.Notice })
		assert.Equal(t, tt.want, e.Base().Invalid, tt.text)
	}
}

// Telemetry of hosts belongs to the host, everything else where it came from.
func TestRouting(t *testing.T) {
	env := event.Envelope{Client: "c", Peer: "127.0.0.1", MCPSession: "m"}
	assert.Equal(t, "c@127.0.0.1", decode(t, env, notify("notifications/host.error", `{}`)).envs[0].Session)
	assert.Empty(t, decode(t, env, notify("notifications/progress", `{}`)).envs[0].Session)
}

func TestHello(t *testing.T) {
	for text, want := range map[string]*event.Hello{
		request("ping", `{}`):     nil,
		reply(`{"content":[]}`):   nil,
		notify("x", `{"name":1}`): nil,
		request("initialize", `{"protocolVersion":"v","clientInfo":{"name":"c","version":"1"},"capabilities":{}}`): {
			Client: event.Peer{Name: "c", Version: "1"}, Protocol: "v", ClientDeclares: &event.ClientDeclares{},
		},
		request("initialize", `{"clientCapabilities":{"logging":{"level":"info"}}}`): {
			ClientDeclares: &event.ClientDeclares{Logging: true, LogLevel: "info"},
		},
		reply(`{"protocolVersion":"v","serverInfo":{"name":"s","version":"2"},"capabilities":{"logging":{},"reminders":{"emit":true}}}`): {
			Server: event.Peer{Name: "s", Version: "2"}, Protocol: "v",
			ServerDeclares: &event.ServerDeclares{Logging: true, Reminders: true},
		},
		reply(`{"agentInfo":{"name":"a"},"agentCapabilities":{"_meta":{"harn":{"reminders":{"emit":true}}}}}`): {
			Server: event.Peer{Name: "a"}, ServerDeclares: &event.ServerDeclares{Reminders: true},
		},
		request("ping", `{"protocolVersion":"old","clientInfo":{"name":"c","version":"1"},"_meta":{"io.modelcontextprotocol/protocolVersion":"new",`+
			`"io.modelcontextprotocol/clientInfo":{"name":"d"},"io.modelcontextprotocol/clientCapabilities":{"logging":7},"io.modelcontextprotocol/logLevel":"error"}}`): {
			Client: event.Peer{Name: "d", Version: "1"}, Protocol: "new", LogLevel: "error", ClientDeclares: &event.ClientDeclares{},
		},
		reply(`{"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"s"}}}`): {Server: event.Peer{Name: "s"}},
		reply(`{"capabilities":7,"serverInfo":"s"}`):                           nil,
	} {
		var d Decoder
		assert.Equal(t, want, d.helloOf(message(t, text)), text)
	}
}

// What a decoder hands out has nothing of the messages before.
func TestReuse(t *testing.T) {
	var d Decoder
	var r recorder
	texts := []string{
		request("tools/call", `{"name":"x","arguments":{},"requestState":"s"}`), request("ping", `{}`),
		reply(`{"resultType":"input_required","requestState":"s","taskId":"k"}`), reply(`{}`),
		notify("notifications/progress", `{"progressToken":1,"progress":1,"total":2,"message":"m"}`), notify("notifications/progress", `{}`),
		notify("notifications/host.error", `{"error_type":"x"}`), notify("notifications/host.x", `{}`),
		notify("notifications/reminder", `{"reminder":{"id":"a","tags":[]}}`), notify("notifications/reminder", `{}`),
		notify("notifications/message", `{"level":"info"}`), notify("x", `{}`),
	}
	for _, text := range texts {
		assert.NoError(t, d.Message(t.Context(), &r, &event.Envelope{}, message(t, text)))
		assert.Equal(t, only(t, event.Envelope{}, text), r.events[len(r.events)-1], text)
	}
}

func TestNoAllocations(t *testing.T) {
	for _, text := range []string{
		notify("notifications/host.heartbeat", `{"phase":"working","tokens_used":61200,"tokens_limit":200000,"elapsed_seconds":840.5,"current_task":"t"}`),
		request("tools/call", `{"name":"echo","arguments":{"a":1},"_meta":{"progressToken":"p","traceparent":"tp"}}`),
		request("tools/call", `{"name":"host_heartbeat","arguments":{"phase":"working"}}`),
		reply(`{"content":[{"type":"text","text":"x"}],"isError":false}`),
		reply(`{"capabilities":{"logging":{}},"serverInfo":{"name":"s"}}`),
		notify("notifications/progress", `{"progressToken":7,"progress":0.5,"message":"m"}`),
		notify("notifications/message", `{"level":"info","data":"x"}`),
		notify("session/update", `{"update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"x"}}}`),
		notify("session/update", `{"update":{"sessionUpdate":"tool_call_update","toolCallId":"t","status":"failed","content":[]}}`),
		notify("notifications/reminder", `{"reminder":{"id":"r","body":"b"}}`),
		notify("notifications/host.subagent_spawned", `{"subagent_id":"a"}`),
	} {
		var d Decoder
		to := &counter{}
		env := event.Envelope{Session: "s"}
		m := message(t, text)
		assert.Zero(t, testing.AllocsPerRun(100, func() {
			if d.Message(t.Context(), to, &env, m) != nil {
				panic("refused")
			}
		}), text)
		assert.Positive(t, to.n)
	}
}

func TestTimes(t *testing.T) {
	for text, want := range map[jsonscan.Value]int64{
		``: 0, `7`: 0, `"x"`: 0, `"1970-12-31T23:59:59Z"`: 0, `"2262-01-01T00:00:00Z"`: 0,
		`"1971-01-01T00:00:00.5Z"`: 31_536_000_500_000_000,
	} {
		assert.Equal(t, want, timeOf(text), text)
	}
}
