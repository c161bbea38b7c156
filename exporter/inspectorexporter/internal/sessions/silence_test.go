package sessions

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// TestSilenceOfTelemetry: nothing promised a sign of life of a session that only
// telemetry reports, so its silence is no alarm.
func TestSilenceOfTelemetry(t *testing.T) {
	b, c := board(10)
	span("foreign", "agent.start", 3, 7, 1, 1)(b)
	span("otlp", "session.start", 2, 1, 0, 0, "mcp.session.sources", []any{"otlp_logs", "otlp_spans"})(b)
	span("hooks", "session.start", 2, 1, 0, 0, "mcp.session.sources", []any{"otlp_logs", "hooks"})(b)
	c.t = c.t.Add(3 * time.Hour)
	assert.Equal(t, Done, row(t, b, "foreign").State)
	assert.Equal(t, Idle, row(t, b, "otlp").State)
	assert.Equal(t, Stalled, row(t, b, "hooks").State)
}

// TestSilenceOfWhatCameLate: what counts is when something came, not the time that it
// has: not that of data which is sent again, nor that of clocks that are ahead.
func TestSilenceOfWhatCameLate(t *testing.T) {
	b, c := board(10)
	past, future := -5*3600, 5*3600
	restore := func(id string, at int) {
		for i, name := range []string{"session.start", "tool.call"} {
			r := ptrace.NewSpan()
			r.SetTraceID(pcommon.TraceID{1, id[0]})
			r.SetSpanID(pcommon.SpanID{7: byte(i + 2)})
			r.SetParentSpanID(pcommon.SpanID{7: 1})
			r.SetName(name)
			r.SetStartTimestamp(pcommon.NewTimestampFromTime(t0.Add(time.Duration(at) * time.Second)))
			r.SetEndTimestamp(r.StartTimestamp() + 1)
			b.Restore(id, pcommon.NewResource(), r)
		}
		Earlier{b}.Heard(id, c.t.Add(-time.Minute)) // when its file was written
	}
	restore("late", past)
	restore("ahead", future)
	span("now", "session.start", 2, 1, past, past)(b)
	for _, id := range []string{"late", "ahead", "now"} {
		assert.Equal(t, Running, row(t, b, id).State, id)
	}
	c.t = c.t.Add(2 * time.Hour)
	for _, id := range []string{"late", "ahead", "now"} {
		assert.Equal(t, Stalled, row(t, b, id).State, id)
	}
}

// TestSourcesAsTheyCome: the marker of a session knows only the first of its sources, and
// the root comes when all is over.
func TestSourcesAsTheyCome(t *testing.T) {
	b, _ := board(10)
	from := func(scope string) {
		r := plog.NewLogRecord()
		put(r.Attributes(), "s", []any{"event.name", "api_request"})
		b.Log(pcommon.NewResource(), r, scope)
	}
	from("com.anthropic.claude_code.events")
	span("s", "session.start", 2, 1, 0, 0, "mcp.session.sources", []any{"hooks"})(b)
	assert.Equal(t, []string{"hooks"}, row(t, b, "s").Sources)
	from("github.com/otelcol-mcp/otelcol-mcp/receiver/mcpreceiver")
	assert.Equal(t, []string{"hooks"}, row(t, b, "s").Sources, "what the receiver makes is no source")
	from("com.anthropic.claude_code.events")
	from("com.anthropic.claude_code.events")
	assert.Equal(t, []string{"hooks", "otlp_logs"}, row(t, b, "s").Sources)
}
