package sessions

import (
	"slices"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/internal/inspectorwire"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// begin notes a span that runs, unless its end came first.
func (s *session) begin(id pcommon.SpanID, trace pcommon.TraceID, at Time, name string, m pcommon.Map, u *Update) {
	if id.IsEmpty() || s.row.EndedAt != 0 || len(s.open) >= maxOpen || s.wasEnded(id) || s.open[id] != nil {
		return
	}
	o := &openSpan{wait: name == mcpconv.SpanSignalWait, call: OpenCall{
		SpanID: id.String(), TraceID: trace.String(), Name: text(name), Detail: detail(m), StartedAt: at,
	}}
	if o.wait {
		o.call.Detail, o.prompt = text(str(m, mcpconv.SignalName)), text(str(m, mcpconv.SignalPrompt))
		u.Events = append(u.Events, waiting(o, m))
	}
	if s.open == nil {
		s.open = map[pcommon.SpanID]*openSpan{}
	}
	s.open[id] = o
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
	s := schema(str(m, mcpconv.SignalSchema))
	name := o.call.Detail
	return Event{
		Type: inspectorwire.TypeWaitingOnSignal, SignalName: &name, Prompt: o.prompt, Schema: s, Signal: s,
	}
}

// close takes a span that ended.
func (s *session) close(now Time, span ptrace.Span, u *Update) {
	id := span.SpanID()
	first := s.note(id)
	if o := s.open[id]; o != nil {
		delete(s.open, id)
		if o.wait {
			name := o.call.Detail
			u.Events = append(u.Events, Event{Type: inspectorwire.TypeSignalReceived, SignalName: &name})
		}
		s.show()
	}
	if first {
		s.count(span)
		s.passed(now, span, u)
	}
}

func (s *session) count(span ptrace.Span) {
	m := span.Attributes()
	switch operation := str(m, mcpconv.GenAIOperation); {
	case span.Name() == mcpconv.SpanTurn:
		s.row.Turns++
	case span.Name() == mcpconv.SpanTool, operation == mcpconv.OperationTool:
		s.row.ToolCalls++
		s.pending.tools++
		if refused(span) {
			s.row.Refusals++
		}
	case span.Name() == mcpconv.SpanLLM, operation == mcpconv.OperationChat:
		s.row.LLMCalls++
		s.pending.llm++
		s.model(m)
		s.spent(m)
	case span.Name() == mcpconv.SpanAgent, operation == mcpconv.OperationAgent:
		s.row.Agents++
	}
}

// note keeps the id of a span that ended, so that a start which comes late opens
// nothing. It tells whether it is new.
func (s *session) note(id pcommon.SpanID) bool {
	if s.wasEnded(id) {
		return false
	}
	if len(s.ended) < maxEnded {
		s.ended = append(s.ended, id)
		return true
	}
	s.ended[s.endedAt%maxEnded] = id
	s.endedAt++
	return true
}

func (s *session) wasEnded(id pcommon.SpanID) bool { return slices.Contains(s.ended, id) }
