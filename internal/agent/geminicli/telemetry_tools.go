package geminicli

import (
	"bytes"
	"cmp"
	"encoding/json"
	"strings"
	"time"

	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/internal/agent/otlp"
	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
	"github.com/otelcol-mcp/otelcol-mcp/internal/protocol/jsonrpc"
)

// toolCall reports that a tool returned or failed, or was refused: the agent rests after a
// person's no. What failed without an error was interrupted. It has no id.
func (t *Telemetry) toolCall() {
	d := &t.draft
	use := t.toolUse()
	ok, known := d.Bool("success")
	if use.Decision == "reject" {
		t.toolDenied = event.ToolDenied{SelfReport: d.SelfReport, Use: use, Reason: d.Text("error"), Rests: use.Decider != policy}
		d.Emit(&t.toolDenied)
		return
	}
	t.toolEnded = event.ToolEnded{SelfReport: d.SelfReport, Use: use, Failed: known && !ok}
	t.toolEnded.Interrupted = t.toolEnded.Failed && d.Text("error") == "" && d.Text("error_type") == ""
	if t.toolEnded.Failed {
		t.toolEnded.Text = d.Text("error")
	}
	d.Emit(&t.toolEnded)
}

func (t *Telemetry) toolUse() event.ToolUse {
	d := &t.draft
	name := d.Text("function_name")
	use := event.ToolUse{
		Tool: otlp.Quoted(name), Input: compact(d.JSON("function_args")), Server: d.Text("mcp_server_name"),
		SubAgent: otlp.Quoted(t.subAgent()), ErrorType: mcpconv.ToolErrorType(d.Text("error_type"), toolError), OutSize: d.Count("content_length"),
		End: cmp.Or(d.Count("end_time")*int64(time.Millisecond), d.Report.Time),
	}
	use.Start = otlp.Before(use.End, d.Millis("duration_ms"))
	if start := d.Count("start_time") * int64(time.Millisecond); start > 0 && start <= use.End {
		use.Start = start
	}
	if d.Has("duration_ms") {
		use.Duration = otlp.Decimal(float64(d.Millis("duration_ms")) / 1e6)
	}
	use.Name = strings.TrimPrefix(name, "mcp_"+use.Server+"_")
	if use.Server == "" {
		use.Name = ""
	}
	use.Decision, use.Decider = t.decision(use.ErrorType)
	return use
}

// policy decides where no person is asked.
const policy = "policy"

// decision returns the decision on the call and who made it. What a policy refuses has no
// decision.
func (t *Telemetry) decision(errorType string) (decision, decider string) {
	switch sent := t.draft.Text("decision"); {
	case errorType == "policy_violation":
		return "reject", policy
	case sent == "modify", sent == "auto_accept":
		return "accept", sent
	default:
		return sent, ""
	}
}

// compact is JSON without the spaces that events have, as hooks send it: calls
// without an id are found by their input.
func compact(v event.JSON) event.JSON {
	if !strings.Contains(string(v), "\n") {
		return v
	}
	var b bytes.Buffer
	if json.Compact(&b, []byte(v)) != nil {
		return v
	}
	return event.JSON(b.String())
}

// toolSpan is the execution of a tool. Its input is the request, its output what
// became of it, unless they were too long to be sent whole.
func (t *Telemetry) toolSpan(s ptrace.Span) {
	d := &t.draft
	n := &d.SelfReport.Native
	request, result := d.JSON("gen_ai.input.messages"), d.JSON("gen_ai.output.messages")
	use := event.ToolUse{
		ID: d.Quoted("gen_ai.tool.call_id"), Tool: d.Quoted("gen_ai.tool.name"), Start: n.Start, End: n.End,
		Input: jsonrpc.Member(request, "args"),
	}
	use.Server, use.Name = splitName(d.Text("gen_ai.tool.name"))
	status := jsonrpc.Member(result, "status").Str()
	t.toolEnded = event.ToolEnded{
		SelfReport: d.SelfReport, Use: use, Interrupted: status == "cancelled",
		Failed: status == "error" || status == "cancelled" || s.Status().Code() == ptrace.StatusCodeError,
	}
	if t.toolEnded.Failed {
		failure := jsonrpc.Member(jsonrpc.Member(result, "response"), "error")
		t.toolEnded.Text = cmp.Or(jsonrpc.Member(failure, "message").Str(), s.Status().Message())
	}
	d.Emit(&t.toolEnded)
}
