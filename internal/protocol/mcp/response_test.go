package mcp

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonscan"
)

// orphan is the notice of a reply that answers nothing.
func orphan(text string) event.Notice {
	return event.Notice{
		Form: event.Response, Name: "rpc.orphan_reply", Raw: jsonscan.Value(text), RPCID: "1", Version: "2.0",
	}
}

func TestReplies(t *testing.T) {
	for _, tt := range []struct {
		result string
		want   event.Result
	}{
		{
			`{"content":[{"type":"text","text":"x"}],"isError":true,"structuredContent":{"a":1}}`,
			event.Result{Content: `[{"type":"text","text":"x"}]`, FirstText: `"x"`, IsError: "true", Structured: `{"a":1}`},
		},
		{`{"contents":[{"mimeType":"text/plain","text":"abc"},{"blob":"aGk="}]}`, event.Result{MimeType: `"text/plain"`, Bytes: 5}},
		{
			`{"role":"assistant","content":{"text":"x"},"model":"m","stopReason":"endTurn"}`,
			event.Result{Role: `"assistant"`, Content: `{"text":"x"}`, Model: `"m"`, StopReason: `"endTurn"`},
		},
		{`{"action":"accept"}`, event.Result{Action: `"accept"`}},
		{`{"outcome":{"outcome":"selected","optionId":"once"}}`, event.Result{Permission: "once"}},
		{`{"outcome":{"outcome":"cancelled"}}`, event.Result{Permission: "cancelled"}},
		{`null`, event.Result{}},
		{`[1]`, event.Result{}},
	} {
		text := reply(tt.result)
		tt.want.Raw = jsonscan.Value(tt.result)
		want := event.CallEnded{Notice: orphan(text), ID: "1", Reply: event.Reply{Raw: jsonscan.Value(text), Result: tt.want}}
		assert.Equal(t, &want, only(t, event.Envelope{}, text), tt.result)
	}
}

func TestErrors(t *testing.T) {
	for text, want := range map[string]event.Reply{
		`{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"no"}}`: {Failed: true, Code: -32602, Coded: true, Text: "no"},
		`{"jsonrpc":"2.0","id":1,"error":"no"}`:                           {Failed: true},
		`{"jsonrpc":"2.0","id":1,"result":{},"error":null}`:               {Result: event.Result{Raw: "{}"}},
	} {
		want.Raw = jsonscan.Value(text)
		e := only(t, event.Envelope{}, text).(*event.CallEnded)
		assert.Equal(t, want, e.Reply)
		assert.Equal(t, want.Failed && !want.Coded, e.Invalid != "")
	}
}

func TestWhatElseAReplyReports(t *testing.T) {
	e := only(t, event.Envelope{}, reply(`{"sessionId":"s","protocolVersion":"v","_meta":{"otel":{"traces":{"resourceSpans":[{}]}}}}`)).(*event.CallEnded)
	assert.Equal(t, "s", e.Session)
	assert.True(t, e.Agreed)
	assert.Equal(t, event.JSON("[{}]"), e.Reply.Spans)
	assert.Equal(t, "v", e.Hello.Protocol)

	e = only(t, event.Envelope{Direction: event.FromClient, Invalid: "time"}, `{"jsonrpc":"2.0","id":null,"error":{}}`).(*event.CallEnded)
	assert.True(t, e.FromClient)
	assert.Equal(t, "a response without id", e.Invalid)
	e = only(t, event.Envelope{Invalid: "time"}, reply(`{}`)).(*event.CallEnded)
	assert.Equal(t, "time", e.Invalid)
}

// Outcomes of the tasks below.
var (
	done   = &event.Reply{Raw: `{"isError":true}`, Result: event.Result{Raw: `{"isError":true}`, IsError: "true"}}
	failed = &event.Reply{Raw: `{"code":-1,"message":"m"}`, Failed: true, Code: -1, Coded: true, Text: "m"}
)

// taskReplies are results with a task, and without one.
var taskReplies = []struct {
	name, result string
	task, poll   event.Task
	created      bool
}{
	{name: "none", result: `{"content":[]}`},
	{
		"in a member of its own", `{"task":{"taskId":"k","status":"working","ttl":1000,"statusMessage":"m"}}`,
		event.Task{ID: "k", Status: "working", Message: "m", TTL: "1000"},
		event.Task{},
		true,
	},
	{"another name of ttl", `{"task":{"taskId":"k","ttlMs":5}}`, event.Task{ID: "k", TTL: "5"}, event.Task{}, true},
	{name: "without id", result: `{"task":{"status":"working"}}`},
	{
		"both", `{"task":{"taskId":"k"},"taskId":"p","status":"completed"}`,
		event.Task{ID: "k"},
		event.Task{ID: "p", Status: "completed"},
		true,
	},
	{
		"as the result", `{"resultType":"task","taskId":"k","status":"working","ttlMs":1000}`,
		event.Task{ID: "k", Status: "working", TTL: "1000"},
		event.Task{ID: "k", Status: "working", TTL: "1000"},
		true,
	},
	{
		"polled", `{"taskId":"k","status":"input_required"}`,
		event.Task{ID: "k", Status: "input_required"},
		event.Task{ID: "k", Status: "input_required"},
		false,
	},
	{
		"completed", `{"taskId":"k","status":"completed","result":{"isError":true}}`,
		event.Task{ID: "k", Status: "completed", Outcome: done},
		event.Task{ID: "k", Status: "completed", Outcome: done},
		false,
	},
	{
		"failed", `{"taskId":"k","status":"failed","result":{},"error":{"code":-1,"message":"m"}}`,
		event.Task{ID: "k", Status: "failed", Outcome: failed},
		event.Task{ID: "k", Status: "failed", Outcome: failed},
		false,
	},
	{
		"with a result too early", `{"taskId":"k","status":"working","result":{"isError":true}}`,
		event.Task{ID: "k", Status: "working"},
		event.Task{ID: "k", Status: "working"},
		false,
	},
	{
		"with a result of another type", `{"taskId":"k","status":"completed","result":7}`,
		event.Task{ID: "k", Status: "completed"},
		event.Task{ID: "k", Status: "completed"},
		false,
	},
}

func TestTasksInReplies(t *testing.T) {
	for _, tt := range taskReplies {
		t.Run(tt.name, func(t *testing.T) {
			e := only(t, event.Envelope{}, reply(tt.result)).(*event.CallEnded)
			assert.Equal(t, tt.task, e.Task)
			assert.Equal(t, tt.poll, e.Poll)
			assert.Equal(t, tt.created, e.Created)
		})
	}
}

func TestInputRequired(t *testing.T) {
	for result, want := range map[string]*event.InputRequired{
		`{"resultType":"input_required","requestState":"s","inputRequests":{"a":{"method":"elicitation/create","params":{"message":"m","requestedSchema":{}}},"b":1}}`: {
			State: "s", Method: "elicitation/create", Prompt: "m", Schema: "{}",
		},
		`{"resultType":"input_required","requestState":"s","inputRequests":{"a":1,"b":{"method":"roots/list"}}}`: {State: "s", Method: "roots/list"},
		`{"resultType":"input_required","requestState":"s"}`:                                                     {State: "s"},
		`{"resultType":"input_required","requestState":7}`:                                                       nil,
		`{"resultType":"complete","requestState":"s"}`:                                                           nil,
		`{"requestState":"s"}`: nil,
	} {
		assert.Equal(t, want, only(t, event.Envelope{}, reply(result)).(*event.CallEnded).Input, result)
	}
}

// What a tapped poll brings: events with the cursor behind them, gaps, errors, and
// ends of subscriptions.
func TestPolls(t *testing.T) {
	occurred := func(raw jsonscan.Value, id, cursor event.JSON, subscription, generation string) event.EventSeen {
		return event.EventSeen{
			Method: "notifications/events/event", ID: id, Cursor: cursor, Subscription: subscription, Generation: generation,
			Delivery: "poll", Raw: raw, Invalid: "timestamp is not a time",
		}
	}
	fault := func(method string, raw jsonscan.Value, code, message event.JSON) event.EventSeen {
		return event.EventSeen{
			Method: method, Subscription: "s", Generation: "g1", Delivery: "poll", Raw: raw, Code: code, Message: message,
		}
	}
	gap := func(raw jsonscan.Value, cursor event.JSON, subscription, generation string) event.EventSeen {
		return event.EventSeen{
			Method: "notifications/events/gap", Cursor: cursor, Subscription: subscription, Generation: generation, Delivery: "poll", Raw: raw,
		}
	}
	const two = `[{"eventId":"a"},{"eventId":"b"}]`
	for result, want := range map[string][]event.EventSeen{
		`{"events":` + two + `,"cursor":"p"}`: {
			occurred(`{"eventId":"a"}`, `"a"`, "", "", ""), occurred(`{"eventId":"b"}`, `"b"`, `"p"`, "", ""),
		},
		`{"resultType":"complete","events":[{"eventId":"a","cursor":"o"}],"cursor":"p"}`: {
			occurred(`{"eventId":"a","cursor":"o"}`, `"a"`, `"o"`, "", "g3"),
		},
		`{"events":[{"eventId":"a"}],"cursor":null}`: {occurred(`{"eventId":"a"}`, `"a"`, "", "", "")},
		`{"events":[{"eventId":"a"}],"cursor":"p","truncated":true}`: {
			gap(`{"events":[{"eventId":"a"}],"cursor":"p","truncated":true}`, `"p"`, "", ""), occurred(`{"eventId":"a"}`, `"a"`, `"p"`, "", ""),
		},
		`{"events":[],"truncated":false}`: nil,
		`{"results":[{"id":"s","events":` + two + `,"cursor":"p","truncated":true}]}`: {
			gap(`{"id":"s","events":`+two+`,"cursor":"p","truncated":true}`, `"p"`, "s", "g1"),
			occurred(`{"eventId":"a"}`, `"a"`, "", "s", "g1"), occurred(`{"eventId":"b"}`, `"b"`, `"p"`, "s", "g1"),
		},
		`{"results":[{"id":"s","error":{"code":-32014,"message":"CursorExpired"}}]}`: {
			fault("notifications/events/gap", `{"id":"s","error":{"code":-32014,"message":"CursorExpired"}}`, "-32014", `"CursorExpired"`),
		},
		`{"results":[{"id":"s","error":{"code":-32603,"message":"m"}},{"id":"s","error":{"code":-32012,"message":"m"}}]}`: {
			fault("notifications/events/error", `{"id":"s","error":{"code":-32603,"message":"m"}}`, "-32603", `"m"`),
			fault("notifications/events/terminated", `{"id":"s","error":{"code":-32012,"message":"m"}}`, "-32012", `"m"`),
		},
	} {
		assert.Equal(t, want, only(t, event.Envelope{}, reply(result)).(*event.CallEnded).Seen, result)
	}
}

// A cursor that expired, and a stream that begins behind what it was asked for, are
// gaps.
func TestGapsOfStreams(t *testing.T) {
	for _, tt := range []struct{ method, params, want string }{
		{"notifications/events/error", `{"id":"s","error":{"code":-32014,"message":"CursorExpired"}}`, "notifications/events/gap"},
		{"notifications/events/error", `{"error":{"code":-32014,"message":"Unsupported"}}`, "notifications/events/error"},
		{"notifications/events/error", `{"error":{"code":-32603}}`, "notifications/events/error"},
		{"notifications/events/active", `{"cursor":"c","truncated":true}`, "notifications/events/gap"},
	} {
		n := only(t, event.Envelope{}, notify(tt.method, tt.params)).(*event.Notice)
		assert.Equal(t, tt.want, n.Method, tt.params)
		assert.Equal(t, tt.want, n.Detail.(*event.EventSeen).Method, tt.params)
	}
	n := only(t, event.Envelope{}, notify("notifications/events/active", `{"cursor":"c","truncated":false}`)).(*event.Notice)
	assert.IsType(t, &event.Subject{}, n.Detail)
}
