package jsonrpc

import (
	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonscan"
)

// Task is what a message tells of a task (2025-11-25, tasks; SEP-2663).
type Task struct {
	ID      string
	Status  string // working, input_required, completed, failed, cancelled
	Message string
	TTL     Value // ms
	Result  Value // of one that is done, if it is told at once
	Error   Value // likewise
}

// Created is the task that a result stands for, if it does: in a member of its
// own, or with resultType task in the result itself.
func (r *Result) Created() (Task, bool) {
	if r.Task.IsObject() {
		t := Task{
			ID: member(r.Task, "taskId").Str(), Status: member(r.Task, "status").Str(),
			Message: member(r.Task, "statusMessage").Str(), TTL: member(r.Task, "ttl"),
		}
		if t.TTL == "" {
			t.TTL = member(r.Task, "ttlMs")
		}
		return t, t.ID != ""
	}
	t := r.State()
	return t, r.Type.Str() == "task" && t.ID != ""
}

// State is what the reply to a poll tells of its task.
func (r *Result) State() Task {
	return Task{
		ID: r.TaskID.Str(), Status: r.Status.Str(), Message: r.StatusMessage.Str(), TTL: r.TTL,
		Result: r.Inner, Error: r.InnerError,
	}
}

// State is what a notification tells of its task.
func (p *Params) State() Task {
	return Task{
		ID: p.TaskID.Str(), Status: p.Status.Str(), Message: p.StatusMessage.Str(), Result: p.Result, Error: p.Error,
	}
}

// Outcome reads the result or error that the task told of itself into a message,
// as if it were the reply; false if it told neither.
func (t *Task) Outcome() (*Message, bool) {
	if !t.Result.IsObject() && !t.Error.IsObject() {
		return nil, false
	}
	m := &Message{Kind: Response, Version: "2.0"}
	if t.Error.IsObject() {
		c := reread(t.Error)
		m.Error.decode(c)
		m.Raw = t.Error
		return m, true
	}
	m.Result.decode(reread(t.Result))
	m.Raw = t.Result
	return m, true
}

// FirstOf is the first element of an array that was read before.
func FirstOf(array Value) Value {
	c := reread(array)
	if !array.IsArray() {
		return ""
	}
	c.EnterArray()
	if !c.Next() {
		return ""
	}
	return c.Value()
}

// Action is what the client did about the first thing that it was asked before
// the request could go on, "" if that is not told.
func (p *Params) Action() (action string) {
	first := true
	walk(p.InputResponses, func(_ string, c *jsonscan.Cursor) bool {
		if response := c.Value(); first {
			action = member(response, "action").Str()
		}
		first = false
		return true
	})
	return action
}

// Input is what a result asks of the client before it can go on: the method of
// the first request, its message and the schema of the answer.
func (r *Result) Input() (method, message string, schema Value) {
	walk(r.InputRequests, func(_ string, c *jsonscan.Cursor) bool {
		request := c.Value()
		if method == "" {
			params := member(request, "params")
			method = member(request, "method").Str()
			message, schema = member(params, "message").Str(), member(params, "requestedSchema")
		}
		return true
	})
	return method, message, schema
}
