package session

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonscan"
	"github.com/otelcol-mcp/otelcol-mcp/internal/protocol/jsonrpc"
	"github.com/otelcol-mcp/otelcol-mcp/internal/protocol/mcp"
)

// taken are the last events that a decoder passed on.
type taken struct {
	kind  event.CallKind
	reply *event.Reply
}

func (k *taken) Apply(_ context.Context, _ *event.Envelope, e event.Event) error {
	switch e := e.(type) {
	case *event.CallStarted:
		k.kind = e.Kind
	case *event.CallEnded:
		k.reply = &e.Reply
	}
	return nil
}

func decode(t *testing.T, text string) (k taken) {
	t.Helper()
	var c jsonscan.Cursor
	var m jsonrpc.Message
	var d mcp.Decoder
	c.Reset([]byte(text))
	require.NoError(t, m.Decode(&c), text)
	require.NoError(t, d.Message(t.Context(), &k, &event.Envelope{}, &m))
	return k
}

// kindOf is the kind of a call with that method.
func kindOf(t *testing.T, method string) event.CallKind {
	t.Helper()
	return decode(t, `{"jsonrpc":"2.0","id":1,"method":"`+method+`"}`).kind
}

func replyOf(t *testing.T, text string) *event.Reply {
	t.Helper()
	reply := decode(t, text).reply
	require.NotNil(t, reply)
	return reply
}

func TestOutcomeOf(t *testing.T) {
	failed := func(code, kind, rpc, message string) Outcome {
		return Outcome{Failed: true, Code: code, Type: kind, RPCCode: rpc, Message: message}
	}
	for _, tt := range []struct {
		name, method, reply string
		want                Outcome
	}{
		{"well", "tools/call", `"result":{"content":[]}`, Outcome{}},
		{"not isError", "tools/call", `"result":{"isError":false,"content":[{"type":"text","text":"unknown tool"}]}`, Outcome{}},
		{"isError elsewhere", "prompts/get", `"result":{"isError":true}`, Outcome{}},
		{
			"isError", "tools/call", `"result":{"content":[{"type":"image"},{"type":"text","text":"disk full"}],"isError":true}`,
			failed("SERVER_ERROR", "tool_error", "", "disk full"),
		},
		{
			"isError without text", "tools/call", `"result":{"content":[],"isError":true}`,
			failed("SERVER_ERROR", "tool_error", "", ""),
		},
		{
			"isError of an unknown tool", "tools/call", `"result":{"content":[{"type":"text","text":"Tool nope not found"}],"isError":true}`,
			failed("UNKNOWN_TOOL", "tool_error", "", "Tool nope not found"),
		},
		{
			"isError of bad arguments", "tools/call", `"result":{"content":[{"type":"text","text":"MCP error -32602: bad"}],"isError":true}`,
			failed("INVALID_PARAMS", "tool_error", "", "MCP error -32602: bad"),
		},
		{"method not found", "tools/call", `"error":{"code":-32601,"message":"no"}`, failed("UNKNOWN_TOOL", "-32601", "-32601", "no")},
		{"method not found elsewhere", "tools/list", `"error":{"code":-32601,"message":"no"}`, failed("SERVER_ERROR", "-32601", "-32601", "no")},
		{"unknown tool", "tools/call", `"error":{"code":-32602,"message":"UNKNOWN Tool: x"}`, failed("UNKNOWN_TOOL", "-32602", "-32602", "UNKNOWN Tool: x")},
		{"unknown tool elsewhere", "prompts/get", `"error":{"code":-32602,"message":"unknown tool"}`, failed("INVALID_PARAMS", "-32602", "-32602", "unknown tool")},
		{"invalid params", "tools/call", `"error":{"code":-32602,"message":"bad"}`, failed("INVALID_PARAMS", "-32602", "-32602", "bad")},
		{"invalid params in words", "tools/call", `"error":{"code":-32000,"message":"MCP error -32602"}`, failed("INVALID_PARAMS", "-32000", "-32000", "MCP error -32602")},
		{"time-out", "tools/call", `"error":{"code":-32001,"message":"Request Timed Out"}`, failed("TIMEOUT", "-32001", "-32001", "Request Timed Out")},
		{"timeout", "x", `"error":{"code":-32001,"message":"timeout"}`, failed("TIMEOUT", "-32001", "-32001", "timeout")},
		{"-32001 of another kind", "x", `"error":{"code":-32001,"message":"no session"}`, failed("SERVER_ERROR", "-32001", "-32001", "no session")},
		{"timeout of another code", "x", `"error":{"code":-32000,"message":"timeout"}`, failed("SERVER_ERROR", "-32000", "-32000", "timeout")},
		{"an error that is no object", "x", `"error":"oops"`, failed("SERVER_ERROR", "_OTHER", "", "")},
		{"null error", "x", `"error":null,"result":{}`, Outcome{}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			assert.Equal(t, tt.want, outcomeOfReply(kindOf(t, tt.method), replyOf(t, `{"jsonrpc":"2.0","id":1,`+tt.reply+`}`)))
		})
	}
}

func TestALongTextIsNotSearchedToItsEnd(t *testing.T) {
	assert.True(t, saysUnknownTool(strings.Repeat("x", meaningBytes-12)+"unknown tool"))
	assert.False(t, saysUnknownTool(strings.Repeat("x", meaningBytes)+"unknown tool"))
}

func TestOutcomesWithoutReply(t *testing.T) {
	assert.Equal(t, Outcome{Failed: true, Code: "CANCELLED", Type: "cancelled", Message: "why"}, outcomeCancelled("tools/call", "why"))
	assert.Equal(t, Outcome{}, outcomeCancelled("subscriptions/listen", "why"))
	assert.Equal(t, Outcome{}, outcomeCancelled("events/stream", ""))
	assert.Equal(t, Outcome{Failed: true, Code: "TIMEOUT", Type: "timeout", Message: "no reply within 1h0m0s"}, outcomeTimedOut(time.Hour))
}
