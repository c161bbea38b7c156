package jsonrpc

import (
	"unsafe"

	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonscan"
)

// HostEvent are the members of the rare notifications of agent hosts (host
// telemetry, sections host.compacting to host.error).
type HostEvent struct {
	TokensBefore    Value
	TokensAfter     Value
	MessagesDropped Value

	AgentID   Value // subagent_id
	AgentType Value // subagent_type
	Task      Value
	Model     Value
	Duration  Value // duration_seconds
	Outcome   Value

	Percent   Value
	Threshold Value

	ErrorType  Value
	Retrying   Value
	RetryCount Value
}

// DecodeHost reads params once more: only a heartbeat comes so often that it is
// read with the message.
func (e *HostEvent) DecodeHost(params Value) {
	walk(params, func(key string, c *jsonscan.Cursor) bool {
		to := e.member(key)
		if to != nil {
			*to = c.Value()
		}
		return to != nil
	})
}

// member is where the value of a member belongs, or nil.
func (e *HostEvent) member(key string) *Value {
	switch key {
	case "tokens_before":
		return &e.TokensBefore
	case "tokens_after":
		return &e.TokensAfter
	case "messages_dropped":
		return &e.MessagesDropped
	case "subagent_id":
		return &e.AgentID
	case "subagent_type":
		return &e.AgentType
	case "task":
		return &e.Task
	case "model":
		return &e.Model
	case "duration_seconds":
		return &e.Duration
	case "outcome":
		return &e.Outcome
	case "percent":
		return &e.Percent
	case "threshold":
		return &e.Threshold
	case "error_type":
		return &e.ErrorType
	case "retrying":
		return &e.Retrying
	case "retry_count":
		return &e.RetryCount
	}
	return nil
}

// HeartbeatTool reads the arguments of a heartbeat tool, which are those of the
// notification but for the task's name, and two more.
func HeartbeatTool(arguments Value) (h Host) {
	walk(arguments, func(key string, c *jsonscan.Cursor) bool {
		switch key {
		case "detail":
			h.CurrentTask = c.Value()
		case "files_active":
			h.FilesActive = c.Value()
		case "subagents":
			h.Subagents = c.Value()
		case "current_task":
			return false
		default:
			return h.member(key, c)
		}
		return true
	})
	return h
}

// walk hands the members of an object that was read before to take.
func walk(object Value, take func(key string, c *jsonscan.Cursor) bool) {
	c := reread(object)
	members(c, func(key string) bool { return take(key, c) })
}

// reread is a cursor over a value that was read before.
func reread(v Value) *jsonscan.Cursor {
	var c jsonscan.Cursor
	c.Reset(unsafe.Slice(unsafe.StringData(string(v)), len(v)))
	return &c
}
