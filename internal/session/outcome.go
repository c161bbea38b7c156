package session

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonrpc"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// Outcome is how something ended; the zero value is well.
type Outcome struct {
	Failed  bool
	Code    string // mcp.error.code
	Type    string // error.type
	RPCCode string // rpc.response.status_code
	Message string
}

var unknownTool = regexp.MustCompile(`(?i)unknown tool|tool .*not found`)

// sayingBytes is how far into an error's text is looked for its meaning: an
// error that says which tool is missing says so at once, and a long output is
// not worth a search.
const sayingBytes = 4096

func saysUnknownTool(text string) bool {
	return unknownTool.MatchString(text[:min(len(text), sayingBytes)])
}

// JSON-RPC error codes with a meaning of their own here.
const (
	codeMethodNotFound = -32601
	codeInvalidParams  = -32602
	codeRequestTimeout = -32001
)

// outcomeOf reads how a call ended from its reply.
func outcomeOf(method string, reply *jsonrpc.Message) Outcome {
	switch {
	case reply.Error.Present():
		return rpcError(method, &reply.Error)
	case method == mcpconv.MethodToolsCall && reply.Result.IsError.IsTrue():
		return toolError(reply.Result.FirstText.Str())
	}
	return Outcome{}
}

func rpcError(method string, e *jsonrpc.Error) Outcome {
	code := strconv.FormatInt(e.Code, 10)
	text := e.Message.Str()
	o := Outcome{Failed: true, Code: mcpconv.CodeServerError, Type: code, RPCCode: code, Message: text}
	switch {
	case method == mcpconv.MethodToolsCall && (e.Code == codeMethodNotFound || saysUnknownTool(text)):
		o.Code = mcpconv.CodeUnknownTool
	case e.Code == codeInvalidParams, strings.HasPrefix(text, "MCP error -32602"):
		o.Code = mcpconv.CodeInvalidParams
	case e.Code == codeRequestTimeout && isTimeout(text):
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

func cancelled(method, reason string) Outcome {
	if mcpconv.Stream(method) {
		return Outcome{} // cancelling is how a stream ends
	}
	return Outcome{Failed: true, Code: mcpconv.CodeCancelled, Type: mcpconv.TypeCancelled, Message: reason}
}

func timedOut(after time.Duration) Outcome {
	return Outcome{
		Failed: true, Code: mcpconv.CodeTimeout, Type: mcpconv.TypeTimeout,
		Message: fmt.Sprintf("no reply within %v", after),
	}
}
