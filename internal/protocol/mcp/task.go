package mcp

import (
	"cmp"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonscan"
	"github.com/otelcol-mcp/otelcol-mcp/internal/protocol/jsonrpc"
)

// pollOf returns what a result reports of the task that it is about: as the reply to a
// poll, or with resultType task.
func (d *Decoder) pollOf(r *jsonrpc.Result) event.Task {
	t := event.Task{ID: r.TaskID.Str(), Status: r.Status.Str(), Message: r.StatusMessage.Str(), TTL: r.TTL}
	t.Outcome = d.outcomeOf(t.Status, r.Inner, r.InnerError)
	return t
}

// createdTask is the task that a result stands for, if it does: in a member of
// its own (2025-11-25), or with resultType task in the result itself (SEP-2663).
// poll is the result of [Decoder.pollOf].
func createdTask(r *jsonrpc.Result, poll *event.Task) (event.Task, bool) {
	if !r.Task.IsObject() {
		return *poll, poll.ID != "" && r.Type.Str() == "task"
	}
	t := event.Task{
		ID: jsonrpc.Member(r.Task, "taskId").Str(), Status: jsonrpc.Member(r.Task, "status").Str(),
		Message: jsonrpc.Member(r.Task, "statusMessage").Str(),
		TTL:     cmp.Or(jsonrpc.Member(r.Task, "ttl"), jsonrpc.Member(r.Task, "ttlMs")),
	}
	return t, t.ID != ""
}

// taskChanged is a notification about a task.
func (d *Decoder) taskChanged(env *event.Envelope, m *jsonrpc.Message) *event.TaskChanged {
	p := &m.Params
	d.about(&d.task.Notice, env, m)
	d.task.Task = event.Task{ID: p.TaskID.Str(), Status: p.Status.Str(), Message: p.StatusMessage.Str()}
	d.task.Task.Outcome = d.outcomeOf(d.task.Task.Status, p.Result, p.Error)
	return &d.task
}

// outcomeOf reads the result or error that a task that is done reports of itself,
// as if it were the reply; nil if it reports neither.
func (d *Decoder) outcomeOf(status string, result, err jsonscan.Value) *event.Reply {
	if status != "completed" && status != "failed" {
		return nil
	}
	var m jsonrpc.Message
	switch {
	case err.IsObject():
		m.Error.DecodeValue(err)
		m.Raw = err
	case result.IsObject():
		m.Result.DecodeValue(result)
		m.Raw = result
	default:
		return nil
	}
	replyOf(&d.outcome, &m)
	return &d.outcome
}
