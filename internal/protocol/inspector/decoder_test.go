package inspector

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/inspectorwire"
)

// at is the time of day in the events below, Unix ns.
func at(seconds float64) int64 {
	return time.Date(2026, 2, 19, 16, 0, 0, 0, time.UTC).UnixNano() + int64(seconds*1e9)
}

// wire is the only event of a body.
func wire(t *testing.T, text string) *inspectorwire.Event {
	t.Helper()
	var e inspectorwire.Event
	for _, item := range inspectorwire.Events([]byte(text), inspectorwire.JSON) {
		require.NoError(t, item.Err)
		e = *item.Event
	}
	require.Equal(t, text, e.Raw)
	return &e
}

// events are all kinds, and what they are turned into.
var events = []struct {
	text string
	want func(n event.Notice) event.Event // n is what all notices have
	time int64                            // of the envelope, if the event changes it
}{
	{`{"type":"SessionStarted","session_id":"s","title":"t","engine":"asyncio","start_time":"2026-02-19T16:00:01Z"}`, func(n event.Notice) event.Event {
		return &event.WorkflowStarted{Title: "t", Engine: "asyncio", Time: at(1), Raw: string(n.Raw)}
	}, at(1)},
	{`{"type":"SessionStarted","session_id":"s"}`, func(n event.Notice) event.Event {
		return &event.WorkflowStarted{Raw: string(n.Raw)}
	}, 0},
	{`{"type":"SessionFinished","session_id":"s","status":"failed","error":"e","end_time":"2026-02-19T16:00:05Z","duration_ms":1500}`, func(event.Notice) event.Event {
		return &event.WorkflowFinished{Status: "failed", Error: "e", Start: at(3.5), Time: at(5)}
	}, at(5)},
	{`{"type":"SessionFinished","session_id":"s","status":"completed","duration_ms":1500}`, func(event.Notice) event.Event {
		return &event.WorkflowFinished{Status: "completed", Start: at(-1.5)}
	}, 0},
	{`{"type":"SessionFinished","session_id":"s","status":"cancelled"}`, func(event.Notice) event.Event {
		return &event.WorkflowFinished{Status: "cancelled"}
	}, 0},
	{`{"type":"WaitingOnSignal","session_id":"s","signal_name":"ok","prompt":"May I?","schema":{"type":"object"}}`, func(n event.Notice) event.Event {
		return &event.WaitStarted{Name: "ok", Prompt: "May I?", Schema: `{"type":"object"}`, Raw: string(n.Raw)}
	}, 0},
	{`{"type":"SignalReceived","session_id":"s","signal_name":"ok"}`, func(event.Notice) event.Event { return &event.WaitEnded{Name: "ok"} }, 0},
	{`{"type":"Heartbeat","session_id":"s","llm_calls_delta":1,"tokens_delta":-2,"tool_calls_delta":3}`, func(n event.Notice) event.Event {
		e := &event.WorkflowUsage{Notice: n, Deltas: event.Deltas{LLMCalls: 1, Tokens: -2, ToolCalls: 3}}
		e.Detail = &e.Deltas
		return e
	}, 0},
	{`{"type":"ResourceFetched","session_id":"s","uri":"u","mime_type":"text/plain","bytes":5}`, func(n event.Notice) event.Event {
		n.Name, n.Detail = "resource.fetch", &event.ResourceUsed{URI: "u", MimeType: "text/plain", Bytes: 5, HasBytes: true}
		return &event.WorkflowReported{Notice: n}
	}, 0},
	{`{"type":"PromptUsed","session_id":"s","template_id":"p","parameters":{"a":1}}`, func(n event.Notice) event.Event {
		n.Name, n.Detail = "prompt.apply", &event.PromptUsed{Template: "p", Parameters: `{"a":1}`}
		return &event.WorkflowReported{Notice: n}
	}, 0},
	{`{"type":"ProgressUpdate","session_id":"s","progress_token":"k","percent":12.5,"message":"m"}`, func(n event.Notice) event.Event {
		n.Name, n.Detail = "progress.update", &event.WorkflowProgress{Token: "k", Percent: 12.5, HasPercent: true, Message: "m"}
		return &event.WorkflowReported{Notice: n}
	}, 0},
	{`{"type":"AgentSelected","session_id":"s","other":[1]}`, func(n event.Notice) event.Event {
		return &event.WorkflowReported{Notice: n}
	}, 0},
}

func TestEvents(t *testing.T) {
	for _, tt := range events {
		e := wire(t, tt.text)
		t.Run(e.Type, func(t *testing.T) {
			require.Empty(t, e.Invalid)
			n := event.Notice{
				Contact: event.Contact{Method: e.Type}, Source: event.Inspector, Prefix: "inspector.", Raw: event.JSON(tt.text),
				Params: event.JSON(tt.text), FromClient: true,
			}
			env := event.Envelope{Time: at(0)}
			var d Decoder
			assert.Equal(t, tt.want(n), d.Event(&env, e))
			if tt.time == 0 {
				tt.time = at(0)
			}
			assert.Equal(t, tt.time, env.Time)
		})
	}
}

// An event that breaks its schema is recorded as far as it goes.
func TestInvalidEvents(t *testing.T) {
	e := wire(t, `{"type":"ProgressUpdate","session_id":"s","percent":"half","message":"m"}`)
	require.NotEmpty(t, e.Invalid)
	var d Decoder
	reported := d.Event(&event.Envelope{Invalid: e.Invalid}, e).(*event.WorkflowReported)
	assert.Equal(t, e.Invalid, reported.Invalid)
	assert.Equal(t, &event.WorkflowProgress{Message: "m"}, reported.Detail)
}

func TestEventsHaveNothingOfThoseBefore(t *testing.T) {
	var d Decoder
	var env event.Envelope
	d.Event(&env, wire(t, `{"type":"ResourceFetched","session_id":"s","uri":"u"}`))
	reported := d.Event(&env, wire(t, `{"type":"Other","session_id":"s"}`)).(*event.WorkflowReported)
	assert.Empty(t, reported.Name)
	assert.Nil(t, reported.Detail)
	d.Event(&env, wire(t, `{"type":"SessionFinished","session_id":"s","status":"failed","error":"e","duration_ms":5}`))
	assert.Equal(t, &event.WorkflowFinished{}, d.Event(&env, wire(t, `{"type":"SessionFinished","session_id":"s"}`)))
}

func TestNoAllocations(t *testing.T) {
	e := wire(t, `{"type":"Heartbeat","session_id":"s","tokens_delta":2}`)
	var d Decoder
	var env event.Envelope
	assert.Zero(t, testing.AllocsPerRun(100, func() { d.Event(&env, e) }))
}
