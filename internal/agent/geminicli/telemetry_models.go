package geminicli

import (
	"strings"

	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/internal/agent/otlp"
	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
)

// answered is a call of a model that succeeded, reported when it ended.
func (t *Telemetry) answered() {
	d := &t.draft
	u := t.modelUse()
	thoughts := d.Count("thoughts_token_count")
	u.HasUsage = d.Has("input_token_count")
	u.Usage = event.Usage{
		Input: d.Count("input_token_count") + d.Count("tool_token_count"), Output: d.Count("output_token_count") + thoughts,
		CacheRead: d.Count("cached_content_token_count"), Reasoning: thoughts,
	}
	u.Finish = d.First("finish_reasons")
	if !u.Aside {
		d.Facts.Model = u.Model
	}
	t.model = event.ModelEnded{SelfReport: d.SelfReport, Use: u}
	d.Emit(&t.model)
}

// failed is an attempt that failed.
func (t *Telemetry) failed() {
	d := &t.draft
	status := d.Count("status_code")
	t.model = event.ModelEnded{
		SelfReport: d.SelfReport, Use: t.modelUse(), Failed: true, Retries: status == 429 || status >= 500,
		Type: d.Text("error.type"), Status: status, Text: d.Text("error"),
	}
	if aborted(t.model.Text) {
		t.model.Failed, t.model.Retries, t.model.Interrupted = false, false, true
	}
	d.Emit(&t.model)
}

// aborted reports whether a call failed because a person did not wait for the answer.
func aborted(text string) bool { return strings.Contains(text, "AbortError") }

// modelUse reads what answers and errors report alike. Versions without a role
// report no call apart.
func (t *Telemetry) modelUse() event.ModelUse {
	d := &t.draft
	u := event.ModelUse{
		Model: d.Text("model"), Provider: provider, End: d.Report.Time,
		Start: otlp.Before(d.Report.Time, d.Millis("duration_ms")), Purpose: d.Text("role"), SubAgent: t.subAgent(),
	}
	u.Aside = u.SubAgent != "" || u.Purpose != "" && u.Purpose != "main"
	return u
}

// modelSpan is a call of a model with all it waited for.
func (t *Telemetry) modelSpan(s ptrace.Span) {
	d := &t.draft
	n := &d.SelfReport.Native
	u := event.ModelUse{Model: d.Text("gen_ai.request.model"), Provider: provider, Start: n.Start, End: n.End}
	if id, turn, found := strings.Cut(d.Text("gen_ai.prompt.name"), "#"); found && !strings.HasPrefix(turn, "#") && id != d.Report.Session {
		u.SubAgent, u.Aside = id, true
	}
	t.model = event.ModelEnded{SelfReport: d.SelfReport, Use: u}
	if s.Status().Code() == ptrace.StatusCodeError {
		t.model.Failed, t.model.Text = true, s.Status().Message()
		t.model.Retries = true // its event knows whether that was the last attempt
		if aborted(t.model.Text) {
			t.model.Failed, t.model.Retries, t.model.Interrupted = false, false, true
		}
	}
	d.Emit(&t.model)
}
