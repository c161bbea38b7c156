package session

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session/store"
)

var unknownTool = regexp.MustCompile(`(?i)unknown tool|tool .*not found`)

// meaningBytes limits how far into an error's text its meaning is looked for: an
// error about a missing tool says so at once, and a long output is not worth a
// search.
const meaningBytes = 4096

func saysUnknownTool(text string) bool {
	return unknownTool.MatchString(text[:min(len(text), meaningBytes)])
}

// JSON-RPC error codes with a meaning of their own here.
const (
	codeMethodNotFound = -32601
	codeInvalidParams  = -32602
	codeRequestTimeout = -32001
)

// outcomeOfReply reads how a call ended from its reply.
func outcomeOfReply(kind event.CallKind, reply *event.Reply) Outcome {
	switch {
	case reply.Failed:
		return rpcError(kind, reply)
	case kind == event.ToolCall && reply.Result.IsError.IsTrue():
		return toolError(reply.Result.FirstText.Str())
	}
	return Outcome{}
}

func rpcError(kind event.CallKind, reply *event.Reply) Outcome {
	text := reply.Text
	o := Outcome{Failed: true, Code: mcpconv.CodeServerError, Type: mcpconv.TypeOther, Message: text}
	if reply.Coded {
		o.RPCCode = strconv.FormatInt(reply.Code, 10)
		o.Type = o.RPCCode
	}
	switch {
	case kind == event.ToolCall && (reply.Code == codeMethodNotFound || saysUnknownTool(text)):
		o.Code = mcpconv.CodeUnknownTool
	case reply.Code == codeInvalidParams, strings.HasPrefix(text, "MCP error -32602"):
		o.Code = mcpconv.CodeInvalidParams
	case reply.Code == codeRequestTimeout && isTimeout(text):
		o.Code = mcpconv.CodeTimeout
	}
	return o
}

func isTimeout(text string) bool {
	text = strings.ToLower(text)
	return strings.Contains(text, "timed out") || strings.Contains(text, "timeout")
}

func toolError(text string) Outcome {
	o := Outcome{Failed: true, Code: mcpconv.CodeServerError, Type: mcpconv.TypeToolError, Message: text}
	switch {
	case saysUnknownTool(text):
		o.Code = mcpconv.CodeUnknownTool
	case strings.HasPrefix(text, "MCP error -32602"):
		o.Code = mcpconv.CodeInvalidParams
	}
	return o
}

// outcomeOfTool returns the outcome of a tool of an agent that failed.
func outcomeOfTool(text string, interrupted bool) Outcome {
	if interrupted {
		return outcomeRefused(text)
	}
	return toolError(text)
}

// outcomeUnanswered is the outcome of a request whose HTTP exchange ended without a reply
// to it: status is that of the response, 0 if there was none. That is how a stream
// ends.
func outcomeUnanswered(method string, reply *event.Reply, status int64) Outcome {
	if mcpconv.Stream(method) && status < httprefused {
		return Outcome{}
	}
	o := Outcome{Failed: true, Code: mcpconv.CodeServerError, Type: mcpconv.TypeOther, Message: reply.Text}
	if reply.Coded {
		o.RPCCode = strconv.FormatInt(reply.Code, 10)
	}
	if status >= httprefused {
		o.Type = strconv.FormatInt(status, 10)
	}
	return o
}

// httprefused is the least status of a response that carries no reply on purpose.
const httprefused = 300

// outcomeRefused is the outcome of what a person or rule stopped.
func outcomeRefused(reason string) Outcome {
	return Outcome{Failed: true, Code: mcpconv.CodeCancelled, Type: mcpconv.TypeCancelled, Message: reason}
}

// outcomeCancelled is the outcome of a call that its sender gave up.
func outcomeCancelled(method, reason string) Outcome {
	if mcpconv.Stream(method) {
		return Outcome{} // cancelling is how a stream ends
	}
	return outcomeRefused(reason)
}

// outcomeTimedOut is the outcome of a call that got no reply in all the time there is.
func outcomeTimedOut(after time.Duration) Outcome {
	return Outcome{
		Failed: true, Code: mcpconv.CodeTimeout, Type: mcpconv.TypeTimeout,
		Message: fmt.Sprintf("no reply within %v", after),
	}
}

// outcomeOfTask returns the outcome by the status of the call's task alone.
func outcomeOfTask(c *store.CallRecord) Outcome {
	if c.TaskStatus != "failed" {
		return Outcome{}
	}
	return Outcome{Failed: true, Code: mcpconv.CodeServerError, Type: mcpconv.TypeOther, Message: c.TaskText}
}

// outcomeOfAgent returns the outcome of a sub-agent by its host's word.
func outcomeOfAgent(outcome string) Outcome {
	switch outcome {
	case "error":
		return Outcome{Failed: true, Code: mcpconv.CodeServerError, Type: mcpconv.TypeOther}
	case "timeout":
		return Outcome{Failed: true, Code: mcpconv.CodeTimeout, Type: mcpconv.TypeTimeout}
	}
	return Outcome{}
}
