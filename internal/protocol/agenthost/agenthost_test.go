package agenthost

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonscan"
	"github.com/otelcol-mcp/otelcol-mcp/internal/protocol/jsonrpc"
)

func message(t *testing.T, text string) *jsonrpc.Message {
	t.Helper()
	var c jsonscan.Cursor
	var m jsonrpc.Message
	c.Reset([]byte(text))
	require.NoError(t, m.Decode(&c))
	return &m
}

// notified is the event of a notification, and what all notifications have.
func notified(t *testing.T, name, params string) (event.Event, event.Notice) {
	t.Helper()
	m := message(t, `{"jsonrpc":"2.0","method":"notifications/host.`+name+`","params":`+params+`}`)
	require.True(t, IsNotification(m))
	n := event.Notice{Contact: event.Contact{Method: m.Method}, Raw: m.Raw, Params: m.Params.Raw}
	var d Decoder
	e := d.Notification(&n, &m.Params)
	return e, n
}

// notifications are all kinds, and the events they are.
var notifications = []struct {
	name, params string
	want         func(n event.Notice) event.Event
}{
	{
		"heartbeat", `{"phase":"thinking","tokens_used":1,"tokens_limit":2,"tool_calls_total":3,"elapsed_seconds":0.5,"current_task":"t","subagents":9}`,
		func(n event.Notice) event.Event {
			h := &event.Heartbeat{Notice: n, Status: event.HostStatus{
				Phase: `"thinking"`, TokensUsed: "1", TokensLimit: "2", ToolCallsTotal: "3", ElapsedSeconds: "0.5", CurrentTask: `"t"`,
			}}
			h.Detail = &h.Status
			return h
		},
	},
	{
		"compacting", `{"tokens_before":180000,"tokens_after":20000,"messages_dropped":12,"reason":"full"}`,
		func(n event.Notice) event.Event {
			return reported(n, event.HostReport{
				Kind: event.CompactionReport, TokensBefore: "180000", TokensAfter: "20000", MessagesDropped: "12", Reason: `"full"`,
			})
		},
	},
	{
		"token_pressure", `{"tokens_used":5,"tokens_limit":10,"percent":50.5,"threshold":"high"}`,
		func(n event.Notice) event.Event {
			return reported(n, event.HostReport{
				Kind: event.PressureReport, TokensUsed: "5", TokensLimit: "10", Percent: "50.5", Threshold: `"high"`,
				Agent: event.SubAgent{Tokens: "5"},
			})
		},
	},
	{
		"error", `{"error_type":"api_timeout","message":"m","retrying":true,"retry_count":2}`,
		func(n event.Notice) event.Event {
			return reported(n, event.HostReport{
				Kind: event.ErrorReport, ErrorType: `"api_timeout"`, Message: `"m"`, Retrying: "true", RetryCount: "2",
			})
		},
	},
	{"unheard_of", `{"phase":"off"}`, func(n event.Notice) event.Event { return reported(n, event.HostReport{}) }},
	{
		"subagent_spawned", `{"subagent_id":"a","subagent_type":"Explore","task":"t","model":"m"}`,
		func(n event.Notice) event.Event {
			agent := event.SubAgent{ID: `"a"`, Type: `"Explore"`, Task: `"t"`, Model: `"m"`}
			n.Detail = &event.HostReport{Kind: event.SpawnReport, Agent: agent}
			return &event.AgentStarted{SelfReport: event.SelfReport{Notice: n}, Agent: agent}
		},
	},
	{
		"subagent_completed", `{"subagent_id":"a","duration_seconds":1.5,"outcome":"error","tokens_used":1e3}`,
		func(n event.Notice) event.Event {
			return &event.AgentEnded{SelfReport: event.SelfReport{Notice: n}, Agent: event.SubAgent{
				ID: `"a"`, Duration: "1.5", Outcome: `"error"`, Tokens: "1e3",
			}}
		},
	},
}

func TestNotifications(t *testing.T) {
	for _, tt := range notifications {
		t.Run(tt.name, func(t *testing.T) {
			e, n := notified(t, tt.name, tt.params)
			assert.Equal(t, tt.want(n), e)
		})
	}
}

func reported(n event.Notice, r event.HostReport) event.Event {
	e := &event.HostReported{Notice: n, Report: r}
	e.Detail = &e.Report
	return e
}

func TestInvalid(t *testing.T) {
	for _, tt := range []struct{ name, params, want string }{
		{"heartbeat", `{"phase":"idle"}`, ""},
		{"heartbeat", `{"phase":"idle","tokens_used":1e3,"tokens_limit":null}`, ""},
		{"heartbeat", `{}`, "phase is missing or unknown"},
		{"heartbeat", `7`, "phase is missing or unknown"},
		{"heartbeat", `{"phase":"idle","tokens_used":1.5}`, "tokens_used is not an integer"},
		{"heartbeat", `{"phase":"idle","tokens_limit":"1"}`, "tokens_limit is not an integer"},
		{"heartbeat", `{"phase":"idle","tool_calls_total":[]}`, "tool_calls_total is not an integer"},
		{"heartbeat", `{"phase":"idle","elapsed_seconds":"1"}`, "elapsed_seconds is not a number"},
		{"heartbeat", `{"phase":"idle","current_task":1}`, "current_task is not a string"},
		{"compacting", `{"tokens_before":"1"}`, "tokens_before is not an integer"},
		{"compacting", `{"tokens_after":0.5}`, "tokens_after is not an integer"},
		{"compacting", `{"messages_dropped":{}}`, "messages_dropped is not an integer"},
		{"compacting", `{"reason":1}`, "reason is not a string"},
		{"token_pressure", `{"tokens_used":true}`, "tokens_used is not an integer"},
		{"token_pressure", `{"percent":"75"}`, "percent is not a number"},
		{"token_pressure", `{"threshold":75}`, "threshold is not a string"},
		{"subagent_spawned", `{"subagent_id":1}`, "subagent_id is not a string"},
		{"subagent_spawned", `{"subagent_type":1}`, "subagent_type is not a string"},
		{"subagent_spawned", `{"task":1}`, "task is not a string"},
		{"subagent_spawned", `{"model":1}`, "model is not a string"},
		{"subagent_completed", `{"duration_seconds":"1"}`, "duration_seconds is not a number"},
		{"subagent_completed", `{"outcome":"well"}`, "outcome is unknown"},
		{"error", `{"error_type":1}`, "error_type is not a string"},
		{"error", `{"message":1}`, "message is not a string"},
		{"error", `{"retrying":"yes"}`, "retrying is not a boolean"},
		{"error", `{"retry_count":1.5}`, "retry_count is not an integer"},
		{"error", `"x"`, "params is neither an object nor an array"},
		{"unheard_of", `[]`, ""},
	} {
		e, _ := notified(t, tt.name, tt.params)
		assert.Equal(t, tt.want, e.(interface{ Base() *event.Notice }).Base().Invalid, tt)
	}
	var d Decoder
	n := event.Notice{Contact: event.Contact{Method: "notifications/host.error"}, Invalid: "time"}
	d.Notification(&n, &message(t, `{"jsonrpc":"2.0","method":"x","params":7}`).Params)
	assert.Equal(t, "time", d.reported.Invalid)
}

func TestToolCall(t *testing.T) {
	for arguments, want := range map[string]event.Heartbeat{
		`{"phase":"idle","detail":"d","current_task":"no","files_active":["a"],"subagents":1}`: {Status: event.HostStatus{
			Phase: `"idle"`, CurrentTask: `"d"`, FilesActive: `["a"]`, Subagents: "1",
		}},
		`{"phase":"idle","files_active":"a"}`: {
			Notice: event.Notice{Invalid: "files_active is not an array"},
			Status: event.HostStatus{Phase: `"idle"`, FilesActive: `"a"`},
		},
		`{"phase":"idle","subagents":"1"}`: {
			Notice: event.Notice{Invalid: "subagents is not a number"},
			Status: event.HostStatus{Phase: `"idle"`, Subagents: `"1"`},
		},
		``: {Notice: event.Notice{Invalid: "phase is missing or unknown"}},
	} {
		var d Decoder
		want.Name, want.Status.Tool, want.Detail = "notifications/host.heartbeat", true, &want.Status
		assert.Equal(t, &want, d.ToolCall(&event.Notice{Invalid: "of the call"}, jsonscan.Value(arguments)), arguments)
	}
}

func TestIsHeartbeatTool(t *testing.T) {
	for text, want := range map[string]bool{
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"host_heartbeat"}}`: true,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"eywa_heartbeat"}}`: true,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"heartbeat"}}`:      false,
		`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"name":"host_heartbeat"}}`: false,
		`{"jsonrpc":"2.0","method":"tools/call","params":{"name":"host_heartbeat"}}`:        false,
	} {
		assert.Equal(t, want, IsHeartbeatTool(message(t, text)), text)
	}
	assert.False(t, IsNotification(message(t, `{"jsonrpc":"2.0","id":1,"method":"notifications/host.error"}`)))
}

func TestRoute(t *testing.T) {
	meta := `{"jsonrpc":"2.0","method":"x","params":{"_meta":{"io.modelcontextprotocol/clientInfo":{"name":"m"}}}}`
	bare := `{"jsonrpc":"2.0","method":"x"}`
	for _, tt := range []struct {
		name, text string
		env, want  event.Envelope
	}{
		{"host", meta, event.Envelope{Host: "h", Session: "s", MCPSession: "m"}, event.Envelope{Host: "h", Session: "h", Tapped: "s"}},
		{"session", meta, event.Envelope{Session: "s", Peer: "p"}, event.Envelope{Session: "s", Peer: "p"}},
		{
			"client in _meta", meta,
			event.Envelope{Client: "c", Peer: "p"},
			event.Envelope{Client: "c", Peer: "p", Session: "m@p", Derived: true},
		},
		{
			"client of the record", bare,
			event.Envelope{Client: "c", Peer: "p"},
			event.Envelope{Client: "c", Peer: "p", Session: "c@p", Derived: true},
		},
		{"no client", bare, event.Envelope{Peer: "p"}, event.Envelope{Peer: "p"}},
		{"no address", meta, event.Envelope{}, event.Envelope{}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			Route(&tt.env, message(t, tt.text))
			assert.Equal(t, tt.want, tt.env)
		})
	}
}

func TestNoAllocations(t *testing.T) {
	for _, text := range []string{
		`{"jsonrpc":"2.0","method":"notifications/host.heartbeat","params":{"phase":"working","tokens_used":61200}}`,
		`{"jsonrpc":"2.0","method":"notifications/host.subagent_completed","params":{"subagent_id":"a"}}`,
		`{"jsonrpc":"2.0","method":"notifications/host.error","params":{"error_type":"x"}}`,
	} {
		var d Decoder
		m := message(t, text)
		n := event.Notice{Contact: event.Contact{Method: m.Method}}
		assert.Zero(t, testing.AllocsPerRun(100, func() { d.Notification(&n, &m.Params) }), text)
	}
}
