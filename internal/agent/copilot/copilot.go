// Package copilot decodes what GitHub Copilot sends over OTLP and what its hooks report
// (hook.go), and turns it into events of its sessions: Copilot CLI and the other clients of its runtime
// (https://docs.github.com/en/copilot/reference/enterprise-administrators/opentelemetry-reference),
// and Copilot Chat in VS Code with its agent host
// (https://code.visualstudio.com/docs/agents/guides/monitoring-agents), as of
// November 2026. Both keep to the semantic conventions, with members of their own.
package copilot

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/internal/agent/genai"
	"github.com/otelcol-mcp/otelcol-mcp/internal/agent/otlp"
	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// Telemetry decodes Copilot's spans and events. The zero value is ready. It is not
// safe for concurrent use, and a report is valid until the next one.
type Telemetry struct {
	genai genai.Telemetry

	sessionStarted event.SessionStarted
	toolDenied     event.ToolDenied
	answered       event.ApprovalAnswered
}

// Log reads an event. All but the start of a session repeat what spans report.
func (t *Telemetry) Log(from *otlp.Origin, r plog.LogRecord) *otlp.Report {
	d := &t.genai.Draft
	d.Log(mcpconv.Copilot, r, cmp.Or(otlp.String(r.Attributes(), "event.name"), r.EventName()))
	d.Report.Session = cmp.Or(d.Text(mcpconv.GenAIConversation), d.Text("session.id"))
	d.Facts.Version = otlp.String(from.Resource, "service.version")
	if d.SelfReport.Method == "copilot_chat.session.start" {
		d.Facts.Model = d.Text(mcpconv.GenAIRequestModel)
		t.sessionStarted.SelfReport = d.SelfReport
		d.Emit(&t.sessionStarted)
	}
	return d.Done()
}

// Span reads a span. Its session is the conversation, or that which a title, a
// sub-agent and the like are made for: session.id of the resource is VS Code's window.
func (t *Telemetry) Span(from *otlp.Origin, s ptrace.Span) *otlp.Report {
	d := &t.genai.Draft
	d.Span(mcpconv.Copilot, s)
	parent := d.Text(parentSession)
	d.Report.Session = cmp.Or(parent, d.Text(mcpconv.GenAIConversation), d.Text(chatSession))
	d.Facts.Version = otlp.String(from.Resource, "service.version")
	d.Facts.Branch = cmp.Or(d.Text("github.copilot.git.branch"), d.Text("copilot_chat.repo.head_branch_name"))
	d.SelfReport.Turn = d.Text("github.copilot.interaction_id")
	if strings.HasPrefix(s.Name(), "vscode.agent_host.") {
		t.agentHost(s.Name())
		return d.Done()
	}
	if s.Name() == "permission" {
		t.permission()
		return d.Done()
	}
	t.genai.Operation(s, parent == "" && outermost(&d.Attributes, s))
	t.own(parent != "")
	t.spanEvents(s)
	slices.SortStableFunc(d.Report.Events, func(a, b event.Event) int { return cmp.Compare(order(a), order(b)) })
	return d.Done()
}

// Keys of VS Code: of what a conversation has made apart, the conversation's id.
const (
	chatSession   = "copilot_chat.chat_session_id"
	parentSession = "copilot_chat.parent_chat_session_id"
)

// outermost reports whether an invocation is that of a person's prompt. The parent
// of such a span may be the agent host's, or the caller's of the command line.
func outermost(a *otlp.Attributes, s ptrace.Span) bool {
	return genai.Outermost(s) || s.Kind() == ptrace.SpanKindClient || a.Has(mcpconv.ServerAddress) ||
		a.Text(mcpconv.GenAIAgentID) == "github.copilot.default"
}

// order is when an event occurred. Nothing follows the end of a session.
func order(e event.Event) int64 {
	if _, end := e.(*event.SessionEnded); end {
		return math.MaxInt64
	}
	return e.(interface{ Base() *event.Notice }).Base().Time
}

// undated removes the time that Copilot writes before a prompt.
func undated(prompt event.JSON) event.JSON {
	text := prompt.Str()
	if !strings.HasPrefix(text, "<current_datetime>") {
		return prompt
	}
	if _, rest, found := strings.Cut(text, "</current_datetime>"); found {
		return otlp.Quoted(strings.TrimSpace(rest))
	}
	return prompt
}

// own reads the members of Copilot's own of a span that was read. A child is made
// for a conversation, apart from its main thread.
func (t *Telemetry) own(child bool) {
	d := &t.genai.Draft
	for i, e := range d.Report.Events {
		switch e := e.(type) {
		case *event.PromptSubmitted:
			e.Prompt = undated(e.Prompt)
		case *event.ModelEnded:
			t.modelCall(&e.Use, child)
			if e.Type == interrupted {
				e.Failed, e.Type, e.Text, e.Interrupted = false, "", "", true
			}
		case *event.TurnEnded:
			if d.Text("error.type") == interrupted {
				e.Failed, e.Type, e.Text = false, "", ""
			}
		case *event.AgentEnded:
			e.Agent.ID = cmp.Or(otlp.Quoted(t.subAgent(child)), e.Agent.ID)
		case *event.ToolEnded:
			d.Report.Events[i] = t.toolCall(e, child)
		}
	}
}

// interrupted is the error.type of what a person did not let end.
const interrupted = "cancelled"

// permission is the time in which a person was asked for a call.
func (t *Telemetry) permission() {
	d := &t.genai.Draft
	if n := &d.SelfReport.Native; n.End-n.Start >= fastest {
		t.answered = event.ApprovalAnswered{SelfReport: d.SelfReport}
		t.answered.Native = event.Native{}
		d.Emit(&t.answered)
	}
}

// fastest is the least time in ns in which a person answers. A rule is faster.
const fastest = 100e6

// subAgent is the id of the sub-agent that a span of VS Code is of: that of the call
// that began it.
func (t *Telemetry) subAgent(child bool) string {
	if !child {
		return ""
	}
	return t.genai.Draft.Text(chatSession)
}

// invoker is the span that invoked the sub-agent that a span of Copilot CLI is of.
func (t *Telemetry) invoker() string { return t.genai.Draft.SelfReport.Native.Parent.String() }

// toolCall reads a call of a tool. One that was denied never ran.
func (t *Telemetry) toolCall(e *event.ToolEnded, child bool) event.Event {
	d := &t.genai.Draft
	use := &e.Use
	use.SubAgent = otlp.Quoted(t.subAgent(child))
	if d.Has(mcpconv.GenAIAgentName) && !d.Has(chatSession) {
		use.SubAgent, e.ThreadUnknown = otlp.Quote(t.invoker()), true // hooks name the same sub-agent otherwise
	}
	use.Server = cmp.Or(use.Server, d.Text("github.copilot.tool.parameters.mcp_server_name"))
	use.Name = cmp.Or(d.Text("github.copilot.tool.parameters.mcp_tool_name"), use.Name)
	if use.ErrorType == interrupted {
		e.Interrupted, use.ErrorType = true, ""
		return e
	}
	if use.ErrorType != "denied" {
		if use.Server != "" {
			use.ErrorType = mcpconv.ToolErrorType(use.ErrorType, "ToolError")
		}
		return e
	}
	use.ErrorType, use.Decision = "", "reject"
	t.toolDenied = event.ToolDenied{SelfReport: e.SelfReport, Use: *use, Reason: e.Text}
	return &t.toolDenied
}

// modelCall reads a call of a model.
func (t *Telemetry) modelCall(u *event.ModelUse, child bool) {
	d := &t.genai.Draft
	u.FirstToken = cmp.Or(u.FirstToken, d.Seconds("github.copilot.time_to_first_chunk"), d.Millis("copilot_chat.time_to_first_token"))
	name := cmp.Or(d.Text("copilot_chat.debug_name"), d.Text(mcpconv.GenAIAgentName))
	initiator := d.Text("github.copilot.initiator")
	u.Purpose = cmp.Or(name, d.Text("copilot_chat.debug_log_label"), initiator)
	switch {
	case initiator == "sub-agent":
		u.Aside, u.SubAgent = true, t.invoker()
	case child && strings.HasPrefix(name, "tool/runSubagent"):
		u.Aside, u.SubAgent = true, d.Text(chatSession)
	case child:
		u.Aside = true
	default:
		d.Facts.Window = d.Count("copilot_chat.request.max_prompt_tokens")
		return
	}
	d.Facts.Model = ""
}

// agentHost reads a span of VS Code's agent host, which may also run other agents.
func (t *Telemetry) agentHost(name string) {
	d := &t.genai.Draft
	uri := d.Text("vscode.agent_host.session.uri")
	switch {
	case strings.Contains(uri, "claude"):
		d.Report.Agent = mcpconv.ClaudeCode
	case strings.Contains(uri, "codex"):
		d.Report.Agent = mcpconv.Codex
	}
	if title := d.Text("vscode.agent_host.session.title"); name == "vscode.agent_host.session.title_changed" && title != "" {
		d.SelfReport.Title = title
		d.Emit(&d.SelfReport)
	}
}
