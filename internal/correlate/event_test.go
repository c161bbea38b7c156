package correlate

import (
	"testing"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/identity"
)

func self(source event.Source) event.SelfReport {
	return event.SelfReport{Notice: event.Notice{Source: source}, Turn: "t1"}
}

func native(start, end float64) event.SelfReport {
	s := self(event.AgentSpan)
	s.Native = event.Native{Span: identity.SpanID{7}, Parent: identity.SpanID{1}, Start: at(start), End: at(end)}
	return s
}

// Events of hooks, logs and spans of one turn give the facts that they are about, in any
// order.
func TestFromEvent(t *testing.T) {
	use := event.ToolUse{ID: `"toolu_1"`, Tool: `"mcp__fs__read"`, Input: `{"path":"a"}`}
	done := use
	done.Duration = "4000"
	decided := use
	decided.Decision = "accept"
	model := event.ModelUse{ID: "req_1", Model: "opus", Start: at(1), End: at(2), Usage: event.Usage{Input: 10, Output: 2}, HasUsage: true, Cost: 0.5, HasCost: true}
	type seen struct {
		at float64
		e  event.Event
	}
	events := []seen{
		{0, &event.PromptSubmitted{SelfReport: self(event.Hook)}},
		{2, &event.ModelEnded{SelfReport: self(event.AgentLog), Use: model}},
		{3, &event.ToolStarted{SelfReport: self(event.Hook), Use: use}},
		{4, &event.ToolStarted{SelfReport: self(event.AgentLog), Use: decided}},
		{8, &event.ToolEnded{SelfReport: self(event.AgentLog), Use: done, Failed: true, Text: "no such file"}},
		{8, &event.ToolEnded{SelfReport: native(3, 8), Use: use, Failed: true, Text: "no such file"}},
		{9, &event.ToolDenied{SelfReport: self(event.AgentLog), Use: event.ToolUse{ID: `"toolu_2"`, Tool: `"Bash"`}}},
		{9, &event.AgentStarted{SelfReport: self(event.Hook), Agent: event.SubAgent{ID: `"a1"`}}},
		{10, &event.ToolEnded{SelfReport: self(event.Hook), Use: event.ToolUse{ID: `"toolu_3"`, Tool: `"Bash"`, SubAgent: `"a1"`}, Failed: true, Interrupted: true}},
		{11, &event.AgentEnded{SelfReport: self(event.Hook), Agent: event.SubAgent{ID: `"a1"`, Outcome: `"error"`}}},
		{12, &event.CompactionStarted{SelfReport: self(event.Hook)}},
		{13, &event.CompactionEnded{SelfReport: self(event.AgentLog), Duration: second}},
		{14, &event.ApprovalRequested{SelfReport: self(event.Hook)}},
		{20, &event.TurnUsed{SelfReport: self(event.AgentLog), Usage: event.Usage{Input: 99}}},
		{20, &event.TurnEnded{SelfReport: self(event.Hook)}},
	}
	var reports []Report
	for _, s := range events {
		r, ok := FromEvent(&event.Envelope{Time: at(s.at)}, s.e)
		if !ok {
			t.Fatalf("%T is nothing", s.e)
		}
		reports = append(reports, r)
	}
	want := Totals{
		Facts: 8, Turns: 1, ModelCalls: 1, ToolCalls: 3, AgentCalls: 3, Agents: 1, Waits: 1, Compactions: 1, Refusals: 1, Interruptions: 1,
		Usage: Usage{Input: 10, Output: 2}, Cost: 0.5, HasCost: true, Errors: 2, LastErrorAt: 1011e9, Context: 10, ContextPeak: 10,
	}
	r := newRand(t)
	for range 50 {
		s := &Set{}
		addAll(s, shuffled(r, reports))
		if got := s.Totals(); got != want {
			t.Fatalf("totals are\n%+v, want\n%+v\n%s", got, want, s.dump())
		}
	}
}

func TestFromEventOfOthers(t *testing.T) {
	for _, e := range []event.Event{
		&event.CallStarted{}, &event.CallEnded{}, &event.SessionStarted{SelfReport: self(event.Hook)},
		&event.ToolStarted{SelfReport: self(event.Inspector)},
	} {
		if r, ok := FromEvent(&event.Envelope{Time: at(0)}, e); ok {
			t.Errorf("%T is %+v", e, r)
		}
	}
}

// totalsOf returns the totals of what happened at second 0, 1, and so on, in any order.
func totalsOf(t *testing.T, events ...event.Event) Totals {
	t.Helper()
	var reports []Report
	for i, e := range events {
		r, ok := FromEvent(&event.Envelope{Time: at(float64(i))}, e)
		if !ok {
			t.Fatalf("%T is nothing", e)
		}
		reports = append(reports, r)
	}
	return sameInAllOrders(t, reports).Totals()
}

// A span that did not fail need not know how the call did: other sources may.
func TestOutcomeOfAnotherSource(t *testing.T) {
	failed, refused := event.ToolUse{ID: `"toolu_1"`, Tool: `"Bash"`}, event.ToolUse{ID: `"toolu_2"`, Tool: `"Write"`}
	other := native(0, 1)
	other.Native.Span[0]++
	got := totalsOf(t,
		&event.ToolEnded{SelfReport: native(0, 1), Use: failed},
		&event.ToolEnded{SelfReport: self(event.Hook), Use: failed, Failed: true, Text: "exit 3"},
		&event.ToolEnded{SelfReport: other, Use: refused},
		&event.ToolDenied{SelfReport: self(event.AgentLog), Use: refused},
	)
	if got.ToolCalls != 2 || got.Errors != 1 || got.LastError != "exit 3" || got.Refusals != 1 {
		t.Errorf("totals are %+v", got)
	}
}

// What a source reports beside a beginning and an end is part of the same thing.
func TestFromEventBesideBeginAndEnd(t *testing.T) {
	use := event.ToolUse{Tool: `"my-server-add"`, Input: `{"a":1}`}
	named := use
	named.Server, named.Name = "my-server", "add"
	prompt, used := self(event.AgentLog), self(event.AgentLog)
	prompt.Turn, used.Turn = "", ""
	got := totalsOf(t,
		&event.ToolStarted{SelfReport: self(event.Hook), Use: use},
		&event.ToolNamed{SelfReport: self(event.Hook), Use: named},
		&event.ToolEnded{SelfReport: self(event.Hook), Use: use},
		&event.PromptSubmitted{SelfReport: prompt},
		&event.TurnUsed{SelfReport: used, Usage: event.Usage{Input: 5}},
	)
	if got.ToolCalls != 1 || got.Turns != 1 || got.Usage.Input != 5 {
		t.Errorf("totals are %+v", got)
	}
}

// A rest without a prompt is no turn, and an agent's own helper no sub-agent.
func TestFromEventOfEndsAlone(t *testing.T) {
	prompt, rest := self(event.Hook), self(event.Hook)
	prompt.Turn, rest.Turn = "", ""
	got := totalsOf(t,
		&event.PromptSubmitted{SelfReport: prompt},
		&event.TurnEnded{SelfReport: rest},
		&event.TurnEnded{SelfReport: rest},
		&event.AgentEnded{SelfReport: self(event.Hook), Agent: event.SubAgent{ID: `"a1"`}},
		&event.AgentEnded{SelfReport: self(event.Hook), Agent: event.SubAgent{ID: `"a2"`, Type: `"Plan"`}},
	)
	if got.Turns != 1 || got.Agents != 1 {
		t.Errorf("totals are %+v", got)
	}
}

// Hooks and spans that name no sub-agent report the call that the log record of one is about.
func TestFromEventOfUnknownThread(t *testing.T) {
	use := event.ToolUse{Tool: `"glob"`, Input: `{"pattern":"*"}`}
	named := use
	named.SubAgent = `"a1"`
	named.Start, named.End = at(0), at(1)
	hook, span := self(event.Hook), native(0, 1)
	hook.ThreadUnknown, span.ThreadUnknown = true, true
	got := totalsOf(t,
		&event.ToolStarted{SelfReport: hook, Use: use},
		&event.ToolEnded{SelfReport: hook, Use: use},
		&event.ToolEnded{SelfReport: span, Use: use},
		&event.ToolEnded{SelfReport: self(event.AgentLog), Use: named},
	)
	if got.ToolCalls != 1 {
		t.Errorf("totals are %+v", got)
	}
}

// The spans of a sub-agent's tools name it by the span that invoked it, hooks by its id.
func TestFromEventOfAThreadWithTwoNames(t *testing.T) {
	use := event.ToolUse{Tool: `"view"`, SubAgent: `"a1"`}
	other := use
	other.SubAgent = `"00000000000000f1"`
	span := native(0, 1)
	span.ThreadUnknown = true
	got := totalsOf(t,
		&event.ToolStarted{SelfReport: self(event.Hook), Use: use},
		&event.ToolEnded{SelfReport: self(event.Hook), Use: use},
		&event.ToolEnded{SelfReport: span, Use: other},
	)
	if got.ToolCalls != 1 {
		t.Errorf("totals are %+v", got)
	}
}

// A failed connection to a server is one error of the session, unless a call of one of its
// tools is the one that counts.
func TestFromEventOfConnections(t *testing.T) {
	failed := func(server, text string) *event.ServerChanged {
		return &event.ServerChanged{SelfReport: self(event.AgentLog), Server: server, Status: "failed", Error: text}
	}
	got := totalsOf(t, failed("files", "no such program"), failed("files", "no such program"), failed("web", "refused"))
	if got.Errors != 2 || got.LastError != "refused" {
		t.Errorf("totals are %+v", got)
	}
	call := event.ToolUse{ID: `"toolu_1"`, Tool: `"mcp__files__read"`}
	got = totalsOf(t, &event.ToolEnded{SelfReport: self(event.Hook), Use: call, Failed: true, Text: "closed"}, failed("files", "broken pipe"), failed("web", "refused"))
	if got.Errors != 2 || got.ToolCalls != 1 {
		t.Errorf("with a call: totals are %+v", got)
	}
	for _, status := range []string{"connected", "disconnected"} {
		if r, ok := FromEvent(&event.Envelope{Time: at(0)}, &event.ServerChanged{SelfReport: self(event.AgentLog), Status: status}); ok {
			t.Errorf("%s is %+v", status, r)
		}
	}
}
