package session

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestOutcomeOf(t *testing.T) {
	failed := func(code, kind, rpc, message string) Outcome { return Outcome{true, code, kind, rpc, message} }
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
		{"an error that is no object", "x", `"error":"oops"`, failed("SERVER_ERROR", "0", "0", "")},
		{"null error", "x", `"error":null,"result":{}`, Outcome{}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			assert.Equal(t, tt.want, outcomeOf(tt.method, parse(t, `{"jsonrpc":"2.0","id":1,`+tt.reply+`}`)))
		})
	}
}

func TestALongTextIsNotSearchedToItsEnd(t *testing.T) {
	assert.True(t, saysUnknownTool(strings.Repeat("x", sayingBytes-12)+"unknown tool"))
	assert.False(t, saysUnknownTool(strings.Repeat("x", sayingBytes)+"unknown tool"))
}

func TestOutcomesWithoutReply(t *testing.T) {
	assert.Equal(t, Outcome{true, "CANCELLED", "cancelled", "", "why"}, cancelled("tools/call", "why"))
	assert.Equal(t, Outcome{}, cancelled("subscriptions/listen", "why"))
	assert.Equal(t, Outcome{}, cancelled("events/stream", ""))
	assert.Equal(t, Outcome{true, "TIMEOUT", "timeout", "", "no reply within 1h0m0s"}, timedOut(time.Hour))
}

func TestEndReason(t *testing.T) {
	for reason, want := range map[string]string{
		"finished": "finished", "idle": "idle", "evicted": "evicted", "shutdown": "shutdown",
		"closed": "closed", "": "closed", "SIGKILL": "closed", "max_spans": "closed",
	} {
		assert.Equal(t, want, endReason(reason), "%q", reason)
	}
}
