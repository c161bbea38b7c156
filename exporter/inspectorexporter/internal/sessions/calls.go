package sessions

import (
	"cmp"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/exporter/inspectorexporter/internal/facts"
	"github.com/otelcol-mcp/otelcol-mcp/exporter/inspectorexporter/internal/figures"
	"github.com/otelcol-mcp/otelcol-mcp/exporter/inspectorexporter/internal/inspectorevent"
	"github.com/otelcol-mcp/otelcol-mcp/internal/inspectorwire"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// begin notes a span that runs, unless its end came first.
func (s *session) begin(id pcommon.SpanID, trace pcommon.TraceID, at Time, name string, m pcommon.Map, u *Update) {
	if id.IsEmpty() || s.row.EndedAt != 0 || s.open.full() || s.ended.has(id) || s.open.byID[id] != nil {
		return
	}
	if mcpconv.Stream(name) { // open by its nature: nothing works on it
		u.Opened = s.opening(name, id, trace)
		return
	}
	o := &openSpan{wait: name == mcpconv.SpanSignalWait, call: OpenCall{
		SpanID: id.String(), TraceID: trace.String(), Name: facts.Text(name), Detail: facts.Detail(m), StartedAt: at,
	}}
	if o.wait {
		o.call.Detail, o.prompt = facts.Text(facts.Str(m, mcpconv.SignalName)), facts.Text(facts.Str(m, mcpconv.SignalPrompt))
		u.Events = append(u.Events, waiting(o, m))
	}
	s.open.add(id, o)
	u.Opened = s.opening(name, id, trace)
	s.show()
}

func (s *session) opening(name string, id pcommon.SpanID, trace pcommon.TraceID) *Opening {
	o := &Opening{Name: name, Span: id}
	if trace == s.trace {
		o.Parent = s.root
	}
	return o
}

func waiting(o *openSpan, m pcommon.Map) Event {
	s := inspectorevent.Schema(facts.Str(m, mcpconv.SignalSchema))
	name := o.call.Detail
	return Event{
		Type: inspectorwire.TypeWaitingOnSignal, SignalName: &name, Prompt: o.prompt, Schema: s, Signal: s, Timestamp: o.call.StartedAt,
	}
}

// close takes a span that ended.
func (s *session) close(now Time, span ptrace.Span, guest bool, u *Update) {
	s.open.giveUp(span.SpanID(), span.Attributes())
	first := s.ended.note(span.SpanID())
	at := figures.When(span.EndTimestamp())
	s.over(span.SpanID(), at, u)
	if id := facts.AnnouncedAs(span.Attributes()); !id.IsEmpty() {
		s.ended.note(id)
		s.over(id, at, u)
	}
	if first {
		s.count(span, guest)
		s.passed(now, span, u)
	}
}

// over takes that what was announced as that span ended at that time.
func (s *session) over(id pcommon.SpanID, at Time, u *Update) {
	o := s.open.remove(id)
	if o == nil {
		return
	}
	if o.wait {
		name := o.call.Detail
		u.Events = append(u.Events, Event{Type: inspectorwire.TypeSignalReceived, SignalName: &name, Timestamp: at})
	}
	s.show()
}

// count counts what was done, whatever told of it. What a server tells of a call
// that reached it was counted where it came from.
func (s *session) count(span ptrace.Span, guest bool) {
	t, m := &s.Seen, span.Attributes()
	if span.Name() == mcpconv.SpanAmended {
		s.used(m)
		s.Sum(&s.row.Totals)
		return
	}
	tool, model := facts.IsTool(span), facts.IsModel(span)
	if (tool || model) && (guest || s.IsRepeat(span)) {
		return
	}
	switch {
	case facts.IsTurn(span):
		if facts.Str(m, mcpconv.DuplicateOf) == "" {
			t.Turns++
		}
	case tool:
		t.ToolCalls++
		s.pending.tools++
		if facts.Refused(span) {
			t.Refusals++
		}
	case model:
		t.LLMCalls++
		s.pending.llm++
		s.row.model(m)
		s.used(m)
	case span.Name() == mcpconv.SpanAgent, facts.Str(m, mcpconv.GenAIOperation) == mcpconv.OperationAgent:
		if s.IsNewAgent(span) {
			t.Agents++
		}
	}
	s.Sum(&s.row.Totals)
}

// used adds what a call of a model took.
func (s *session) used(m pcommon.Map) {
	u := figures.UsageOf(m)
	s.Used(u)
	s.pending.tokens = figures.Plus(s.pending.tokens, figures.Plus(u.Input, u.Output))
}

// countRoot counts the root of a session that nothing but its spans report: a
// framework's outermost span may be a call itself, or is a turn of its agent.
func (s *session) countRoot(root ptrace.Span) {
	switch {
	case facts.IsTool(root), facts.IsModel(root):
		s.count(root, false)
	case facts.Str(root.Attributes(), mcpconv.GenAIOperation) == mcpconv.OperationAgent:
		s.Seen.Turns++
		s.Sum(&s.row.Totals)
	}
}

// show writes what is open into the row.
func (s *session) show() {
	s.open.show(&s.row)
	if name, since := s.wait(&s.row); s.row.Waiting == nil && name != "" {
		s.row.Waiting = &Wait{Name: name, Since: since}
	}
}

const stuckCall = "call_stuck"

// stuck marks a call that hangs, or that moves again.
func (s *session) stuck(id pcommon.SpanID, yes bool, at Time) {
	o := s.open.byID[id]
	if o == nil {
		return
	}
	s.open.mark(o, yes)
	s.show()
	if yes && s.row.Stalled == nil {
		s.row.Stalled = &Stall{Reason: stuckCall, Detail: cmp.Or(o.call.Detail, o.call.Name), Since: at}
	}
}
