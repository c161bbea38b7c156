package claudecode

import (
	"cmp"
	"strings"

	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/internal/agent/otlp"
	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
)

// modelCall is a call of the model that succeeded, reported when it ended.
func (t *Telemetry) modelCall() {
	t.model = event.ModelEnded{Use: t.modelUse()}
	t.emitModel()
}

// modelError is a call that failed, reported once after the last attempt.
func (t *Telemetry) modelError() {
	d := &t.draft
	t.model = event.ModelEnded{Use: t.modelUse(), Failed: true, Status: d.Count("status_code"), Text: d.Text("error")}
	t.emitModel()
}

// answeredText is the text of an answer, which its call does not report. Without
// an id of the call it cannot be told whose it is.
func (t *Telemetry) answeredText() {
	d := &t.draft
	id, text := d.Text("request_id"), content(d.Text("response"))
	if id == "" || text == "" {
		return
	}
	t.model = event.ModelEnded{Use: event.ModelUse{ID: id, Model: d.Text("model"), Output: text}}
	t.purpose(&t.model.Use)
	t.emitModel()
}

func (t *Telemetry) emitModel() {
	d := &t.draft
	if !t.model.Use.Aside && t.model.Use.HasUsage {
		d.Facts.Model = t.model.Use.Model
	}
	t.model.SelfReport = d.SelfReport
	d.Emit(&t.model)
}

// modelUse reads what events and spans report of a call alike.
func (t *Telemetry) modelUse() event.ModelUse {
	d := &t.draft
	u := event.ModelUse{
		ID:    cmp.Or(d.Text("request_id"), d.Text("client_request_id")),
		Model: d.Text("model"), Attempt: d.Count("attempt"), End: d.Report.Time,
		Start: otlp.Before(d.Report.Time, d.Millis("duration_ms")), FirstToken: d.Millis("ttft_ms"),
	}
	u.Provider = t.provider(u.Model)
	t.usage(&u)
	t.purpose(&u)
	if u.Cost, u.HasCost = d.Cost("cost_usd"); !u.HasCost {
		u.Cost, u.HasCost = d.Cost("cost_usd_micros")
		u.Cost /= 1e6
	}
	return u
}

// usage reads the tokens: input_tokens is without what the cache had or got.
func (t *Telemetry) usage(u *event.ModelUse) {
	d := &t.draft
	read, written := d.Count("cache_read_tokens"), d.Count("cache_creation_tokens")
	input, hasInput := d.Counted("input_tokens")
	output, hasOutput := d.Counted("output_tokens")
	u.Usage = event.Usage{Input: input + read + written, Output: output, CacheRead: read, CacheWrite: written}
	u.HasUsage = hasInput || hasOutput
}

// provider returns who runs the model, where that is certain: behind an endpoint of
// one's own, other models than Claude may answer as if they were Anthropic's.
func (t *Telemetry) provider(model string) string {
	d := &t.draft
	id := d.Text("request_id")
	switch {
	case !strings.Contains(model, "claude-"):
		return ""
	case d.Text("anthropic.provider") == "bedrock", strings.Contains(model, "anthropic.claude-"):
		return "aws.bedrock"
	case d.Text("anthropic.provider") == "vertex", strings.HasPrefix(id, "req_vrtx_"), strings.Contains(model, "@"):
		return "gcp.vertex_ai"
	case d.Text("anthropic.provider") == "firstParty", strings.HasPrefix(id, "req_"), d.Has("client_request_id"):
		return "anthropic"
	}
	return ""
}

// purpose reads what asked the model. Only what the main thread asks fills its
// context.
func (t *Telemetry) purpose(u *event.ModelUse) {
	d := &t.draft
	u.Purpose, u.SubAgent = cmp.Or(d.Text("query_source"), d.Text("query_source_safe")), d.Text("agent_id")
	u.Aside = u.SubAgent != "" || !mainThread(u.Purpose)
}

// mainThread reports whether a query_source is the main thread's. Versions that do
// not send it report no call apart.
func mainThread(source string) bool {
	return source == "" || source == "sdk" || strings.HasPrefix(source, "repl_main_thread")
}

// modelSpan is a call of the model with all its attempts.
func (t *Telemetry) modelSpan(s ptrace.Span) {
	d := &t.draft
	u := t.modelUse()
	u.ResponseID = d.Text("gen_ai.response.id")
	u.Start, u.End = d.SelfReport.Native.Start, d.SelfReport.Native.End
	u.Finish = cmp.Or(d.Text("stop_reason"), d.First("gen_ai.response.finish_reasons"))
	u.Attempt = max(u.Attempt, attempts(s))
	ok, known := d.Bool("success")
	failed := known && !ok || !known && s.Status().Code() == ptrace.StatusCodeError
	t.model = event.ModelEnded{Use: u, Failed: failed}
	if failed {
		t.model.Status = d.Count("status_code")
		t.model.Text = cmp.Or(d.Text("error"), s.Status().Message())
	}
	t.emitModel()
}

func attempts(s ptrace.Span) (n int64) {
	for _, e := range s.Events().All() {
		if e.Name() == "gen_ai.request.attempt" {
			n++
		}
	}
	return n
}
