package agenthost

import (
	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonscan"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
	"github.com/otelcol-mcp/otelcol-mcp/internal/protocol/jsonrpc"
)

const (
	usedNoInteger  = "tokens_used is not an integer"
	limitNoInteger = "tokens_limit is not an integer"
)

// invalidStatus is why a heartbeat, or the arguments of a heartbeat tool, breaks
// its schema, "" if it does not.
func invalidStatus(s *event.HostStatus) string {
	if _, known := mcpconv.Phase(s.Phase.Str()); !known {
		return "phase is missing or unknown"
	}
	members := [...]jsonrpc.Typed{
		{Value: s.TokensUsed, Is: jsonrpc.IsInteger, Why: usedNoInteger},
		{Value: s.TokensLimit, Is: jsonrpc.IsInteger, Why: limitNoInteger},
		{Value: s.ToolCallsTotal, Is: jsonrpc.IsInteger, Why: "tool_calls_total is not an integer"},
		{Value: s.ElapsedSeconds, Is: jsonscan.Value.IsNumber, Why: "elapsed_seconds is not a number"},
		{Value: s.CurrentTask, Is: jsonscan.Value.IsString, Why: "current_task is not a string"},
		{Value: s.FilesActive, Is: jsonscan.Value.IsArray, Why: "files_active is not an array"},
		{Value: s.Subagents, Is: jsonscan.Value.IsNumber, Why: "subagents is not a number"},
	}
	return jsonrpc.FirstWrong(members[:])
}

// invalidReport is the same for another notification.
func invalidReport(r *event.HostReport) string {
	members := [...]jsonrpc.Typed{
		{Value: r.TokensUsed, Is: jsonrpc.IsInteger, Why: usedNoInteger},
		{Value: r.TokensLimit, Is: jsonrpc.IsInteger, Why: limitNoInteger},
		{Value: r.TokensBefore, Is: jsonrpc.IsInteger, Why: "tokens_before is not an integer"},
		{Value: r.TokensAfter, Is: jsonrpc.IsInteger, Why: "tokens_after is not an integer"},
		{Value: r.MessagesDropped, Is: jsonrpc.IsInteger, Why: "messages_dropped is not an integer"},
		{Value: r.Reason, Is: jsonscan.Value.IsString, Why: "reason is not a string"},
		{Value: r.Agent.ID, Is: jsonscan.Value.IsString, Why: "subagent_id is not a string"},
		{Value: r.Agent.Type, Is: jsonscan.Value.IsString, Why: "subagent_type is not a string"},
		{Value: r.Agent.Task, Is: jsonscan.Value.IsString, Why: "task is not a string"},
		{Value: r.Agent.Model, Is: jsonscan.Value.IsString, Why: "model is not a string"},
		{Value: r.Agent.Duration, Is: jsonscan.Value.IsNumber, Why: "duration_seconds is not a number"},
		{Value: r.Agent.Outcome, Is: isOutcome, Why: "outcome is unknown"},
		{Value: r.Percent, Is: jsonscan.Value.IsNumber, Why: "percent is not a number"},
		{Value: r.Threshold, Is: jsonscan.Value.IsString, Why: "threshold is not a string"},
		{Value: r.ErrorType, Is: jsonscan.Value.IsString, Why: "error_type is not a string"},
		{Value: r.Message, Is: jsonscan.Value.IsString, Why: "message is not a string"},
		{Value: r.Retrying, Is: jsonrpc.IsBoolean, Why: "retrying is not a boolean"},
		{Value: r.RetryCount, Is: jsonrpc.IsInteger, Why: "retry_count is not an integer"},
	}
	return jsonrpc.FirstWrong(members[:])
}

func isOutcome(v jsonscan.Value) bool {
	switch v.Str() {
	case "success", "error", "timeout":
		return true
	}
	return false
}
