package claudecode

import (
	"strings"

	"github.com/otelcol-mcp/otelcol-mcp/internal/agent/otlp"
	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
)

// hookStarted reads that hooks begin to run: the only live sign of what they are
// run for. A matcher may follow the hook's name, such as in Notification:idle_prompt.
func (t *Telemetry) hookStarted(hook, name string) {
	d := &t.draft
	_, matched, _ := strings.Cut(name, ":")
	switch hook {
	case "PermissionRequest":
		t.asked(otlp.Quoted(matched))
	case "Elicitation":
		t.asked("")
	case "Notification":
		t.notified(matched)
	case "PreCompact":
		t.compacting = event.CompactionStarted{SelfReport: d.SelfReport, Manual: matched == "manual"}
		d.Emit(&t.compacting)
	case "SessionEnd":
		t.sessionEnded.SelfReport = d.SelfReport
		d.Emit(&t.sessionEnded)
	}
}

// hookCompleted reads that hooks ran. A turn is over when no hook that runs at its
// end makes the agent go on.
func (t *Telemetry) hookCompleted(hook string) {
	d := &t.draft
	if hook == "Stop" && d.Count("num_blocking") == 0 || hook == "StopFailure" {
		t.turn = event.TurnEnded{SelfReport: d.SelfReport, Failed: hook == "StopFailure"}
		d.Emit(&t.turn)
	}
}

func (t *Telemetry) asked(tool event.JSON) {
	t.requested = event.ApprovalRequested{SelfReport: t.draft.SelfReport, Tool: tool, SubAgent: t.draft.Quoted("agent_id")}
	t.draft.Emit(&t.requested)
}

// notified reads a notification, as far as hooks for it tell its type.
func (t *Telemetry) notified(kind string) {
	switch meaningOf(kind) {
	case asksPerson:
		t.asked("")
	case personAnswered:
		t.answered.SelfReport = t.draft.SelfReport
		t.draft.Emit(&t.answered)
	case agentRests:
		t.turn = event.TurnEnded{SelfReport: t.draft.SelfReport}
		t.draft.Emit(&t.turn)
	}
}

// fastest is the least time in which a person answers, in ns. What decides faster is a rule
// that counts as a person's decision.
const fastest = 100e6

// blocked is the time in which a person was asked to allow a tool.
func (t *Telemetry) blocked() {
	d := &t.draft
	n := &d.SelfReport.Native
	if !strings.HasPrefix(d.Text("source"), "user_") || n.End-n.Start < fastest {
		return
	}
	t.requested = event.ApprovalRequested{SelfReport: d.At(n.Start)}
	t.answered.SelfReport = d.SelfReport
	d.Emit(&t.requested)
	d.Emit(&t.answered)
}
