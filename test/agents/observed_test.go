package agents

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// observed holds what otelcol-mcp made of a run.
type observed struct {
	rows  []row
	spans []ptrace.Span
}

// main is the row of the agent's session: the one that did most, if there are more.
func (o observed) main() (best row) {
	for i, r := range o.rows {
		if i == 0 || r.did() > best.did() {
			best = r
		}
	}
	return best
}

func (r row) did() int { return r.ToolCalls + r.LLMCalls }

// observe reads the board and takes the spans that came so far.
func (c *collector) observe(t *testing.T) observed {
	t.Helper()
	o := observed{rows: c.rows(t)}
	o.take(c.sink.Received())
	return o
}

// collect reads the board, ends the collector, so that nothing is held back any
// more, and takes all spans.
func (c *collector) collect(t *testing.T) observed {
	t.Helper()
	o := observed{rows: c.rows(t)}
	c.Terminate(t)
	o.take(c.sink.Received())
	return o
}

func (o *observed) take(got ptrace.Traces) {
	for _, resource := range got.ResourceSpans().All() {
		for _, scope := range resource.ScopeSpans().All() {
			for _, span := range scope.Spans().All() {
				o.spans = append(o.spans, span)
			}
		}
	}
	slices.SortStableFunc(o.spans, func(a, b ptrace.Span) int { return int(int64(a.StartTimestamp()) - int64(b.StartTimestamp())) })
}

func text(s ptrace.Span, key string) string {
	v, ok := s.Attributes().Get(key)
	if !ok {
		return ""
	}
	return v.AsString()
}

func number(s ptrace.Span, key string) int64 {
	v, ok := s.Attributes().Get(key)
	if !ok || v.Type() != pcommon.ValueTypeInt {
		return 0
	}
	return v.Int()
}

// failed reports what either status says: an agent may call a span of its own OK whose
// tool failed.
func failed(s ptrace.Span) bool {
	return s.Status().Code() == ptrace.StatusCodeError || text(s, "mcp.status.code") == "error"
}

// where keeps the spans that count: those that say the same as another one, which
// left before, do not.
func (o observed) where(keep func(ptrace.Span) bool) (all []ptrace.Span) {
	for _, s := range o.spans {
		if text(s, "mcp.duplicate_of") == "" && keep(s) {
			all = append(all, s)
		}
	}
	return all
}

// toolCalls returns those of the agent's layer.
func (o observed) toolCalls() []ptrace.Span {
	return o.where(func(s ptrace.Span) bool { return text(s, "gen_ai.operation.name") == "execute_tool" && !onWire(s) })
}

// wireCalls returns those that a tap saw.
func (o observed) wireCalls() []ptrace.Span { return o.where(onWire) }

// onWire reports whether a tap saw the call. Codex names the MCP method on its own spans
// of calls, too, which have another name.
func onWire(s ptrace.Span) bool {
	return s.Name() == "tool.call" && text(s, "mcp.rpc.method") == "tools/call"
}

func (o observed) modelCalls() []ptrace.Span {
	return o.where(func(s ptrace.Span) bool {
		switch text(s, "gen_ai.operation.name") {
		case "chat", "generate_content", "text_completion":
			return true
		}
		return false
	})
}

// givenLater are the ids of calls that left before the span came that has the id.
func (o observed) givenLater() map[string]string {
	found := map[string]string{}
	for _, s := range o.spans {
		if first := text(s, "mcp.duplicate_of"); first != "" {
			found[first] = callID(s)
		}
	}
	return found
}

// amended are the spans of which something was reported after they had left, by their
// ids.
func (o observed) amended() map[string]ptrace.Span {
	found := map[string]ptrace.Span{}
	for _, s := range o.named("call.amended") {
		found[text(s, "mcp.amended.span_id")] = s
	}
	return found
}

func (o observed) named(name string) []ptrace.Span {
	return o.where(func(s ptrace.Span) bool { return s.Name() == name })
}

// callID is the id that the model gave to the call. Gemini CLI puts the tool's name
// and two underscores before it.
func callID(s ptrace.Span) string {
	id := text(s, "gen_ai.tool.call.id")
	if i := strings.LastIndex(id, "__"); i >= 0 {
		return id[i+2:]
	}
	return id
}

// of keeps the spans of one session.
func of(spans []ptrace.Span, session string) (all []ptrace.Span) {
	for _, s := range spans {
		if text(s, "session.id") == session {
			all = append(all, s)
		}
	}
	return all
}

// outline is a line for each span, for whoever looks for what is wrong.
func (o observed) outline() string {
	var b strings.Builder
	for _, s := range o.spans {
		fmt.Fprintf(&b, "%s %s<%s %s", s.Name(), s.SpanID(), s.ParentSpanID(), s.Status().Code())
		for _, key := range []string{
			"gen_ai.operation.name", "gen_ai.tool.name", "mcp.tool.name", "mcp.server.name", "gen_ai.tool.call.id", "mcp.rpc.method",
			"mcp.host.phase", "mcp.agent.id", "gen_ai.usage.input_tokens", "mcp.tool.decision", "mcp.duplicate_of", "session.id",
		} {
			if v := text(s, key); v != "" {
				fmt.Fprintf(&b, " %s=%s", key, v)
			}
		}
		b.WriteString("\n")
	}
	return b.String()
}
