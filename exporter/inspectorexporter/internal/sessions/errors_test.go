package sessions

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// Kinds of spans.
const (
	inner  = ptrace.SpanKindInternal
	client = ptrace.SpanKindClient
	server = ptrace.SpanKindServer
)

// one is a span of the session s that lasts from second 1 to 5; next changes it.
func one(name string, id, parent byte, kind ptrace.SpanKind, pairs ...any) ptrace.Span {
	s := ptrace.NewSpan()
	s.SetName(name)
	s.SetTraceID(pcommon.TraceID{1, 's'})
	s.SetSpanID(pcommon.SpanID{7: id})
	s.SetParentSpanID(pcommon.SpanID{7: parent})
	s.SetKind(kind)
	s.SetStartTimestamp(at(1))
	s.SetEndTimestamp(at(5))
	put(s.Attributes(), "s", pairs)
	return s
}

func bad(name string, id, parent byte, kind ptrace.SpanKind, pairs ...any) ptrace.Span {
	s := one(name, id, parent, kind, pairs...)
	s.Status().SetCode(ptrace.StatusCodeError)
	return s
}

// during sets when a span began and ended.
func during(s ptrace.Span, from, to int) ptrace.Span {
	s.SetStartTimestamp(at(from))
	s.SetEndTimestamp(at(to))
	return s
}

// agents, wires are attributes of a call as an agent and as a tap reports it.
func agents(tool string, more ...any) []any {
	return append([]any{"gen_ai.operation.name", "execute_tool", "gen_ai.tool.name", tool}, more...)
}

func wires(tool string, more ...any) []any {
	return append([]any{"mcp.rpc.method", "tools/call", "mcp.tool.name", tool}, more...)
}

const id = "gen_ai.tool.call.id"

// errorCases are spans of one session, and how many errors they are, in whatever order they come.
var errorCases = map[string]struct {
	spans  []ptrace.Span
	errors int64
}{
	"the agent's call and the wire's below it": {[]ptrace.Span{
		bad("claude_code.tool", 3, 2, inner, agents("mcp__files__read", id, "toolu_1")...), bad("tool.call", 4, 3, client, wires("read")...),
	}, 1},
	"and both by the id of the call": {[]ptrace.Span{
		bad("claude_code.tool", 3, 2, inner, agents("mcp__files__read", id, "toolu_1")...), bad("tool.call", 4, 1, client, wires("read", id, "toolu_1")...),
	}, 1},
	"the wire's call alone": {[]ptrace.Span{bad("tool.call", 4, 3, client, wires("read", id, "toolu_1")...)}, 1},
	"only the wire's failed": {[]ptrace.Span{
		one("claude_code.tool", 3, 2, inner, agents("read", id, "toolu_1")...), bad("tool.call", 4, 3, client, wires("read", id, "toolu_1")...),
	}, 1},
	"only the agent's failed": {[]ptrace.Span{
		bad("claude_code.tool", 3, 2, inner, agents("read", id, "toolu_1")...), one("tool.call", 4, 3, client, wires("read", id, "toolu_1")...),
	}, 1},
	"the execution of a tool": {[]ptrace.Span{
		bad("claude_code.tool", 3, 2, inner, agents("Bash", id, "toolu_1")...), bad("claude_code.tool.execution", 4, 3, inner),
	}, 1},
	"an execution that is elsewhere": {[]ptrace.Span{
		bad("ai.toolCall", 3, 2, inner, agents("bash", id, "call_1")...), bad("Tool.execute", 4, 99, inner, id, "call_1"),
	}, 1},
	"the wire's call in the execution": {[]ptrace.Span{
		bad("execute_tool files-read", 3, 2, inner, agents("files-read")...), bad("execution", 4, 3, inner), bad("send", 5, 4, inner),
		bad("tool.call", 6, 5, client, wires("read")...),
	}, 1},
	"and what serves it": {[]ptrace.Span{
		bad("execute_tool read", 3, 2, inner, agents("read")...), bad("tool.call", 4, 3, client, wires("read")...),
		bad("tools/call read", 5, 4, server, wires("read")...), bad("SELECT", 6, 5, client),
	}, 1},
	"what serves it, by the id of the request": {[]ptrace.Span{
		bad("tool.call", 4, 1, client, wires("read", "mcp.request_id", "request-1")...), bad("tools/call read", 5, 9, server, wires("read", "mcp.request_id", "request-1")...),
	}, 1},
	"a span that repeats, and what is below it": {[]ptrace.Span{
		bad("tool.call", 3, 2, inner, agents("read")...), bad("claude_code.tool", 4, 2, inner, agents("read", "mcp.duplicate_of", "0000000000000003")...),
		bad("tool.call", 5, 4, client, wires("read")...), bad("claude_code.tool.execution", 6, 4, inner),
	}, 1},
	"a repetition alone": {[]ptrace.Span{
		one("tool.call", 3, 2, inner, agents("read")...), bad("claude_code.tool", 4, 2, inner, agents("read", "mcp.duplicate_of", "0000000000000003")...),
	}, 0},
	"a call that was announced as another span": {[]ptrace.Span{
		bad("tool_call", 3, 2, inner, agents("mcp_files_read", "mcp.announced_as", "0000000000000009")...), bad("tool.call", 4, 9, client, wires("read")...),
	}, 1},
	"what is reported of a call that has left": {[]ptrace.Span{
		one("tool.call", 3, 2, inner, agents("read")...), bad("tool.call", 4, 3, client, wires("read")...),
		during(bad("call.amended", 5, 1, inner, "mcp.amended.span_id", "0000000000000003", "mcp.tool.name", "read"), 5, 5),
	}, 1},
	"what is around the call of a model": {[]ptrace.Span{
		bad("ai.streamText", 3, 2, inner, "mcp.dialect.repeats", "call"), bad("ai.streamText.doStream", 4, 3, inner, "gen_ai.operation.name", "chat"),
		bad("POST", 5, 4, client),
	}, 1},
	"the graph of a framework": {[]ptrace.Span{
		bad("graph", 3, 99, inner, "gen_ai.operation.name", "invoke_workflow"), bad("node", 4, 3, inner), bad("node", 5, 4, inner),
		bad("execute_tool a", 6, 5, inner, agents("a")...), bad("execute_tool b", 7, 5, inner, agents("b")...),
	}, 2},
	"a step that fails on its own":  {[]ptrace.Span{bad("node", 3, 2, inner), bad("node", 4, 3, inner)}, 1},
	"a step in a call that is good": {[]ptrace.Span{one("chat", 3, 2, client, "gen_ai.operation.name", "chat"), bad("POST", 4, 3, client)}, 1},
	"a refused call": {[]ptrace.Span{
		bad("claude_code.tool", 3, 2, inner, agents("Bash", id, "toolu_1", "mcp.tool.decision", "reject")...), bad("claude_code.tool.execution", 4, 3, inner),
	}, 0},
	"a model, its turn and what tells of that": {[]ptrace.Span{
		during(bad("llm.generate", 4, 3, client, "gen_ai.operation.name", "chat"), 2, 4), bad("agent.turn", 3, 1, inner, "mcp.turn.index", 1),
		during(bad("hook.StopFailure", 5, 1, inner), 5, 5), during(bad("host.phase", 6, 1, inner, "mcp.host.phase", "error"), 5, 9),
	}, 1},
	"a turn that fails after the model was tried again": {[]ptrace.Span{
		during(bad("llm.generate", 4, 3, client, "gen_ai.operation.name", "chat"), 1, 2), during(one("llm.generate", 5, 3, client, "gen_ai.operation.name", "chat"), 3, 20),
		during(bad("agent.turn", 3, 1, inner, "mcp.turn.index", 1), 1, 20),
	}, 2},
	"two tries of a turn": {[]ptrace.Span{
		during(bad("llm.generate", 4, 3, client, "gen_ai.operation.name", "chat"), 1, 2), during(bad("llm.generate", 5, 3, client, "gen_ai.operation.name", "chat"), 2, 4),
		bad("agent.turn", 3, 1, inner, "mcp.turn.index", 1),
	}, 2},
	"a turn in which a tool failed": {[]ptrace.Span{bad("agent.turn", 3, 1, inner, "mcp.turn.index", 1), bad("tool.call", 4, 3, inner, agents("Bash")...)}, 2},
	"an error of the host and its phase": {[]ptrace.Span{
		during(bad("notifications/host.error", 3, 1, inner, "mcp.rpc.method", "notifications/host.error"), 3, 3), during(bad("host.phase", 4, 1, inner), 3, 9),
	}, 1},
	"a phase of which nothing else tells":  {[]ptrace.Span{during(bad("host.phase", 4, 1, inner), 3, 9)}, 1},
	"a sub-agent in which a tool failed":   {[]ptrace.Span{bad("agent.call", 3, 1, inner), bad("tool.call", 4, 3, inner, agents("Bash")...)}, 2},
	"a call that hung, and timed out then": {[]ptrace.Span{bad("tool.call", 3, 1, client, wires("read")...), during(bad("mcp.call.stuck", 4, 3, inner, wires("read")...), 3, 3)}, 2},
	"a tool that calls another one": {[]ptrace.Span{
		bad("execute_tool research", 3, 2, inner, agents("research")...), bad("tool.call", 4, 3, client, wires("search")...),
	}, 2},
	"calls of one tool": {[]ptrace.Span{
		bad("tool.call", 3, 2, client, wires("read")...), bad("tool.call", 4, 2, client, wires("read")...),
		bad("claude_code.tool", 5, 2, inner, agents("read", id, "toolu_1")...), bad("claude_code.tool", 6, 2, inner, agents("read", id, "toolu_2")...),
	}, 4},
	"the session itself": {[]ptrace.Span{bad("tool.call", 3, 1, client, wires("read")...), bad("workflow.run", 1, 0, inner, "mcp.session.end_reason", "closed")}, 1},
}

// TestErrorsInAnyOrder: every fact that failed is one error, in whatever order the spans
// come that tell of it, together or not, and once more.
func TestErrorsInAnyOrder(t *testing.T) {
	for name, c := range errorCases {
		t.Run(name, func(t *testing.T) {
			for _, order := range orders(c.spans) {
				b, _ := board(10)
				span("s", "session.start", 2, 1, 0, 0)(b)
				for range 2 {
					for _, s := range order {
						b.Foresee(pcommon.NewResource(), s)
						b.Span(pcommon.NewResource(), s, "")
					}
					require.Equal(t, c.errors, row(t, b, "s").Errors, "%v", names(order))
				}
			}
		})
	}
}

// orders are all orders of the spans.
func orders(spans []ptrace.Span) (all [][]ptrace.Span) {
	if len(spans) == 0 {
		return [][]ptrace.Span{nil}
	}
	for i, first := range spans {
		for _, rest := range orders(slices.Concat(spans[:i], spans[i+1:])) {
			all = append(all, append([]ptrace.Span{first}, rest...))
		}
	}
	return all
}

func names(spans []ptrace.Span) (all []string) {
	for _, s := range spans {
		all = append(all, s.Name())
	}
	return all
}

// What a session's summary counts, and what was seen: the more of both, as of calls.
func TestErrorsOfASummary(t *testing.T) {
	for name, c := range map[string]struct{ seen, told, want int64 }{
		"of which no span came": {1, 3, 3}, "of others": {2, 1, 2}, "the same": {2, 2, 2}, "none": {0, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			b, _ := board(10)
			span("s", "session.start", 2, 1, 0, 0)(b)
			for i := range c.seen {
				b.Span(pcommon.NewResource(), bad("tool.call", byte(10+i), 1, client, wires("read")...), "")
			}
			span("s", "session.summary", 9, 1, 6, 6, "mcp.summary.errors", c.told)(b)
			assert.Equal(t, c.want, row(t, b, "s").Errors)
			span("s", "workflow.run", 1, 0, 0, 6, "mcp.session.end_reason", "closed")(b)
			assert.Equal(t, c.want, row(t, b, "s").Errors)
		})
	}
}

// What a server reports of a call may come long after the session has ended.
func TestErrorsAfterTheEnd(t *testing.T) {
	b, _ := board(10)
	span("s", "session.start", 2, 1, 0, 0)(b)
	give := func(s ptrace.Span) { b.Span(pcommon.NewResource(), s, "") }
	give(bad("tool.call", 4, 1, client, wires("read")...))
	span("s", "workflow.run", 1, 0, 0, 6, "mcp.session.end_reason", "closed")(b)
	give(bad("tools/call read", 5, 4, server, wires("read")...))
	give(bad("tool.call", 4, 1, client, wires("read")...))
	assert.EqualValues(t, 1, row(t, b, "s").Errors)
}

// However many fail, all count, and few are remembered.
func TestErrorsWithoutEnd(t *testing.T) {
	b, _ := board(10)
	span("s", "session.start", 2, 1, 0, 0)(b)
	const many = 5000
	for i := range many {
		s := bad("tool.call", 0, 1, client, wires("read")...)
		s.SetSpanID(pcommon.SpanID{1, byte(i >> 8), byte(i)})
		b.Span(pcommon.NewResource(), s, "")
	}
	assert.EqualValues(t, many, row(t, b, "s").Errors)
}

// Two rows that become one count what both tell of once.
func TestErrorsOfParts(t *testing.T) {
	for _, first := range []string{"a-1", "child"} {
		b, _ := board(10)
		tell := func(session, name string, more ...any) {
			of := map[string]any{"mcp.status.code": "error", "gen_ai.operation.name": "execute_tool"}
			for i := 0; i < len(more); i += 2 {
				of[more[i].(string)] = more[i+1]
			}
			peer(b, session, name, "opencode", of)
		}
		second := map[string]string{"a-1": "child", "child": "a-1"}[first]
		tell(first, "one", id, "call_1")
		tell(second, "two", id, "call_1")
		tell("child", "three", id, "call_3")
		tell("a-1", "four", id, "call_4")
		tell("child", "five", id, "call_4", "mcp.session.part_of", "a-1")
		assert.Equal(t, []string{"a-1"}, ids(b))
		assert.EqualValues(t, 3, row(t, b, "a-1").Errors)
	}
}

// TestSubAgentsAgain: a span of a sub-agent that comes again counts once, however late, and
// one that repeats another not at all.
func TestSubAgentsAgain(t *testing.T) {
	native := one("invoke_agent", 3, 1, inner, "gen_ai.operation.name", "invoke_agent")
	hook := one("agent.call", 4, 1, inner, "mcp.duplicate_of", "0000000000000003")
	for name, between := range map[string]func(b *Board){
		"at once": func(*Board) {},
		"after many others": func(b *Board) {
			for i := range 600 {
				s := one("chat", 0, 1, client)
				s.SetSpanID(pcommon.SpanID{1, byte(i >> 8), byte(i)})
				b.Span(pcommon.NewResource(), s, "")
			}
		},
		"after the end": func(b *Board) { span("s", "workflow.run", 1, 0, 0, 6, "mcp.session.end_reason", "closed")(b) },
	} {
		t.Run(name, func(t *testing.T) {
			for _, order := range orders([]ptrace.Span{native, hook}) {
				b, _ := board(10)
				span("s", "session.start", 2, 1, 0, 0)(b)
				give := func() {
					for _, s := range order {
						b.Span(pcommon.NewResource(), s, "")
					}
				}
				give()
				between(b)
				give()
				assert.EqualValues(t, 1, row(t, b, "s").Agents)
			}
		})
	}
}

// A framework's outermost span is an error if it is a fact of its own, which a workflow
// around one is not.
func TestErrorsOfAFrameworksRoot(t *testing.T) {
	call := bad("execute_tool read", 3, 4, inner, agents("read")...)
	for name, c := range map[string]struct {
		spans  []ptrace.Span
		errors int64
	}{
		"a call":                    {[]ptrace.Span{bad("execute_tool read", 3, 0, client, agents("read")...)}, 1},
		"a turn":                    {[]ptrace.Span{bad("invoke_agent", 4, 0, inner, "gen_ai.operation.name", "invoke_agent")}, 1},
		"a turn and its call":       {[]ptrace.Span{bad("invoke_agent", 4, 0, inner, "gen_ai.operation.name", "invoke_agent"), call}, 2},
		"a workflow around a call":  {[]ptrace.Span{bad("agent", 4, 0, inner, "gen_ai.operation.name", "invoke_workflow"), call}, 1},
		"a workflow that fails":     {[]ptrace.Span{bad("agent", 4, 0, inner, "gen_ai.operation.name", "invoke_workflow")}, 1},
		"the session that it calls": {[]ptrace.Span{bad("workflow.run", 4, 0, inner), call}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			for _, order := range orders(c.spans) {
				b, _ := board(10)
				for _, s := range order {
					b.Span(pcommon.NewResource(), s, "")
				}
				got := row(t, b, "s")
				assert.Equal(t, c.errors, got.Errors)
				assert.Equal(t, Failed, got.State)
			}
		})
	}
}

// Spans that are around themselves or each other, or all say that they repeat one, end.
func TestErrorsOfHostileSpans(t *testing.T) {
	b, _ := board(10)
	span("s", "session.start", 2, 1, 0, 0)(b)
	for i := range 200 {
		self := bad("step", byte(i), byte(i), inner)
		circle := bad("step", byte(i), byte(i^1), inner)
		call := bad("tool.call", byte(i), 7, client, wires("read", "mcp.announced_as", "0000000000000007")...)
		for n, s := range []ptrace.Span{self, circle, call} {
			s.SetSpanID(pcommon.SpanID{byte(n), 7: byte(i)})
			b.Span(pcommon.NewResource(), s, "")
		}
	}
	errors := row(t, b, "s").Errors
	assert.Positive(t, errors)
	assert.LessOrEqual(t, errors, int64(600))
}
