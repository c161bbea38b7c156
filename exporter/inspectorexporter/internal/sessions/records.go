package sessions

import (
	"cmp"
	"slices"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"

	"github.com/otelcol-mcp/otelcol-mcp/exporter/inspectorexporter/internal/facts"
	"github.com/otelcol-mcp/otelcol-mcp/exporter/inspectorexporter/internal/figures"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// state applies the state record of a session. Records may come in any order: the one
// with the greatest epoch, then sequence, counts.
func (b *Board) state(resource pcommon.Resource, record plog.LogRecord) Update {
	m := record.Attributes()
	own, whole := b.parts.place(facts.OwnID(resource.Attributes(), m), m)
	if whole != "" || own == "" {
		return Update{ID: whole} // the other session's row has what it did
	}
	at, now := figures.When(record.Timestamp()), b.time()
	s := b.owner(own, record.TraceID(), cmp.Or(at, now), true)
	before := s.row.StartedAt
	s.live, s.recordAt = true, now
	s.row.LastSeen = max(s.row.LastSeen, now)
	s.row.Filled(at, m)
	s.heard = max(s.heard, at)
	u := Update{ID: s.row.ID, Noted: true}
	if next := recordOf(record); s.row.before(&next) {
		was := s.row.Waiting
		if s.row.apply(&next); next.EndedAt == 0 {
			waited(was, next.Waiting, at, &u)
		}
	}
	b.done(s, before, &u)
	return u
}

// before reports whether the row is of an earlier state.
func (r *Row) before(next *Row) bool {
	return cmp.Or(cmp.Compare(r.SessionEpoch, next.SessionEpoch), cmp.Compare(r.StateSequence, next.StateSequence)) < 0
}

// apply makes the row what the record says. What only the exporter knows stays.
func (r *Row) apply(next *Row) {
	was := *r
	*r = *next
	r.ID, r.OriginalID, r.LastSeen, r.HostError = was.ID, was.OriginalID, was.LastSeen, was.HostError
	r.SpanCount, r.TraceBytes, r.TraceEpoch = was.SpanCount, was.TraceBytes, was.TraceEpoch
	r.Spark = was.Spark
	if r.Tokens == nil {
		r.Tokens = was.Tokens
	}
	if r.StartedAt == 0 {
		r.StartedAt = was.StartedAt
	}
}

// recordOf reads a state record.
func recordOf(record plog.LogRecord) (r Row) {
	m := record.Attributes()
	if epoch, _ := facts.Int(m, mcpconv.SessionEpoch); epoch > 1 { // as spans have it
		r.SessionEpoch = epoch
	}
	r.StateSequence, _ = facts.Amount(m, mcpconv.StateSequence)
	if r.State = facts.Text(facts.Str(m, mcpconv.StateName)); !slices.Contains(States, r.State) {
		r.State = Running // of a later version, perhaps
	}
	if facts.Str(m, mcpconv.WorkflowType) != mcpconv.WorkflowMCP { // whose title would not tell it from others of its server
		r.Title = facts.Text(facts.Str(m, mcpconv.SessionTitle))
	}
	r.StartedAt = moment(m, mcpconv.SessionStarted)
	r.TraceID, r.RootSpanID = record.TraceID().String(), record.SpanID().String()
	r.identify(m)
	r.Phase, r.PhaseSince = facts.Text(facts.Str(m, mcpconv.HostPhase)), moment(m, mcpconv.PhaseSince)
	r.CurrentTask = facts.Text(facts.Str(m, mcpconv.HostTask))
	r.Waiting, r.Stalled = waitOf(m), stallOf(m)
	r.Filled(figures.When(record.Timestamp()), m)
	r.OpenCalls, r.OpenCount = openCallsOf(m)
	r.Error = facts.Text(cmp.Or(facts.Str(m, mcpconv.LastError), facts.Str(m, mcpconv.ErrorMessage)))
	r.Totals = totalsOf(m)
	if r.EndedAt = moment(m, mcpconv.SessionEnded); r.EndedAt == 0 {
		return r
	}
	r.DurationMS = int64(max(0, r.EndedAt-r.StartedAt)) / 1e6
	r.EndReason = facts.Text(facts.Str(m, mcpconv.SessionEndReason))
	switch {
	case facts.Str(m, mcpconv.StatusCode) != statusError:
		r.Status = completed
	case facts.Str(m, mcpconv.ErrorCode) == mcpconv.CodeCancelled:
		r.Status = cancelled
	default:
		r.Status = Failed
	}
	return r
}

// moment is a time in Unix ns, 0 if there is none.
func moment(m pcommon.Map, key string) Time {
	ns, _ := facts.Amount(m, key)
	return Time(ns)
}

func waitOf(m pcommon.Map) *Wait {
	kind := facts.Str(m, mcpconv.WaitKind)
	if kind == "" {
		return nil
	}
	return &Wait{
		Kind: facts.Text(kind), Name: facts.Text(facts.Str(m, mcpconv.WaitName)), Tool: facts.Text(facts.Str(m, mcpconv.WaitTool)),
		Detail: facts.Text(facts.Str(m, mcpconv.WaitDetail)), Prompt: facts.Text(facts.Str(m, mcpconv.WaitPrompt)),
		SpanID: facts.Text(facts.Str(m, mcpconv.WaitSpan)), Since: moment(m, mcpconv.WaitSince),
	}
}

func stallOf(m pcommon.Map) *Stall {
	reason := facts.Str(m, mcpconv.StallReason)
	if reason == "" {
		return nil
	}
	return &Stall{Reason: facts.Text(reason), Detail: facts.Text(facts.Str(m, mcpconv.StallDetail)), Since: moment(m, mcpconv.StallSince)}
}

func openCallsOf(m pcommon.Map) (calls []OpenCall, count int) {
	n, _ := facts.Amount(m, mcpconv.OpenCallCount)
	calls = []OpenCall{}
	v, ok := m.Get(mcpconv.OpenCalls)
	if !ok || v.Type() != pcommon.ValueTypeSlice {
		return calls, int(n)
	}
	for _, one := range v.Slice().All() {
		if one.Type() != pcommon.ValueTypeMap || len(calls) == maxOpenShown {
			continue
		}
		c := one.Map()
		stuck, _ := facts.Bool(c, mcpconv.OpenCallStuck)
		calls = append(calls, OpenCall{
			SpanID: facts.Text(facts.Str(c, mcpconv.OpenCallSpan)), TraceID: facts.Text(facts.Str(c, mcpconv.OpenCallTrace)),
			Name: facts.Text(facts.Str(c, mcpconv.OpenCallName)), Detail: facts.Text(facts.Str(c, mcpconv.OpenCallTarget)),
			About:     facts.Text(facts.Str(c, mcpconv.OpenCallDetail)),
			StartedAt: moment(c, mcpconv.OpenCallStarted), Stuck: stuck,
		})
	}
	return calls, max(int(n), len(calls))
}

func totalsOf(m pcommon.Map) (t figures.Totals) {
	for key, to := range map[string]*int64{
		mcpconv.SummaryTools: &t.ToolCalls, mcpconv.SummaryLLM: &t.LLMCalls, mcpconv.SummaryAgents: &t.Agents,
		mcpconv.SummaryTurns: &t.Turns, mcpconv.SummaryRefusals: &t.Refusals, mcpconv.SummaryErrors: &t.Errors,
	} {
		*to, _ = facts.Amount(m, key)
	}
	u := figures.Usage{}
	for key, to := range map[string]*int64{
		mcpconv.SummaryInput: &u.Input, mcpconv.SummaryOutput: &u.Output, mcpconv.SummaryCached: &u.CacheRead,
		mcpconv.SummaryWritten: &u.CacheWrite, mcpconv.SummaryReasoning: &u.Reasoning,
	} {
		*to, _ = facts.Amount(m, key)
	}
	u.SummaryCost(m)
	if u != (figures.Usage{}) {
		t.Usage = &u
	}
	return t
}
