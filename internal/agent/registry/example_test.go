package registry

import (
	"fmt"
	"slices"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/internal/agent/hook"
	"github.com/otelcol-mcp/otelcol-mcp/internal/agent/otlp"
	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonscan"
)

// The first place is the folder of the agent, internal/agent/heron: its hooks, and its
// own telemetry.

// heronHooks decodes the hooks of heron.
type heronHooks struct{ hook.Events }

// Event implements hook.Decoder.
func (d *heronHooks) Event(b *hook.Body) event.Event {
	d.Begin(b)
	if b.Event != "tool.before" {
		return d.Unknown()
	}
	use := b.ToolUse()
	return d.ToolStarted(&use, false)
}

// heronTelemetry decodes what heron sends over OTLP.
type heronTelemetry struct {
	draft otlp.Draft
	ended event.ToolEnded
}

// Log implements otlp.Decoder.
func (t *heronTelemetry) Log(_ *otlp.Origin, r plog.LogRecord) *otlp.Report {
	d := &t.draft
	d.Log("heron", r, r.EventName())
	d.Report.Session = d.Text("heron.session")
	if r.EventName() == "heron.tool_result" {
		use := event.ToolUse{ID: d.Quoted("heron.call"), Tool: d.Quoted("heron.tool")}
		t.ended = event.ToolEnded{SelfReport: d.SelfReport, Use: use, Failed: d.Text("heron.error") != ""}
		d.Emit(&t.ended)
	}
	return d.Done()
}

// Span implements otlp.Decoder. Spans of heron only pass.
func (t *heronTelemetry) Span(_ *otlp.Origin, s ptrace.Span) *otlp.Report {
	t.draft.Span("heron", s)
	return t.draft.Done()
}

// Example adds an agent. The third place is where mcptap finds its settings, a file and
// an entry of All in cmd/mcptap/internal/agents.
func Example() {
	// The second place is its entry in known.
	before := known
	defer func() { known = before }()
	known = append(slices.Clip(known), agent{
		name: "heron", hooks: func() hook.Decoder { return &heronHooks{} },
		traits:  event.Traits{HooksLackEnd: true},
		events:  []string{"heron."},
		decoder: func() otlp.Decoder { return &heronTelemetry{} },
	})

	// A hook posted to /v1/hooks/heron starts a call of a tool.
	var input jsonscan.Cursor
	input.Reset([]byte(`{"hook_event_name": "tool.before", "session_id": "s1", "tool_name": "grep", "tool_use_id": "c1"}`))
	var body hook.Body
	if err := body.Decode(&input, hook.Defaults{}); err != nil {
		fmt.Println(err)
		return
	}
	started := Hooks()["heron"]().Event(&body).(*event.ToolStarted)
	fmt.Println("hook:", body.Session, started.Use.Tool, started.Use.ID)

	// A log record with the same id ends it.
	record := plog.NewLogRecord()
	record.SetEventName("heron.tool_result")
	record.Attributes().PutStr("heron.session", "s1")
	record.Attributes().PutStr("heron.tool", "grep")
	record.Attributes().PutStr("heron.call", "c1")
	report := New().Log(&otlp.Origin{Resource: pcommon.NewMap()}, record)
	ended := report.Events[0].(*event.ToolEnded)
	fmt.Println("log:", report.Agent, report.Session, ended.Use.Tool, ended.Use.ID, ended.Failed)

	fmt.Println("its hooks may lack ends:", Traits("heron").HooksLackEnd)
	// Output:
	// hook: "s1" "grep" "c1"
	// log: heron s1 "grep" "c1" false
	// its hooks may lack ends: true
}
