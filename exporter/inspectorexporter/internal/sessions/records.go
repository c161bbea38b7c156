package sessions

import (
	"cmp"
	"slices"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"

	"github.com/otelcol-mcp/otelcol-mcp/exporter/inspectorexporter/internal/attribute"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// state applies the state record of a session. Records may come in any order: the one
// with the greatest epoch, then sequence, counts.
func (b *Board) state(resource pcommon.Resource, record plog.LogRecord) Update {
	m := record.Attributes()
	own, whole := b.parts.place(attribute.OwnID(resource.Attributes(), m), m)
	if whole != "" || own == "" {
		return Update{ID: whole} // the other session's row has what it did
	}
	at, now := when(record.Timestamp()), b.time()
	s := b.owner(own, record.TraceID(), cmp.Or(at, now), true)
	before := s.row.StartedAt
	b.recordsCome()
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
	r.ID, r.OriginalID, r.LastSeen = was.ID, was.OriginalID, was.LastSeen
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
	if epoch, _ := attribute.Int(m, mcpconv.SessionEpoch); epoch > 1 { // as spans have it
		r.SessionEpoch = epoch
	}
	r.StateSequence, _ = attribute.Amount(m, mcpconv.StateSequence)
	if r.State = attribute.Text(attribute.Str(m, mcpconv.StateName)); !slices.Contains(States, r.State) {
		r.State = Running // of a later version, perhaps
	}
	if attribute.Str(m, mcpconv.WorkflowType) != mcpconv.WorkflowMCP { // whose title would not tell it from others of its server
		r.Title = attribute.Text(attribute.Str(m, mcpconv.SessionTitle))
	}
	r.StartedAt = moment(m, mcpconv.SessionStarted)
	r.TraceID, r.RootSpanID = record.TraceID().String(), record.SpanID().String()
	r.identify(m)
	r.Phase, r.PhaseSince = attribute.Text(attribute.Str(m, mcpconv.HostPhase)), moment(m, mcpconv.PhaseSince)
	r.UnknownFrom, r.UnknownUntil = moment(m, mcpconv.UnknownFrom), moment(m, mcpconv.UnknownUntil)
	r.CurrentTask = attribute.Text(attribute.Str(m, mcpconv.HostTask))
	r.Waiting, r.Stalled, r.HostError = waitOf(m), stallOf(m), hostErrorOf(m)
	r.Filled(when(record.Timestamp()), m)
	r.OpenCalls, r.OpenCount = openCallsOf(m)
	r.Error = attribute.Text(cmp.Or(attribute.Str(m, mcpconv.LastError), attribute.Str(m, mcpconv.ErrorMessage)))
	r.Totals = totalsOf(m)
	if r.EndedAt = moment(m, mcpconv.SessionEnded); r.EndedAt == 0 {
		return r
	}
	r.DurationMS = int64(max(0, r.EndedAt-r.StartedAt)) / 1e6
	r.EndReason = attribute.Text(attribute.Str(m, mcpconv.SessionEndReason))
	switch {
	case attribute.Str(m, mcpconv.StatusCode) != statusError:
		r.Status = completed
	case attribute.Str(m, mcpconv.ErrorCode) == mcpconv.CodeCancelled:
		r.Status = cancelled
	default:
		r.Status = Failed
	}
	return r
}

// moment is a time in Unix ns, 0 if there is none.
func moment(m pcommon.Map, key string) Time {
	ns, _ := attribute.Amount(m, key)
	return Time(ns)
}

func waitOf(m pcommon.Map) *Wait {
	kind := attribute.Str(m, mcpconv.WaitKind)
	if kind == "" {
		return nil
	}
	return &Wait{
		Kind: attribute.Text(kind), Name: attribute.Text(attribute.Str(m, mcpconv.WaitName)), Tool: attribute.Text(attribute.Str(m, mcpconv.WaitTool)),
		Detail: attribute.Text(attribute.Str(m, mcpconv.WaitDetail)), Prompt: attribute.Text(attribute.Str(m, mcpconv.WaitPrompt)),
		SpanID: attribute.Text(attribute.Str(m, mcpconv.WaitSpan)), Since: moment(m, mcpconv.WaitSince),
	}
}

func stallOf(m pcommon.Map) *Stall {
	reason := attribute.Str(m, mcpconv.StallReason)
	if reason == "" {
		return nil
	}
	return &Stall{Reason: attribute.Text(reason), Detail: attribute.Text(attribute.Str(m, mcpconv.StallDetail)), Since: moment(m, mcpconv.StallSince)}
}

func hostErrorOf(m pcommon.Map) *HostError {
	at := moment(m, mcpconv.HostErrorAt)
	if at == 0 {
		return nil
	}
	e := &HostError{Type: attribute.Text(attribute.Str(m, mcpconv.HostErrorType)), Message: attribute.Text(attribute.Str(m, mcpconv.HostErrorText)), Time: at}
	e.Retrying, _ = attribute.Bool(m, mcpconv.HostRetrying)
	e.RetryCount, _ = attribute.Amount(m, mcpconv.HostRetryCount)
	return e
}

func openCallsOf(m pcommon.Map) (calls []OpenCall, count int) {
	n, _ := attribute.Amount(m, mcpconv.OpenCallCount)
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
		stuck, _ := attribute.Bool(c, mcpconv.OpenCallStuck)
		calls = append(calls, OpenCall{
			SpanID: attribute.Text(attribute.Str(c, mcpconv.OpenCallSpan)), TraceID: attribute.Text(attribute.Str(c, mcpconv.OpenCallTrace)),
			Name: attribute.Text(attribute.Str(c, mcpconv.OpenCallName)), Detail: attribute.Text(attribute.Str(c, mcpconv.OpenCallTarget)),
			About:     attribute.Text(attribute.Str(c, mcpconv.OpenCallDetail)),
			StartedAt: moment(c, mcpconv.OpenCallStarted), Stuck: stuck,
		})
	}
	return calls, max(int(n), len(calls))
}

func totalsOf(m pcommon.Map) (t Totals) {
	for key, to := range map[string]*int64{
		mcpconv.SummaryTools: &t.ToolCalls, mcpconv.SummaryLLM: &t.LLMCalls, mcpconv.SummaryAgents: &t.Agents,
		mcpconv.SummaryTurns: &t.Turns, mcpconv.SummaryRefusals: &t.Refusals, mcpconv.SummaryErrors: &t.Errors,
	} {
		*to, _ = attribute.Amount(m, key)
	}
	u := Usage{}
	for key, to := range map[string]*int64{
		mcpconv.SummaryInput: &u.Input, mcpconv.SummaryOutput: &u.Output, mcpconv.SummaryCached: &u.CacheRead,
		mcpconv.SummaryWritten: &u.CacheWrite, mcpconv.SummaryReasoning: &u.Reasoning,
	} {
		*to, _ = attribute.Amount(m, key)
	}
	u.SummaryCost(m)
	if u != (Usage{}) {
		t.Usage = &u
	}
	return t
}
