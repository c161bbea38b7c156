package telemetry

import (
	"encoding/hex"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"

	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonscan"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session/store"
)

// stateCapacity is about how many attributes a state record has.
const stateCapacity = 48

// SessionState adds the state record of a session (docs/spans.md, "The state of a
// session"): all that a row shows. It says nothing that the session's other records and
// spans do not say in pieces, and is for who shows sessions.
func (b *Batch) SessionState(r *session.SessionState) {
	if !b.opt.Logs {
		return
	}
	s, a := r.Session, &b.attrs
	b.out.from(serviceOf(s))
	lr := b.out.record(place{trace: s.Trace, span: s.Root, start: s.Last}, entry{
		name: mcpconv.LogSessionState, severity: plog.SeverityNumberDebug,
	})
	a.begin(stateCapacity)
	a.str(mcpconv.SessionID, s.ID)
	a.str(mcpconv.MCPSessionID, s.MCPSession)
	a.int(mcpconv.SessionEpoch, int64(s.Number))
	a.int(mcpconv.StateSequence, r.Sequence)
	a.str(mcpconv.StateWriter, b.opt.Writer)
	a.str(mcpconv.StateName, r.Name)
	a.int(mcpconv.SessionStarted, s.Start)
	if missed := s.More().Missed; missed != nil {
		a.int(mcpconv.UnknownFrom, missed.From)
		a.int(mcpconv.UnknownUntil, missed.Until)
	}
	writeIdentity(a, s)
	writeActivity(a, r)
	writeTotals(a, &r.Totals)
	if r.End != nil {
		writeEnd(a, r)
	}
	a.into(lr.Attributes())
}

// writeIdentity writes who works at what.
func writeIdentity(a *attrs, s *store.SessionRecord) {
	a.str(mcpconv.WorkflowType, workflowType(s))
	a.str(mcpconv.WorkflowEngine, s.Engine)
	a.flag(mcpconv.SessionDerived, s.Derived)
	a.payloadText(mcpconv.SessionTitle, titleOf(s))
	writePlace(a, s)
	writeSources(a, s.Sources())
	client, server := s.Peers()
	a.str(mcpconv.ClientName, client)
	a.str(mcpconv.ServerName, server)
	a.str(mcpconv.HostID, s.HostID)
	a.str(mcpconv.TransportStatus, s.TransportStatus)
	if s.Agent != nil {
		a.str(mcpconv.LLMModel, s.Agent.Model)
	}
}

// writeActivity writes what the session does now.
func writeActivity(a *attrs, r *session.SessionState) {
	s := r.Session
	if p := s.Phase; p != nil && r.End == nil {
		a.str(mcpconv.HostPhase, p.Name)
		a.int(mcpconv.PhaseSince, p.Start)
	}
	if e := s.More().HostError; e != nil && r.End == nil {
		a.int(mcpconv.HostErrorAt, e.At)
		a.text(mcpconv.HostErrorType, e.Type)
		a.payload(mcpconv.HostErrorText, e.Text)
		a.flag(mcpconv.HostRetrying, e.Retrying)
		a.positive(mcpconv.HostRetryCount, e.Retries)
	}
	a.payloadText(mcpconv.HostTask, s.Task)
	if r.LastError != "" {
		a.payload(mcpconv.LastError, r.LastError)
	}
	if q := r.Asked; q != nil {
		a.str(mcpconv.WaitKind, q.Kind)
		a.text(mcpconv.WaitName, q.Name)
		a.str(mcpconv.WaitTool, q.Tool)
		a.payload(mcpconv.WaitDetail, q.Detail)
		a.payload(mcpconv.WaitPrompt, q.Prompt)
		a.str(mcpconv.WaitSpan, hex.EncodeToString(q.Span[:]))
		a.int(mcpconv.WaitSince, q.Since)
	}
	if st := r.Stall; st != nil {
		a.str(mcpconv.StallReason, st.Reason)
		a.str(mcpconv.StallDetail, st.Detail)
		a.int(mcpconv.StallSince, st.Since)
	}
	if f := s.More().Fill; f.At != 0 {
		a.int(mcpconv.HostTokensUsed, f.Used)
		a.positive(mcpconv.HostTokensLimit, f.Limit)
		if f.Percent > 0 {
			a.float(mcpconv.HostTokensShare, f.Percent)
		}
		a.flag(mcpconv.HostEstimated, f.Estimated)
	}
	a.int(mcpconv.OpenCallCount, int64(r.OpenCalls))
	if len(r.Calls) == 0 {
		return
	}
	calls := a.mb.AppendEmpty(mcpconv.OpenCalls).SetEmptySlice()
	calls.EnsureCapacity(len(r.Calls))
	for _, c := range r.Calls {
		writeOpenCall(calls.AppendEmpty().SetEmptyMap(), c, a.opt)
	}
}

// writeOpenCall writes a call that runs: its span's name, its tool, and what it is about.
func writeOpenCall(m pcommon.Map, c session.RunningCall, opt *Options) {
	m.EnsureCapacity(6)
	m.PutStr(mcpconv.OpenCallSpan, hex.EncodeToString(c.Span[:]))
	m.PutStr(mcpconv.OpenCallTrace, hex.EncodeToString(c.Trace[:]))
	m.PutStr(mcpconv.OpenCallName, inspectorCallName(c.CallRecord))
	if target := c.ToolName(); target != "" {
		m.PutStr(mcpconv.OpenCallTarget, jsonscan.Cut(target, opt.TextBytes))
	}
	if opt.Payloads && c.Detail != "" {
		m.PutStr(mcpconv.OpenCallDetail, c.Detail)
	}
	m.PutInt(mcpconv.OpenCallStarted, c.Start)
	if c.Stuck {
		m.PutBool(mcpconv.OpenCallStuck, true)
	}
}

// writeTotals writes the counts of all epochs.
func writeTotals(a *attrs, u *store.Summary) {
	a.int(mcpconv.SummaryLLM, u.LLMCalls)
	a.int(mcpconv.SummaryTokens, u.Tokens)
	a.int(mcpconv.SummaryTools, u.ToolCalls)
	a.int(mcpconv.SummaryResources, int64(u.Resources))
	a.int(mcpconv.SummaryPrompts, int64(u.Prompts))
	a.int(mcpconv.SummaryAgents, int64(u.Agents))
	a.int(mcpconv.SummaryNotices, u.Notices)
	a.int(mcpconv.SummaryErrors, u.Errors)
	a.int(mcpconv.SummaryWaiting, u.WaitingNs/1_000_000)
	writeWork(a, u)
}

// writeEnd writes how the session ended.
func writeEnd(a *attrs, r *session.SessionState) {
	a.int(mcpconv.SessionEnded, r.End.Time)
	a.str(mcpconv.SessionEndReason, r.End.Reason)
	if r.End.Parent != nil {
		a.str(mcpconv.SessionPartOf, r.End.Parent.ID)
	}
	if !r.Outcome.Failed {
		a.str(mcpconv.StatusCode, "ok")
		return
	}
	a.str(mcpconv.StatusCode, "error")
	a.str(mcpconv.ErrorCode, r.Outcome.Code)
	a.payload(mcpconv.ErrorMessage, r.Outcome.Message)
}
