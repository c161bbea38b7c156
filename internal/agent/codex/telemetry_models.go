package codex

import (
	"strings"

	"github.com/otelcol-mcp/otelcol-mcp/internal/agent/otlp"
	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
)

// requested is a request to a model: what was refused has failed, what was
// accepted is answered by a stream of events.
func (t *Telemetry) requested() {
	d := &t.draft
	endpoint := d.Text("endpoint")
	if endpoint != "" && endpoint != "unknown" && !strings.HasPrefix(endpoint, "/responses") {
		return
	}
	use := event.ModelUse{
		Model: d.Text("model"), Start: otlp.Before(d.Report.Time, d.Millis("duration_ms")), Attempt: d.Count("attempt") + 1,
	}
	if endpoint == "/responses/compact" {
		use.Purpose, use.Aside = "compact", true
	}
	status, text := d.Count("http.response.status_code"), d.Text("error.message")
	if text == "" && (status == 0 || status < 300) {
		t.modelStarted = event.ModelStarted{SelfReport: d.SelfReport, Use: use}
		d.Emit(&t.modelStarted)
		return
	}
	use.End = d.Report.Time
	t.modelEnded = event.ModelEnded{
		SelfReport: d.SelfReport, Use: use, Failed: true, Retries: retried(status), Status: status, Text: text,
	}
	d.Emit(&t.modelEnded)
}

// retried reports whether Codex tries again what failed with that status, 0 without
// an answer.
func retried(status int64) bool { return status == 0 || status == 429 || status >= 500 }

// streamed is an event of a model's answer. The last one is reported twice: as any
// other, and with the tokens.
func (t *Telemetry) streamed() {
	d := &t.draft
	use := event.ModelUse{Model: d.Text("model"), End: d.Report.Time}
	t.modelEnded = event.ModelEnded{SelfReport: d.SelfReport, Use: use, Text: d.Text("error.message")}
	switch {
	case t.modelEnded.Text != "":
		t.modelEnded.Failed, t.modelEnded.Retries = true, true
	case d.Text("event.kind") == "response.completed" && d.Has("input_token_count"):
		t.completed()
	default:
		return
	}
	d.Emit(&t.modelEnded)
}

func (t *Telemetry) completed() {
	d, use := &t.draft, &t.modelEnded.Use
	use.FirstToken, use.HasUsage = d.Millis("ttft_ms"), true
	use.Usage = event.Usage{
		Input: d.Count("input_token_count"), Output: d.Count("output_token_count"),
		CacheRead: d.Count("cached_token_count"), CacheWrite: d.Count("cache_write_token_count"),
		Reasoning: d.Count("reasoning_token_count"),
	}
}
