package copilot

import (
	"cmp"

	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/internal/agent/otlp"
	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
)

// spanEvents reads what happened during a span.
func (t *Telemetry) spanEvents(s ptrace.Span) {
	d := &t.genai.Draft
	var began int64
	for _, e := range s.Events().All() {
		a := d.At(otlp.Nanos(e.Timestamp()))
		a.Method, a.Native = e.Name(), event.Native{}
		from := otlp.Of(e.Attributes())
		switch e.Name() {
		case "github.copilot.session.compaction_start":
			began = a.Time
		case "github.copilot.session.compaction_complete":
			d.Emit(compaction(&from, &a, began))
			began = 0
		case "github.copilot.session.shutdown":
			d.Emit(&event.SessionEnded{SelfReport: a})
		case "github.copilot.session.truncation", "github.copilot.session.abort":
			d.Emit(&a)
		case "github.copilot.mcp.server.lifecycle":
			t.server(&from, &a)
		case "github.copilot.session.usage_info":
			d.Facts.Window = cmp.Or(d.Facts.Window, from.Count("github.copilot.token_limit"))
		case "github.copilot.user.message":
			t.turn(from.Text("github.copilot.user.message.interaction_id"))
		}
	}
}

// compaction is one that ended, and began at that time if that was reported.
func compaction(from *otlp.Attributes, a *event.SelfReport, began int64) *event.CompactionEnded {
	ok, known := from.Bool("github.copilot.success")
	c := &event.CompactionEnded{
		SelfReport: *a, Failed: known && !ok,
		Before: from.Count("github.copilot.pre_tokens"), After: from.Count("github.copilot.post_tokens"),
	}
	if began != 0 {
		c.Duration = max(a.Time-began, 0)
	}
	c.Invalid = from.Invalid()
	return c
}

// server reports that an MCP server became ready, or failed. Before that it is discovered.
func (t *Telemetry) server(from *otlp.Attributes, a *event.SelfReport) {
	c := &event.ServerChanged{SelfReport: *a, Server: from.Text("github.copilot.mcp.server.name")}
	switch from.Text("github.copilot.mcp.server.state") {
	case "initialized":
		c.Status = "connected"
	case "failed":
		c.Status = "failed"
	default:
		return
	}
	t.genai.Draft.Emit(c)
}

// turn names the turn of what the span itself reports.
func (t *Telemetry) turn(id string) {
	for _, e := range t.genai.Draft.Report.Events {
		if a := e.(interface{ About() *event.SelfReport }).About(); a.Turn == "" {
			a.Turn = id
		}
	}
}
