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

// recorded is the last state record of a session. What its receiver decided replaces
// whatever its spans suggest.
type recorded struct {
	epoch, sequence int64
	row             Row // its fields that a record has
}

// before reports whether the other record is of a later state.
func (rec *recorded) before(other *recorded) bool {
	return cmp.Or(cmp.Compare(rec.epoch, other.epoch), cmp.Compare(rec.sequence, other.sequence)) < 0
}

// state takes the state record of a session. Records may come in any order.
func (b *Board) state(resource pcommon.Resource, record plog.LogRecord) Update {
	m := record.Attributes()
	own, p := b.parts.Place(facts.OwnID(resource.Attributes(), m), m)
	if p.Whole != "" || own == "" {
		return Update{ID: p.Whole} // the other session's row has what it did
	}
	at := figures.When(record.Timestamp())
	s := b.owner(own, record.TraceID(), cmp.Or(at, b.time()), true)
	next := recordOf(record)
	if s.recorded != nil && !s.recorded.before(next) {
		return Update{ID: s.row.ID}
	}
	s.heard()
	s.recorded = next
	s.row.foreign = false
	s.row.LastSeen = max(s.row.LastSeen, b.time())
	u := Update{ID: s.row.ID}
	b.done(s, s.row.StartedAt, &u)
	return u
}

// recordOf reads a state record.
func recordOf(record plog.LogRecord) *recorded {
	m := record.Attributes()
	rec := &recorded{}
	rec.epoch, _ = facts.Int(m, mcpconv.SessionEpoch)
	rec.sequence, _ = facts.Int(m, mcpconv.StateSequence)
	r := &rec.row
	if r.State = facts.Text(facts.Str(m, mcpconv.StateName)); !slices.Contains(States, r.State) {
		r.State = Running // of a later version, perhaps
	}
	if facts.Str(m, mcpconv.WorkflowType) != mcpconv.WorkflowMCP { // whose title would not tell it from others of its server
		r.Title = facts.Text(facts.Str(m, mcpconv.SessionTitle))
	}
	r.StartedAt = moment(m, mcpconv.SessionStarted)
	r.TraceID, r.RootSpanID = record.TraceID().String(), record.SpanID().String()
	if rec.epoch > 1 { // as spans have it
		r.SessionEpoch = rec.epoch
	}
	r.told(m)
	r.model(m)
	r.Phase, r.PhaseSince = facts.Text(facts.Str(m, mcpconv.HostPhase)), moment(m, mcpconv.PhaseSince)
	r.CurrentTask = facts.Text(facts.Str(m, mcpconv.HostTask))
	r.Waiting, r.Stalled = waitOf(m), stallOf(m)
	r.Filled(figures.When(record.Timestamp()), m)
	r.OpenCalls, r.OpenCount = openCallsOf(m)
	r.Error = facts.Text(cmp.Or(facts.Str(m, mcpconv.LastError), facts.Str(m, mcpconv.ErrorMessage)))
	r.Totals = totalsOf(m)
	if r.EndedAt = moment(m, mcpconv.SessionEnded); r.EndedAt == 0 {
		return rec
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
	return rec
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

// show writes the record into the row: all that it says, and nothing of what it does not.
func (rec *recorded) show(r *Row) {
	of := &rec.row
	if rec.epoch < r.SessionEpoch { // a newer one has begun, and its record is still to come
		return
	}
	rec.identify(r)
	r.Ending, r.Status, r.State = of.Ending, of.Status, of.State
	r.Phase, r.PhaseSince, r.CurrentTask = of.Phase, of.PhaseSince, of.CurrentTask
	r.Waiting, r.Stalled, r.Totals = of.Waiting, of.Stalled, of.Totals
	r.OpenCalls, r.OpenCount = of.OpenCalls, of.OpenCount
	if of.Tokens != nil {
		r.Tokens = of.Tokens
	}
	if r.EndedAt == 0 {
		r.Status = r.status()
	}
}

// identify writes who works at what, and where.
func (rec *recorded) identify(r *Row) {
	of := &rec.row
	if of.Title != "" {
		r.Title, r.titled, r.early = of.Title, true, false
	}
	for to, from := range map[*string]string{
		&r.Engine: of.Engine, &r.WorkflowType: of.WorkflowType, &r.Host: of.Host, &r.HostID: of.HostID, &r.Server: of.Server,
		&r.Model: of.Model, &r.Directory: of.Directory, &r.Branch: of.Branch,
	} {
		*to = cmp.Or(from, *to)
	}
	if len(of.Sources) > 0 {
		r.Sources = slices.Clone(of.Sources)
	}
	r.Place = of.Place
	if of.StartedAt != 0 {
		r.StartedAt = min(r.StartedAt, of.StartedAt)
	}
}
