package tap

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/test/harness"
)

// message holds what is needed of a JSON-RPC message to know its span.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
		RequestID json.RawMessage `json:"requestId"`
	} `json:"params"`
	Result *struct {
		Content json.RawMessage `json:"content"`
		IsError bool            `json:"isError"`
	} `json:"result"`
	Error *struct {
		Code int `json:"code"`
	} `json:"error"`
}

// call is a request and what became of it.
type call struct {
	direction string // as mcp.rpc.direction has it
	request   message
	reply     *message
	cancelled bool
}

type key struct{ direction, id string }

// calls returns those in the messages that the client and the server wrote.
func calls(t *testing.T, fromClient, fromServer [][]byte) map[key]*call {
	t.Helper()
	all := map[key]*call{}
	client, server := parse(t, fromClient), parse(t, fromServer)
	add(all, "outbound", client, server)
	add(all, "inbound", server, client)
	for k, c := range all {
		if c.request.Method == "ping" { // dropped unless asked for
			delete(all, k)
		}
	}
	return all
}

func add(to map[key]*call, direction string, asks, answers []message) {
	for _, m := range asks {
		if m.Method != "" && m.ID != nil {
			to[key{direction, string(m.ID)}] = &call{direction: direction, request: m}
		}
	}
	for i, m := range answers {
		if c := to[key{direction, string(m.ID)}]; m.Method == "" && c != nil {
			c.reply = &answers[i]
		}
	}
	for _, m := range asks {
		if c := to[key{direction, string(m.Params.RequestID)}]; m.Method == "notifications/cancelled" && c != nil {
			c.cancelled = true
		}
	}
}

func parse(t *testing.T, texts [][]byte) (all []message) {
	t.Helper()
	for _, text := range texts {
		if len(bytes.TrimSpace(text)) == 0 {
			continue
		}
		var m message
		require.NoError(t, json.Unmarshal(text, &m), "%s", text)
		all = append(all, m)
	}
	return all
}

func lines(text []byte) [][]byte { return bytes.Split(text, []byte("\n")) }

// spansOf are the spans that are calls.
func spansOf(traces ptrace.Traces) map[key][]ptrace.Span {
	all := map[key][]ptrace.Span{}
	for _, span := range every(traces) {
		if id := text(span, "mcp.rpc.id"); id != "" {
			if request := text(span, "mcp.rpc.method"); !strings.HasPrefix(request, "notifications/") {
				k := key{text(span, "mcp.rpc.direction"), id}
				all[k] = append(all[k], span)
			}
		}
	}
	return all
}

func every(traces ptrace.Traces) (all []ptrace.Span) {
	for _, rs := range traces.ResourceSpans().All() {
		for _, ss := range rs.ScopeSpans().All() {
			for _, span := range ss.Spans().All() {
				all = append(all, span)
			}
		}
	}
	return all
}

func text(span ptrace.Span, name string) string {
	if v, ok := span.Attributes().Get(name); ok {
		return v.AsString()
	}
	return ""
}

// root waits for the root span of the only session.
func root(t *testing.T, c *collector) ptrace.Span {
	t.Helper()
	var found ptrace.Span
	harness.Eventually(t, "no root span", func() bool {
		for _, span := range every(c.sink.Received()) {
			if span.Name() == "workflow.run" {
				found = span
				return true
			}
		}
		return false
	})
	return found
}

// assertSpans checks that each call is one span that tells how it went, and
// that there are no others.
func assertSpans(t *testing.T, want map[key]*call, traces ptrace.Traces) {
	t.Helper()
	got := spansOf(traces)
	for k, c := range want {
		k.id = strings.Trim(k.id, `"`)
		if assert.Len(t, got[k], 1, "%s %s %s", k.direction, k.id, c.request.Method) {
			c.assertSpan(t, got[k][0])
		}
	}
	assert.Len(t, got, len(want), "spans of calls that nobody made")
}

func (c *call) assertSpan(t *testing.T, span ptrace.Span) {
	t.Helper()
	assert.Equal(t, c.request.Method, text(span, "mcp.rpc.method"))
	assert.LessOrEqual(t, span.StartTimestamp(), span.EndTimestamp())
	assert.False(t, span.ParentSpanID().IsEmpty(), "%s has no parent", span.Name())
	failed := c.cancelled || c.reply == nil || c.reply.Error != nil || c.reply.Result != nil && c.reply.Result.IsError
	assert.Equal(t, failed, span.Status().Code() == ptrace.StatusCodeError, "%s %s", c.request.Method, span.Status().Message())
	if c.request.Method != "tools/call" {
		return
	}
	assert.Equal(t, "tool.call", span.Name())
	assert.Equal(t, c.request.Params.Name, text(span, "mcp.tool.name"))
	assert.Equal(t, string(c.request.Params.Arguments), text(span, "mcp.tool.input_json"))
	if c.reply != nil && c.reply.Result != nil && !c.cancelled {
		output := `{"content":` + string(c.reply.Result.Content) + `,"isError":false}`
		if c.reply.Result.IsError {
			output = strings.TrimSuffix(output, "false}") + "true}"
		}
		assert.Equal(t, output, text(span, "mcp.tool.output_json"))
	}
}
