package tracker

import (
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
	"github.com/otelcol-mcp/otelcol-mcp/receiver/mcpreceiver/internal/wire"
)

const noPhase = "phase is missing or unknown"

func isPhase(name string) bool {
	_, ok := mcpconv.Phase(name)
	return ok
}

// typed is a member of host telemetry that must be of a type, if it is there.
type typed struct {
	value wire.Value
	is    func(wire.Value) bool
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

func isInteger(v wire.Value) bool {
	_, ok := v.Int()
	return ok
}

func isBoolean(v wire.Value) bool { return v == "true" || v == "false" }

func isOutcome(v wire.Value) bool {
	switch v.Str() {
	case "success", "error", "timeout":
		return true
	}
	return false
}

// invalidBeat is why a heartbeat, or the arguments of a heartbeat tool, breaks
// its schema, "" if it does not.
func invalidBeat(h *wire.Host) string {
	if !isPhase(h.Phase.Str()) {
		return noPhase
	}
	members := [...]typed{
		{h.TokensUsed, isInteger, usedNoInteger},
		{h.TokensLimit, isInteger, limitNoInteger},
		{h.ToolCallsTotal, isInteger, "tool_calls_total is not an integer"},
		{h.ElapsedSeconds, wire.Value.IsNumber, "elapsed_seconds is not a number"},
		{h.CurrentTask, wire.Value.IsString, "current_task is not a string"},
		{h.FilesActive, wire.Value.IsArray, "files_active is not an array"},
		{h.Subagents, wire.Value.IsNumber, "subagents is not a number"},
	}
	return firstWrong(members[:])
}

const (
	usedNoInteger  = "tokens_used is not an integer"
	limitNoInteger = "tokens_limit is not an integer"
)

// invalidHostEvent is why another notification of a host breaks its schema.
func invalidHostEvent(m *wire.Message, e *wire.HostEvent) string {
	p := &m.Params
	members := [...]typed{
		{p.Host.TokensUsed, isInteger, usedNoInteger},
		{p.Host.TokensLimit, isInteger, limitNoInteger},
		{e.TokensBefore, isInteger, "tokens_before is not an integer"},
		{e.TokensAfter, isInteger, "tokens_after is not an integer"},
		{e.MessagesDropped, isInteger, "messages_dropped is not an integer"},
		{p.Reason, wire.Value.IsString, "reason is not a string"},
		{e.AgentID, wire.Value.IsString, "subagent_id is not a string"},
		{e.AgentType, wire.Value.IsString, "subagent_type is not a string"},
		{e.Task, wire.Value.IsString, "task is not a string"},
		{e.Model, wire.Value.IsString, "model is not a string"},
		{e.Duration, wire.Value.IsNumber, "duration_seconds is not a number"},
		{e.Outcome, isOutcome, "outcome is unknown"},
		{e.Percent, wire.Value.IsNumber, "percent is not a number"},
		{e.Threshold, wire.Value.IsString, "threshold is not a string"},
		{e.ErrorType, wire.Value.IsString, "error_type is not a string"},
		{p.Message, wire.Value.IsString, "message is not a string"},
		{e.Retrying, isBoolean, "retrying is not a boolean"},
		{e.RetryCount, isInteger, "retry_count is not an integer"},
	}
	return firstWrong(members[:])
}
