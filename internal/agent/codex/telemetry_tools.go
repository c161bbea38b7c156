package codex

import (
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/internal/agent/hook"
	"github.com/otelcol-mcp/otelcol-mcp/internal/agent/otlp"
	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
	"github.com/otelcol-mcp/otelcol-mcp/internal/protocol/jsonrpc"
)

// decided reports that a tool was allowed, and so begins, or that it was refused.
func (t *Telemetry) decided() {
	d := &t.draft
	use := t.toolUse()
	use.Decider = d.Text("source")
	decision := d.Text("decision")
	if strings.HasPrefix(decision, "approved") || decision == "network_policy_amendment" {
		use.Decision, use.Start = "accept", d.Report.Time
		t.toolStarted = event.ToolStarted{SelfReport: d.SelfReport, Use: use}
		d.Emit(&t.toolStarted)
		return
	}
	use.Decision = "reject"
	t.toolDenied = event.ToolDenied{SelfReport: d.SelfReport, Use: use, Reason: decision}
	d.Emit(&t.toolDenied)
}

// toolResult reports that a tool returned or failed. A command that exits with another
// code than 0 has not failed.
func (t *Telemetry) toolResult() {
	d := &t.draft
	use := t.toolUse()
	use.Input, use.Output = d.JSON("arguments"), d.Quoted("output")
	use.End = d.Report.Time
	use.Start = otlp.Before(use.End, d.Millis("duration_ms"))
	if d.Has("duration_ms") {
		use.Duration = otlp.Decimal(float64(d.Millis("duration_ms")) / 1e6)
	}
	ok, known := d.Bool("success")
	t.toolEnded = event.ToolEnded{SelfReport: d.SelfReport, Use: use, Failed: known && !ok}
	if t.toolEnded.Failed {
		t.toolEnded.Text = d.Text("output")
	}
	d.Emit(&t.toolEnded)
	t.agents()
}

// toolUse reads what names a call. The tool of an MCP server has the namespace
// mcp__{server}; hooks call it mcp__{server}__{tool}.
func (t *Telemetry) toolUse() event.ToolUse {
	d := &t.draft
	name := d.Text("tool_name")
	use := event.ToolUse{ID: d.Quoted("call_id"), Tool: otlp.Quoted(name), Server: d.Text("mcp_server")}
	if space := d.Text("tool_namespace"); strings.HasPrefix(space, "mcp__") {
		use.Tool = otlp.Quote(space + "__" + name)
	}
	if use.Server == "" {
		use.Server, _ = hook.SplitName(use.Tool.Str())
	}
	if use.Server != "" {
		use.Name = name
	}
	return use
}

// agents reports the sub-agents that tools started or waited for: there is no event
// for them.
func (t *Telemetry) agents() {
	d := &t.draft
	if t.toolEnded.Failed {
		return
	}
	output := otlp.Embedded(d.Text("output"))
	switch d.Text("tool_name") {
	case "spawn_agent":
		id := jsonrpc.Member(output, "agent_id")
		if id.Str() == "" {
			return
		}
		t.agentStarted = event.AgentStarted{SelfReport: d.SelfReport, Agent: event.SubAgent{
			ID: id.Canonical(), Type: jsonrpc.Member(output, "nickname"), Task: jsonrpc.Member(d.JSON("arguments"), "message"),
		}}
		d.Emit(&t.agentStarted)
	case "wait_agent", "wait":
		t.waited(jsonrpc.Member(output, "status"))
	case "close_agent":
		t.closed()
	}
}

// waited reports the sub-agents whose end was waited for.
func (t *Telemetry) waited(status event.JSON) {
	n := 0
	for id, state := range status.Members() {
		outcome := outcomeOf(state)
		if outcome == "" || n == len(t.agentEnded) {
			continue
		}
		t.agentOver(&t.agentEnded[n], otlp.Quote(id), outcome)
		n++
	}
}

// outcomeOf is the outcome of a sub-agent in that state, "" if it still works.
func outcomeOf(state event.JSON) event.JSON {
	switch {
	case jsonrpc.Member(state, "completed") != "" || state.Str() == "completed":
		return `"success"`
	case jsonrpc.Member(state, "errored") != "" || state.Str() == "errored":
		return `"error"`
	}
	return ""
}

// closed reports that the agent stopped a sub-agent.
func (t *Telemetry) closed() {
	arguments := t.draft.JSON("arguments")
	id := jsonrpc.Member(arguments, "target")
	if id.Str() == "" {
		id = jsonrpc.Member(arguments, "id")
	}
	if id.Str() != "" {
		t.agentOver(&t.agentEnded[0], id.Canonical(), "")
	}
}

func (t *Telemetry) agentOver(e *event.AgentEnded, id, outcome event.JSON) {
	*e = event.AgentEnded{SelfReport: t.draft.SelfReport, Agent: event.SubAgent{ID: id, Outcome: outcome}}
	t.draft.Emit(e)
}

// mcpSpan is a call of an MCP server's tool.
func (t *Telemetry) mcpSpan() {
	d := &t.draft
	n, server, name := &d.SelfReport.Native, d.Text("mcp.server.name"), d.Text("tool.name")
	use := event.ToolUse{
		ID: d.Quoted("tool.call_id"), Tool: otlp.Quote("mcp__" + server + "__" + name), Server: server, Name: name,
		ErrorType: mcpconv.ToolErrorType(d.Text("error.type"), "tool_result"), Start: n.Start, End: n.End,
	}
	t.toolEnded = event.ToolEnded{SelfReport: d.SelfReport, Use: use, Failed: use.ErrorType != ""}
	d.Emit(&t.toolEnded)
}

// toolSpan is a call of one of Codex's own tools. Whether it failed is reported by
// its event only.
func (t *Telemetry) toolSpan(s ptrace.Span) {
	d := &t.draft
	n := &d.SelfReport.Native
	use := event.ToolUse{ID: d.Quoted("call_id"), Tool: otlp.Quoted(bare(d.Text("tool_name"))), Start: n.Start, End: n.End}
	aborted := false // it is false at first, and stays as a second attribute of that key
	for key, v := range s.Attributes().All() {
		aborted = aborted || key == "aborted" && v.Type() == pcommon.ValueTypeBool && v.Bool()
	}
	t.toolEnded = event.ToolEnded{SelfReport: d.SelfReport, Use: use, Failed: aborted, Interrupted: aborted}
	d.Emit(&t.toolEnded)
}
