package correlate

import (
	"slices"
	"strings"
	"testing"
)

// A call of two layers counts once in each, and a failure in both is one error.
func TestTwoLayers(t *testing.T) {
	call := NewID(CallID, "a")
	agent := Report{Source: Hook, Kind: ToolCall, Name: "mcp__fs__read", IDs: ids(call), Start: at(0), End: at(2)}
	wire := Report{Source: Wire, Kind: ToolCall, Name: "read", IDs: ids(call), Start: at(0.5), End: at(1.5)}
	for _, c := range []struct {
		agent, wire Outcome
		errors      int64
		outcome     Outcome
	}{
		{OK, OK, 0, OK},
		{Failed, Failed, 1, Failed},
		{Failed, OK, 1, Failed},
		{OK, Failed, 1, Failed},
		{Unknown, Failed, 1, Failed},
		{Refused, Unknown, 0, Refused},
		{Interrupted, Failed, 0, Interrupted},
	} {
		agent.Outcome, wire.Outcome = c.agent, c.wire
		s := sameInAllOrders(t, []Report{agent, wire})
		got := s.Totals()
		if got.ToolCalls != 1 || got.AgentCalls != 1 || got.WireCalls != 1 || got.Errors != c.errors {
			t.Errorf("%d and %d: totals are %+v", c.agent, c.wire, got)
		}
		s.All(func(f *Fact) {
			if f.Outcome != c.outcome {
				t.Errorf("%d and %d: outcome is %d", c.agent, c.wire, f.Outcome)
			}
		})
	}
}

// Errors are failed facts that no failed fact below them explains.
func TestErrors(t *testing.T) {
	turn, task, agent, call := NewID(PromptID, "t"), NewID(CallID, "task"), NewID(AgentID, "a"), NewID(CallID, "c")
	tree := func(outcomes ...Outcome) []Report {
		return []Report{
			{Source: Hook, Kind: Turn, IDs: ids(turn), Start: at(0), End: at(9), Outcome: outcomes[0], Text: "turn: no"},
			{Source: Hook, Kind: ToolCall, IDs: ids(task), Start: at(1), End: at(8), Outcome: outcomes[1], Text: "task: no", Parent: turn},
			{Source: Hook, Kind: Agent, IDs: ids(agent), Start: at(2), End: at(7), Outcome: outcomes[2], Text: "agent: no", Parent: task},
			{Source: Log, Kind: ToolCall, IDs: ids(call), Start: at(3), End: at(6), Outcome: outcomes[3], Text: "no", Parent: agent},
		}
	}
	for _, c := range []struct {
		outcomes []Outcome
		errors   int64
		last     string
	}{
		{[]Outcome{OK, OK, Failed, Failed}, 1, "no"},
		{[]Outcome{OK, Failed, Failed, Failed}, 1, "no"},
		{[]Outcome{Failed, OK, OK, Failed}, 2, "turn: no"},
		{[]Outcome{OK, OK, Failed, OK}, 1, "agent: no"},
		{[]Outcome{Failed, OK, OK, Refused}, 1, "turn: no"},
		{[]Outcome{OK, OK, OK, Refused}, 0, ""},
		{[]Outcome{OK, OK, OK, Interrupted}, 0, ""},
	} {
		got := sameInAllOrders(t, tree(c.outcomes...)).Totals()
		if got.Errors != c.errors || got.LastError != c.last {
			t.Errorf("%v: %d errors, the last one %q; want %d, %q", c.outcomes, got.Errors, got.LastError, c.errors, c.last)
		}
	}
	twice := append(tree(OK, OK, OK, Failed), Report{Source: Log, Kind: ToolCall, IDs: ids(NewID(CallID, "d")), Start: at(0), End: at(7), Outcome: Failed, Text: "later"})
	if got := sameInAllOrders(t, twice).Totals(); got.Errors != 2 || got.LastError != "later" {
		t.Errorf("two failures: %+v", got)
	}
	self := Report{Source: Hook, Kind: ToolCall, IDs: ids(call), Start: at(1), End: at(2), Outcome: Failed, Parent: call}
	if got := sameInAllOrders(t, []Report{self}).Totals(); got.Errors != 1 {
		t.Errorf("its own parent: %+v", got)
	}
}

// A failure explains that of what it is part of by its text, or as the last thing in it.
func TestExplainedFailures(t *testing.T) {
	turn := NewID(PromptID, "t")
	around := func(kind Kind, text string) Report {
		return Report{Source: Hook, Kind: kind, IDs: ids(turn), Start: at(0), End: at(60), Outcome: Failed, Text: text}
	}
	below := func(kind Kind, end float64, text string) Report {
		return Report{Source: Hook, Kind: kind, Start: at(1), End: at(end), Outcome: Failed, Text: text, Parent: turn}
	}
	long := strings.Repeat("a long text ", 30)
	for _, c := range []struct {
		what    string
		reports []Report
		errors  int64
	}{
		{"a tool's failure long before an API error", []Report{around(Turn, "overloaded"), below(ToolCall, 20, "exit 1")}, 2},
		{"a tool's failure just before an API error", []Report{around(Turn, "overloaded"), below(ToolCall, 59, "exit 1")}, 2},
		{"a tool's failure just before an end without a text", []Report{around(Turn, ""), below(ToolCall, 59, "exit 1")}, 1},
		{"a tool's failure long before an end without a text", []Report{around(Turn, ""), below(ToolCall, 50, "exit 1")}, 2},
		{"a tool's failure that became the turn's", []Report{around(Turn, "tool shell: exit 1"), below(ToolCall, 59, "exit 1")}, 1},
		{"a long text of which both were cut", []Report{around(Agent, "Error: "+long), below(ToolCall, 59, long)}, 1},
		{"the same text, whenever", []Report{around(Turn, "overloaded"), below(ModelCall, 20, "overloaded")}, 1},
		{"no text, long before", []Report{around(Turn, ""), below(ModelCall, 20, "")}, 2},
		{"the last model call, in other words", []Report{around(Turn, "API Error: 529"), below(ModelCall, 59, "overloaded")}, 1},
		{"a model call that was tried again", []Report{around(Turn, "API Error: 529"), below(ModelCall, 20, "timeout"), below(ModelCall, 59, "overloaded")}, 2},
		{"what ended later by another clock", []Report{around(Turn, "API Error: 529"), below(ModelCall, 60.5, "overloaded")}, 1},
		{"a sub-agent", []Report{around(ToolCall, "no result"), below(Agent, 59.9, "")}, 1},
	} {
		if got := sameInAllOrders(t, c.reports).Totals(); got.Errors != c.errors {
			t.Errorf("%s: %d errors, want %d", c.what, got.Errors, c.errors)
		}
	}
}

// Tokens and cost are those of model calls, failed ones too; of turns only where no model
// call has any. Context is that of the main thread.
func TestUsage(t *testing.T) {
	model := func(id string, end float64, in int64, more func(*Report)) Report {
		r := Report{
			Source: Log, Kind: ModelCall, Name: "opus", IDs: ids(NewID(RequestID, id)), Start: at(end - 1), End: at(end),
			Usage: Usage{Input: in, Output: 1}, HasUsage: true, Cost: 0.1, HasCost: true, Outcome: OK,
		}
		if more != nil {
			more(&r)
		}
		return r
	}
	turn := Report{Source: Span, Kind: Turn, IDs: ids(NewID(PromptID, "t")), Start: at(0), End: at(99), Usage: Usage{Input: 7}, HasUsage: true, Cost: 5, HasCost: true}
	got := sameInAllOrders(t, []Report{
		turn,
		model("a", 1, 100, nil),
		model("b", 5, 50, func(r *Report) { r.Outcome = Failed }),
		model("c", 9, 900, func(r *Report) { r.Internal = true }),
		model("d", 10, 800, func(r *Report) { r.Thread = "x" }),
	}).Totals()
	if got.Usage.Input != 1850 || got.Usage.Output != 4 || got.Cost != 0.4 || got.Context != 50 || got.ContextPeak != 100 || got.ModelCalls != 4 {
		t.Errorf("totals are %+v", got)
	}
	got = sameInAllOrders(t, []Report{turn}).Totals()
	if got.Usage.Input != 7 || got.Cost != 5 || !got.HasCost || got.Turns != 1 {
		t.Errorf("totals of a turn alone are %+v", got)
	}
	if tokens, calls := got.AtLeast(6, 3); tokens != 7 || calls != 3 {
		t.Errorf("with the host's totals: %d tokens, %d calls", tokens, calls)
	}
}

// Every kind has its total.
func TestKinds(t *testing.T) {
	s := &Set{}
	for kind := Turn; kind < kinds; kind++ {
		s.Add(&Report{Source: Log, Kind: kind, Start: at(0), End: at(1)})
	}
	got := s.Totals()
	if got.Turns != 1 || got.ModelCalls != 1 || got.ToolCalls != 1 || got.Agents != 1 || got.Waits != 1 || got.Compactions != 1 || got.Facts != 8 {
		t.Errorf("totals are %+v", got)
	}
}

// A person stops a tool: what outlives its turn was interrupted, and what ends while a
// person is asked for it was refused. Neither is an error.
func TestStoppedByAPerson(t *testing.T) {
	turn, call := NewID(SpanID, "t"), NewID(CallID, "c")
	around := Report{Source: Span, Kind: Turn, IDs: ids(turn), Start: at(0), End: at(5)}
	tool := Report{Source: Log, Kind: ToolCall, Name: "Bash", IDs: ids(call), Start: at(1), Parent: turn}
	asked := Report{Source: Hook, Kind: Wait, Stage: Begin, Start: at(1.1)}
	yes := Report{Source: Hook, Kind: Wait, End: at(2), Outcome: OK}
	for name, c := range map[string]struct {
		outcome                        Outcome
		verdict                        Verdict
		end                            float64
		more                           []Report
		errors, refused, interruptions int64
	}{
		"failed":                       {outcome: Failed, end: 4, errors: 1},
		"failed behind its turn":       {outcome: Failed, end: 5.1, interruptions: 1},
		"failed long behind its turn":  {outcome: Failed, end: 8, errors: 1},
		"interrupted":                  {outcome: Interrupted, end: 4, interruptions: 1},
		"interrupted, asked":           {outcome: Interrupted, end: 4, more: []Report{asked}, refused: 1},
		"interrupted, asked, answered": {outcome: Interrupted, end: 4, more: []Report{asked, yes}, interruptions: 1},
		"interrupted, asked, allowed":  {outcome: Interrupted, verdict: Accepted, end: 4, more: []Report{asked}, interruptions: 1},
	} {
		tool.Outcome, tool.Verdict, tool.End = c.outcome, c.verdict, at(c.end)
		got := sameInAllOrders(t, append([]Report{around, tool}, c.more...)).Totals()
		if got.Errors != c.errors || got.Refusals != c.refused || got.Interruptions != c.interruptions {
			t.Errorf("%s: totals are %+v", name, got)
		}
	}
}

// A refusal stays one when the question that was asked before it is folded.
func TestFoldedWaitRefuses(t *testing.T) {
	asked := Report{Source: Hook, Kind: Wait, Stage: Begin, Start: at(1.1)}
	tool := Report{Source: Log, Kind: ToolCall, Name: "Bash", IDs: ids(NewID(CallID, "c")), Start: at(1), End: at(4), Outcome: Interrupted}
	s := &Set{MaxFacts: 4}
	addAll(s, []Report{asked, tool})
	for i := range 8 {
		addAll(s, []Report{{Source: Log, Kind: ToolCall, Name: "Read", IDs: ids(NewID(CallID, strings.Repeat("x", i+1))), Start: at(10 + float64(i)), End: at(11 + float64(i))}})
		s.Commit()
		if got := s.Totals(); got.Refusals != 1 || got.Interruptions != 0 {
			t.Errorf("totals are %+v with %d facts kept", got, s.Len())
		}
	}
}

// Where a source reports what a person asked, a turn that only the agent's own loop began is
// none; where no source does, it is one.
func TestTurnsThatNobodyAskedFor(t *testing.T) {
	loop := func(at int64) *Report {
		return &Report{Source: Log, Kind: Turn, Stage: Begin, Start: at, Internal: true}
	}
	rest := func(source Source, at int64) *Report { return &Report{Source: source, Kind: Turn, End: at} }
	asked := &Report{Source: Hook, Kind: Turn, Stage: Begin, Start: 100e9}
	for name, c := range map[string]struct {
		reports []*Report
		want    int64
	}{
		"no hooks":   {[]*Report{loop(100e9), rest(Log, 110e9), loop(200e9), rest(Log, 210e9)}, 2},
		"hooks":      {[]*Report{asked, loop(100e9 + 1e6), rest(Hook, 110e9), rest(Log, 110e9)}, 1},
		"compaction": {[]*Report{asked, loop(100e9 + 1e6), rest(Hook, 110e9), loop(200e9), rest(Hook, 201e9), rest(Log, 201e9)}, 1},
	} {
		for range 2 {
			slices.Reverse(c.reports)
			s := &Set{}
			for _, r := range c.reports {
				s.Add(r)
			}
			if got := s.Totals().Turns; got != c.want {
				t.Errorf("%s: %d turns, want %d", name, got, c.want)
			}
		}
	}
}

// What turns report goes before estimates for their calls, once each turn has a cost; what
// calls report goes before both. Of the cost, the part that is an estimate is known.
func TestReportedCostGoesBeforeEstimates(t *testing.T) {
	call := func(id string, cost float64, priced bool) Report {
		return Report{
			Source: Log, Kind: ModelCall, IDs: ids(NewID(RequestID, id)), Start: at(1), End: at(2), Usage: Usage{Input: 1}, HasUsage: true,
			Cost: cost, HasCost: true, Priced: priced,
		}
	}
	turn := func(id string, cost float64, has, priced bool) Report {
		return Report{Source: Span, Kind: Turn, IDs: ids(NewID(PromptID, id)), Start: at(0), End: at(9), Cost: cost, HasCost: has, Priced: priced}
	}
	for what, c := range map[string]struct {
		reports         []Report
		cost, estimated float64
	}{
		"estimates of calls":                 {[]Report{call("a", 1, true), call("b", 2, true), turn("t", 0, false, false)}, 3, 3},
		"one call reports its cost":          {[]Report{call("a", 1, true), call("b", 2, false), turn("t", 9, true, false)}, 3, 1},
		"the turn reports its cost":          {[]Report{call("a", 1, true), call("b", 2, true), turn("t", 9, true, false)}, 9, 0},
		"one of two turns reports its cost":  {[]Report{call("a", 1, true), turn("t", 9, true, false), turn("u", 0, false, false)}, 1, 1},
		"one turn reports, one is estimated": {[]Report{call("a", 1, true), turn("t", 9, true, false), turn("u", 4, true, true)}, 13, 4},
		"estimates of both":                  {[]Report{call("a", 1, true), turn("t", 9, true, true)}, 1, 1},
	} {
		s := sameInAllOrders(t, c.reports)
		if got := s.Totals(); got.Cost != c.cost || got.Estimated != c.estimated {
			t.Errorf("%s: totals are %+v", what, got)
		}
	}
}
