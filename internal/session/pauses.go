package session

import (
	"strconv"
	"strings"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session/store"
)

// paused takes what interrupts the work, or ends the interruption.
func (tx *pauses) paused(s *store.Session, env *event.Envelope, e event.Event) {
	switch e := e.(type) {
	case *event.CompactionStarted:
		tx.notices.forgetReminders(s)
		if e.Endless { // a phase would stay for good
			return
		}
		s.Agent.Manual = e.Manual
		tx.pause(s, env.Time, mcpconv.PhaseCompacting)
	case *event.ApprovalRequested:
		tx.approvalRequested(s, env, e)
	}
}

// compacted takes the end of a compaction. What a log record or span reports of it
// is a notice: hooks report only that there was one.
func (tx *pauses) compacted(s *store.Session, env *event.Envelope, e *event.CompactionEnded) {
	if leads(s, e.Source) {
		tx.pauseOver(s, env, mcpconv.PhaseCompacting)
	}
	if e.Source == event.Hook {
		return
	}
	if e.After > 0 {
		s.SetFill(store.Fill{Used: e.After, At: env.Time})
	}
	n := e.Notice
	n.Name, n.Params = mcpconv.HostCompacting, ""
	n.Detail = &event.HostReport{
		Kind: event.CompactionReport, TokensBefore: count(e.Before), TokensAfter: count(e.After), Reason: event.JSON(strconv.Quote(e.Trigger)),
	}
	extra := noticeExtra{}
	if e.Failed {
		extra.Outcome = Outcome{Failed: true, Code: mcpconv.CodeServerError, Type: mcpconv.TypeOther}
	}
	tx.notices.record(s, env, &n, &extra)
}

// count is a number as JSON, "" if it is not known.
func count(n int64) event.JSON {
	if n == 0 {
		return ""
	}
	return event.JSON(strconv.FormatInt(n, 10))
}

// serverChanged takes that the connection to an MCP server went up or down.
func (tx *pauses) serverChanged(s *store.Session, env *event.Envelope, e *event.ServerChanged) {
	n := e.Notice
	n.Name, n.Params, n.Detail = mcpconv.SpanServer, "", &event.ServerStatus{
		Server: e.Server, Status: e.Status, Transport: e.Transport,
	}
	n.StableID = strings.Join([]string{e.Server, e.Status, decimal(env.Time)}, "/") // several connect at once
	extra := noticeExtra{}
	if e.Status == "failed" {
		extra.Outcome = Outcome{Failed: true, Code: mcpconv.CodeServerError, Type: mcpconv.TypeOther, Message: e.Error}
	}
	if !tx.notices.floods(s, env) {
		tx.notices.record(s, env, &n, &extra)
	}
}

// pause enters a phase that gives way to the one before.
func (tx *pauses) pause(s *store.Session, at int64, phase string) {
	if p := s.Phase; p != nil && p.Name != mcpconv.PhaseApproval && p.Name != mcpconv.PhaseCompacting {
		s.Agent.Before = p.Name
	}
	tx.phases.enter(s, at, phase)
}

// pauseOver ends a pause, unless a person is still asked for a call.
func (tx *pauses) pauseOver(s *store.Session, env *event.Envelope, pause string) {
	if s.In(pause) && len(s.Agent.Asking) == 0 {
		tx.leavePause(s, env.Time)
	}
}

// leavePause leaves a pause.
func (tx *pauses) leavePause(s *store.Session, at int64) {
	next := s.Agent.Before
	switch {
	case next != "":
	case s.Agent.Manual && s.In(mcpconv.PhaseCompacting):
		next = mcpconv.PhaseIdle
	default:
		next = mcpconv.PhaseWorking
	}
	s.Agent.Before, s.Agent.Manual = "", false
	tx.phases.enter(s, at, next)
}

// approvalRequested takes that a person is asked for something. An agent that
// rests already waits for its next prompt only.
func (tx *pauses) approvalRequested(s *store.Session, env *event.Envelope, e *event.ApprovalRequested) {
	if e.Reminder && s.In(mcpconv.PhaseIdle) {
		return
	}
	if c := askedFor(s, env, e); c != nil {
		ask(s, c)
	}
	tx.pause(s, env.Time, mcpconv.PhaseApproval)
	if e.Tool == "" && s.Agent.Question != nil && s.Phase != nil && s.Phase.Start < env.Time { // a reminder of what is asked
		return
	}
	q := &store.Question{Tool: tx.text(e.Tool.Str()), Hash: hashTool(e.Tool, e.Input)}
	if tx.opt.KeepPayloads {
		q.Detail = detail(string(e.Input))
	}
	editAgent(s).Question = q
}

// approvalAnswered takes that a person answered, from any source.
func (tx *pauses) approvalAnswered(s *store.Session, env *event.Envelope, e *event.ApprovalAnswered) {
	if !s.Waiting() || env.Time < s.Phase.Start {
		return
	}
	asking := s.Agent.Asking
	switch c := s.Calls[toolKey(env, &event.ToolUse{ID: e.Call})]; {
	case e.Call != "" && c != nil:
		asking = asking.Without(c.OpenKey())
	case len(asking) == 1:
		asking = nil
	}
	editAgent(s).Asking = asking
	tx.pauseOver(s, env, mcpconv.PhaseApproval)
}
