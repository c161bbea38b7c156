package opencode

import (
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"

	"github.com/otelcol-mcp/otelcol-mcp/internal/agent/otlp"
	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// Log reads a log record. The body of one about a session has two strings: what
// happens, and its facts. Unlike the spans, records leave while the session goes on,
// and say which session a sub-agent is of.
func (t *Telemetry) Log(from *otlp.Origin, r plog.LogRecord) *otlp.Report {
	d := &t.draft
	what, facts := statement(r.Body())
	d.Log(mcpconv.OpenCode, r, what)
	d.Report.Session = d.Text(mcpconv.SessionID)
	d.Facts.Version = otlp.String(from.Resource, "service.version")
	if from.Scope != TelemetryService { // a plugin's records are its user's
		return d.Done()
	}
	switch what {
	case "created":
		t.created(facts)
	case "loop":
		d.Report.Session = member(facts, mcpconv.SessionID)
		if strings.Contains(facts, `"step":0}`) {
			t.prompt = event.PromptSubmitted{SelfReport: d.SelfReport, Unasked: true} // a compaction is a loop too
			d.Emit(&t.prompt)
		}
	case "exiting loop":
		d.Report.Session = member(facts, mcpconv.SessionID)
		t.turn = event.TurnEnded{SelfReport: d.SelfReport}
		d.Emit(&t.turn)
	case "process", "stream", "stream error":
		d.Report.Session = member(facts, mcpconv.SessionID)
	}
	return d.Done()
}

// created reports that a session begins, or a sub-agent: it has a session of its own.
func (t *Telemetry) created(facts string) {
	d := &t.draft
	id, parent := member(facts, "id"), member(facts, "parentID")
	if d.Report.Session = id; !strings.HasPrefix(id, "ses_") { // something else was created
		d.Report.Session = ""
		return
	}
	if parent == "" {
		d.Facts.Dir = member(facts, "directory")
		t.sessionStarted.SelfReport = d.SelfReport
		d.Emit(&t.sessionStarted)
		return
	}
	d.Report.Session = parent
	t.agentStarted = event.AgentStarted{SelfReport: d.SelfReport, Agent: event.SubAgent{
		ID: otlp.Quoted(id), Type: otlp.Quoted(member(facts, "agent")), Task: otlp.Quoted(member(facts, "title")),
	}}
	d.Emit(&t.agentStarted)
}

// statement returns what a record says, and the facts it mentions.
func statement(body pcommon.Value) (what, facts string) {
	switch body.Type() {
	case pcommon.ValueTypeStr:
		return body.Str(), ""
	case pcommon.ValueTypeSlice:
		s := body.Slice()
		if s.Len() == 2 && s.At(0).Type() == pcommon.ValueTypeStr && s.At(1).Type() == pcommon.ValueTypeStr {
			return s.At(0).Str(), s.At(1).Str()
		}
	}
	return "", ""
}

// member is a member of facts that is a plain string. They look like JSON, but have
// undefined in them, so no parser of JSON reads them. Inside of another string the
// quotes would be escaped.
func member(facts, key string) string {
	_, after, ok := strings.Cut(facts, `"`+key+`":"`)
	if !ok {
		return ""
	}
	value, _, ok := strings.Cut(after, `"`)
	if !ok || strings.ContainsRune(value, '\\') {
		return ""
	}
	return value
}
