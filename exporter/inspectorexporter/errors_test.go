package inspectorexporter

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// failing makes a span one that failed.
func failing(fill func(ptrace.Span)) func(ptrace.Span) {
	return func(s ptrace.Span) {
		fill(s)
		s.Status().SetCode(ptrace.StatusCodeError)
	}
}

// onWire makes a span that of an MCP client.
func onWire(fill func(ptrace.Span)) func(ptrace.Span) {
	return func(s ptrace.Span) {
		fill(s)
		s.SetKind(ptrace.SpanKindClient)
		s.Attributes().PutStr("mcp.rpc.method", "tools/call")
	}
}

// TestErrorsAfterARestart: what failed is counted once, wherever a restart is between the
// spans that report it.
func TestErrorsAfterARestart(t *testing.T) {
	agents := failing(span("a-1", "claude_code.tool", 40, root, 1, 4, "gen_ai.operation.name", "execute_tool", "mcp.tool.name", "mcp__files__read"))
	step := failing(span("a-1", "claude_code.tool.execution", 41, 40, 1, 4))
	wires := failing(onWire(span("a-1", "tool.call", 42, 41, 2, 3, "mcp.tool.name", "read")))
	another := failing(onWire(span("a-1", "tool.call", 43, root, 2, 3, "mcp.tool.name", "read")))
	for name, batches := range map[string][][]func(ptrace.Span){
		"the inner first": {{wires, another}, {step}, {agents}},
		"the outer first": {{agents}, {another, step}, {wires}},
		"again":           {{agents, step, wires, another}, {agents, step, wires, another}},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			r := start(t, configFor(dir))
			r.send(started("a-1"))
			for _, batch := range batches {
				r.send(batch...)
				r.close()
				r = start(t, configFor(dir))
			}
			assert.InDelta(t, 2, r.row("a-1")["errors"], 0)
			r.send(span("a-1", "session.summary", 50, root, 20, 20, "mcp.summary.errors", 2), ended("a-1"))
			assert.InDelta(t, 2, r.row("a-1")["errors"], 0)
			r.close()
			r = start(t, configFor(dir))
			assert.InDelta(t, 2, r.row("a-1")["errors"], 0, "as the index has it")
		})
	}
}
