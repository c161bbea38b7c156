package session

import (
	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonrpc"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

const noPhase = "phase is missing or unknown"

func isPhase(name string) bool {
	_, ok := mcpconv.Phase(name)
	return ok
}

// typed is a member of host telemetry that must be of a type, if it is there.
type typed struct {
	value jsonrpc.Value
	is    func(jsonrpc.Value) bool
	why   string // it is not
}

// firstWrong is what is wrong with the first that is of another type; null is as
// good as absent.
func firstWrong(members []typed) string {
	for i := range members {
		if v := members[i].value; v != "" && !v.IsNull() && !members[i].is(v) {
			return members[i].why
		}
	}
	return ""
}

func isInteger(v jsonrpc.Value) bool {
	_, ok := v.Int()
	return ok
}

func isBoolean(v jsonrpc.Value) bool { return v == "true" || v == "false" }

func isOutcome(v jsonrpc.Value) bool {
	switch v.Str() {
	case "success", "error", "timeout":
		return true
	}
	return false
}

// invalidBeat is why a heartbeat, or the arguments of a heartbeat tool, breaks
// its schema, "" if it does not.
func invalidBeat(h *jsonrpc.Host) string {
	if !isPhase(h.Phase.Str()) {
		return noPhase
	}
	members := [...]typed{
		{h.TokensUsed, isInteger, usedNoInteger},
		{h.TokensLimit, isInteger, limitNoInteger},
		{h.ToolCallsTotal, isInteger, "tool_calls_total is not an integer"},
		{h.ElapsedSeconds, jsonrpc.Value.IsNumber, "elapsed_seconds is not a number"},
		{h.CurrentTask, jsonrpc.Value.IsString, "current_task is not a string"},
		{h.FilesActive, jsonrpc.Value.IsArray, "files_active is not an array"},
		{h.Subagents, jsonrpc.Value.IsNumber, "subagents is not a number"},
	}
	return firstWrong(members[:])
}

const (
	usedNoInteger  = "tokens_used is not an integer"
	limitNoInteger = "tokens_limit is not an integer"
)

// invalidHostEvent is why another notification of a host breaks its schema.
func invalidHostEvent(m *jsonrpc.Message, e *jsonrpc.HostEvent) string {
	p := &m.Params
	members := [...]typed{
		{p.Host.TokensUsed, isInteger, usedNoInteger},
		{p.Host.TokensLimit, isInteger, limitNoInteger},
		{e.TokensBefore, isInteger, "tokens_before is not an integer"},
		{e.TokensAfter, isInteger, "tokens_after is not an integer"},
		{e.MessagesDropped, isInteger, "messages_dropped is not an integer"},
		{p.Reason, jsonrpc.Value.IsString, "reason is not a string"},
		{e.AgentID, jsonrpc.Value.IsString, "subagent_id is not a string"},
		{e.AgentType, jsonrpc.Value.IsString, "subagent_type is not a string"},
		{e.Task, jsonrpc.Value.IsString, "task is not a string"},
		{e.Model, jsonrpc.Value.IsString, "model is not a string"},
		{e.Duration, jsonrpc.Value.IsNumber, "duration_seconds is not a number"},
		{e.Outcome, isOutcome, "outcome is unknown"},
		{e.Percent, jsonrpc.Value.IsNumber, "percent is not a number"},
		{e.Threshold, jsonrpc.Value.IsString, "threshold is not a string"},
		{e.ErrorType, jsonrpc.Value.IsString, "error_type is not a string"},
		{p.Message, jsonrpc.Value.IsString, "message is not a string"},
		{e.Retrying, isBoolean, "retrying is not a boolean"},
		{e.RetryCount, isInteger, "retry_count is not an integer"},
	}
	return firstWrong(members[:])
}
