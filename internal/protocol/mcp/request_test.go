package mcp

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonscan"
)

// requests are all kinds of calls.
var requests = []struct {
	method, params string
	want           event.CallStarted
}{
	{
		"tools/call", `{"name":"echo","arguments":{"a":1},"_meta":{"progressToken":7}}`,
		event.CallStarted{Kind: event.ToolCall, Target: "echo", Input: `{"a":1}`, Token: "7", FromClient: true},
	},
	{
		"resources/read", `{"uri":"file:///a"}`,
		event.CallStarted{Kind: event.ResourceRead, Target: "file:///a", FromClient: true},
	},
	{
		"prompts/get", `{"name":"p","arguments":{}}`,
		event.CallStarted{Kind: event.PromptGet, Target: "p", Input: `{}`, FromClient: true},
	},
	{
		"sampling/createMessage", `{"messages":[1],"systemPrompt":"s","modelPreferences":{"hints":[{"name":"m"},{"name":"n"}]}}`,
		event.CallStarted{
			Kind: event.ModelCall, Hint: "m", Input: `[1]`, Text: "s",
			Preference: `{"hints":[{"name":"m"},{"name":"n"}]}`,
		},
	},
	{
		"sampling/createMessage", `{"messages":[],"uri":"u","modelPreferences":{"hints":[]}}`,
		event.CallStarted{Kind: event.ModelCall, Input: `[]`, Preference: `{"hints":[]}`},
	},
	{
		"elicitation/create", `{"message":"May I?","requestedSchema":{"type":"object"}}`,
		event.CallStarted{Kind: event.Elicitation, Input: `{"type":"object"}`, Text: "May I?"},
	},
	{
		"session/request_permission", `{"toolCall":{"toolCallId":"t","title":"rm"},"options":[{}]}`,
		event.CallStarted{Kind: event.Permission, Input: `[{}]`, Text: "rm", About: "t"},
	},
	{
		"session/prompt", `{"prompt":[{"type":"text"}]}`,
		event.CallStarted{Kind: event.AgentPrompt, Input: `[{"type":"text"}]`, FromClient: true},
	},
	{
		"logging/setLevel", `{"level":"error"}`,
		event.CallStarted{Kind: event.LogLevelSetting, Target: "error", FromClient: true},
	},
	{"tasks/get", `{"taskId":"k"}`, event.CallStarted{TaskID: "k", FromClient: true}},
	{"fs/read_text_file", `{"taskId":"k"}`, event.CallStarted{}},
	{
		"tools/call", `{"name":"x","requestState":"s","inputResponses":{"a":{"action":"decline"},"b":{"action":"accept"}}}`,
		event.CallStarted{Kind: event.ToolCall, Target: "x", State: "s", Action: "decline", FromClient: true},
	},
	{
		"tools/call", `{"name":"x","inputResponses":{"a":{"action":"decline"}}}`,
		event.CallStarted{Kind: event.ToolCall, Target: "x", FromClient: true},
	},
	{
		"ping", `{"_meta":{"traceparent":"tp","tracestate":"ts"}}`,
		event.CallStarted{Trace: event.TraceMeta{Traceparent: `"tp"`, Tracestate: `"ts"`}, FromClient: true},
	},
}

func TestRequests(t *testing.T) {
	for _, tt := range requests {
		t.Run(tt.method, func(t *testing.T) {
			text := request(tt.method, tt.params)
			tt.want.Method, tt.want.ID, tt.want.Version, tt.want.Raw = tt.method, "1", "2.0", jsonscan.Value(text)
			assert.Equal(t, &tt.want, only(t, event.Envelope{}, text))
		})
	}
}

func TestTheDirectionOfARequest(t *testing.T) {
	for direction, want := range map[event.Direction]bool{event.Unknown: false, event.FromClient: true, event.FromServer: false} {
		e := only(t, event.Envelope{Direction: direction}, request("sampling/createMessage", `{}`))
		assert.Equal(t, want, e.(*event.CallStarted).FromClient)
	}
}

func TestRequestID(t *testing.T) {
	for params, want := range map[string]string{
		`{"_meta":{"mcp.request_id":"a","requestId":"b"}}`: "a",
		`{"_meta":{"mcp.request_id":7,"requestId":"b"}}`:   "b",
		`{"_meta":{"mcp.request_id":""}}`:                  "",
		`{"_meta":{"requestId":7}}`:                        "header",
		`[]`:                                               "header",
	} {
		e := only(t, event.Envelope{RequestID: "header"}, request("ping", params))
		assert.Equal(t, want, e.(*event.CallStarted).RequestID, params)
	}
}

func TestAction(t *testing.T) {
	for responses, want := range map[string]string{
		`{"a":{"action":"decline"},"b":{"action":"accept"}}`: "decline",
		`{"a":{"role":"assistant"},"b":{"action":"accept"}}`: "",
		`{"a":{"action":7}}`: "",
		`[1]`:                "",
		`{}`:                 "",
		`null`:               "",
	} {
		e := only(t, event.Envelope{}, request("tools/call", `{"requestState":"s","inputResponses":`+responses+`}`))
		assert.Equal(t, want, e.(*event.CallStarted).Action, responses)
	}
}

func TestInvalidRequests(t *testing.T) {
	for _, tt := range []struct {
		text, want string
		env        event.Envelope
	}{
		{text: request("tools/call", `{"arguments":{}}`), want: "name is missing"},
		{text: request("tools/call", `{"name":7}`), want: "name is missing"},
		{text: request("prompts/get", `{"name":""}`), want: "name is missing"},
		{text: request("resources/read", `{"name":"x"}`), want: "uri is missing"},
		{text: request("sampling/createMessage", `{"messages":{}}`), want: "messages are missing"},
		{text: request("elicitation/create", `{"message":7}`), want: "message is missing"},
		{text: request("elicitation/create", `{"message":""}`)},
		{text: request("initialize", `{"clientCapabilities":{"logging":{"level":"loud"}}}`), want: "logging.level is not one of RFC 5424's"},
		{text: request("initialize", `{"clientCapabilities":{"logging":{}}}`)},
		{text: request("ping", `7`), want: "params is neither an object nor an array"},
		{text: request("ping", `[]`)},
		{text: `{"jsonrpc":"2.0","id":1,"method":"ping"}`},
		{text: `{"jsonrpc":"1.0","id":1,"method":"tools/call"}`, env: event.Envelope{Invalid: "time"}, want: "jsonrpc is not 2.0"},
		{text: request("tools/call", `{}`), env: event.Envelope{Invalid: "time"}, want: "time"},
	} {
		assert.Equal(t, tt.want, only(t, tt.env, tt.text).(*event.CallStarted).Invalid, tt.text)
	}
}

// A call of a heartbeat tool is a call, and a heartbeat of the host's session.
func TestHeartbeatTools(t *testing.T) {
	const arguments = `{"phase":"working","tokens_used":5,"detail":"d","current_task":"no","files_active":["a"],"subagents":2}`
	for _, tool := range []string{"host_heartbeat", "eywa_heartbeat"} {
		params := `{"name":"` + tool + `","arguments":` + arguments + `,"_meta":{"io.modelcontextprotocol/clientInfo":{"name":"c"}}}`
		text := request("tools/call", params)
		r := decode(t, event.Envelope{Session: "s", Host: "h", MCPSession: "m"}, text)
		assert.Len(t, r.events, 2)
		call := r.events[0].(*event.CallStarted)
		assert.Equal(t, tool, call.Target)
		assert.Equal(t, "c", call.Hello.Client.Name)
		assert.Equal(t, event.Envelope{Session: "s", Host: "h", MCPSession: "m"}, r.envs[0])
		assert.Equal(t, event.Envelope{Session: "h", Host: "h", Tapped: "s"}, r.envs[1])
		beat := r.events[1].(*event.Heartbeat)
		assert.Equal(t, event.HostStatus{
			Phase: `"working"`, TokensUsed: "5", CurrentTask: `"d"`, FilesActive: `["a"]`, Subagents: "2", Tool: true,
		}, beat.Status)
		assert.Same(t, &beat.Status, beat.Detail)
		beat.Detail = nil
		assert.Equal(t, event.Notice{
			Contact: event.Contact{Method: "tools/call"}, Form: event.Request, Name: "notifications/host.heartbeat",
			Raw: jsonscan.Value(text), Params: jsonscan.Value(params), Version: "2.0", FromClient: true,
		}, beat.Notice)
	}
}

func TestServedRequestsAreNoCalls(t *testing.T) {
	env := event.Envelope{Served: true, Session: "s", Host: "h"}
	hello := event.Hello{Client: event.Peer{Name: "c"}}
	assert.Equal(t, &event.Contact{Method: "initialize", Hello: &hello},
		only(t, env, request("initialize", `{"clientInfo":{"name":"c"}}`)))
	r := decode(t, env, request("tools/call", `{"name":"host_heartbeat","_meta":{"io.modelcontextprotocol/clientInfo":{"name":"c"}}}`))
	assert.Len(t, r.events, 1)
	assert.Equal(t, "h", r.envs[0].Session)
	beat := r.events[0].(*event.Heartbeat)
	assert.Equal(t, &hello, beat.Hello)
	assert.Equal(t, "phase is missing or unknown", beat.Invalid)
}

func TestTheErrorIsTheTargets(t *testing.T) {
	var d Decoder
	r := recorder{err: assert.AnError}
	m := message(t, request("tools/call", `{"name":"host_heartbeat"}`))
	assert.ErrorIs(t, d.Message(t.Context(), &r, &event.Envelope{}, m), assert.AnError)
	assert.Len(t, r.events, 1)
}

// The level that an ACP client asks for is info unless it names one.
func TestLogLevelsOfACP(t *testing.T) {
	for logging, want := range map[string]event.ClientDeclares{
		`{"level":"warning"}`: {Logging: true, LogLevel: "warning"},
		`{"level":"loud"}`:    {Logging: true, LogLevel: "info"},
		`{}`:                  {Logging: true, LogLevel: "info"},
		`null`:                {},
	} {
		e := only(t, event.Envelope{ACP: true}, request("initialize", `{"clientCapabilities":{"logging":`+logging+`}}`))
		assert.Equal(t, &want, e.(*event.CallStarted).Hello.ClientDeclares, logging)
	}
}
