package failures

import (
	"cmp"
	"hash/maphash"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/exporter/inspectorexporter/internal/facts"
	"github.com/otelcol-mcp/otelcol-mcp/exporter/inspectorexporter/internal/figures"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// failure is a span that failed, with what tells which others report the same.
type failure struct {
	id, parent pcommon.SpanID
	also       pcommon.SpanID // by which others know it: of what it repeats, of its start
	call       uint64         // hash of the call's id, 0 if it has none
	request    uint64         // likewise of the request's
	start, end figures.Time
	tool       string
	kind       kind
	side       side
	group      uint32
	marks
}

// kind is what failed.
type kind uint8

const (
	other  kind = iota // a sub-agent, a wait, a message, a notice …
	tool               // the call of a tool
	model              // the call of a model
	turn               // of an agent
	report             // by a hook or by the host: that the turn failed
	phase              // that begins with a failure
	step               // inside of something, or around it, of which there is no other name
)

// side is where a call was seen.
type side uint8

const (
	asks   side = 1 << iota // by who makes it
	onWire                  // by its MCP client, or a tap
	served                  // by its server
)

var seed = maphash.MakeSeed()

// hash is never that of no text.
func hash(text string) uint64 {
	if text == "" {
		return 0
	}
	return maphash.String(seed, text) | 1
}

// of reads a failed span.
func of(span ptrace.Span, outermost bool) failure {
	m := span.Attributes()
	f := failure{
		id: span.SpanID(), parent: span.ParentSpanID(), start: figures.When(span.StartTimestamp()), end: figures.When(span.EndTimestamp()),
		kind: kindOf(span, outermost),
	}
	if f.kind == other || f.kind == tool || f.kind == model {
		f.marks |= whole
	}
	if !repeats(m) {
		f.marks |= loud
	}
	if span.Name() == mcpconv.SpanCallStuck { // of a call that goes on, and may fail besides
		return f
	}
	for _, key := range []string{mcpconv.DuplicateOf, mcpconv.AnnouncedAs, mcpconv.AmendedSpan} {
		if f.also.IsEmpty() {
			f.also = facts.SpanID(m, key)
		}
	}
	f.request, f.side = hash(facts.RequestID(m)), sideOf(span)
	if f.kind == tool || f.kind == model || f.kind == step {
		f.call = hash(facts.CallID(m))
	}
	if f.kind == tool {
		f.tool = facts.Tool(m)
	}
	if facts.Refused(span) {
		f.marks |= refused
	}
	return f
}

// repeats reports whether the span says that others tell the same.
func repeats(m pcommon.Map) bool {
	switch facts.Str(m, mcpconv.DialectRepeats) {
	case mcpconv.RepeatsCall, mcpconv.RepeatsTools:
		return true
	}
	return facts.Str(m, mcpconv.DuplicateOf) != ""
}

func sideOf(span ptrace.Span) (s side) {
	if facts.Asks(span) {
		s |= asks
	}
	if facts.OnWire(span) {
		s |= onWire
	}
	if facts.Served(span) {
		s |= served
	}
	return s
}

func kindOf(span ptrace.Span, outermost bool) kind {
	name, m := span.Name(), span.Attributes()
	switch {
	case name == mcpconv.SpanPhase:
		return phase
	case facts.IsTurn(span), outermost && facts.Str(m, mcpconv.GenAIOperation) == mcpconv.OperationAgent:
		return turn
	case facts.IsTool(span), name == mcpconv.SpanAmended && facts.Tool(m) != "":
		return tool
	case facts.IsModel(span):
		return model
	case strings.HasPrefix(name, mcpconv.SpanHook), name == mcpconv.HostError:
		return report
	case isStep(span):
		return step
	}
	return other
}

// isStep reports whether nothing says what the span is of: it is inside of something, such as
// the execution of a tool, or around it, such as the graph of a framework.
func isStep(span ptrace.Span) bool {
	switch span.Name() {
	case mcpconv.SpanAgent, mcpconv.SpanSignalWait, mcpconv.SpanResource, mcpconv.SpanPrompt:
		return false
	}
	m := span.Attributes()
	operation := facts.Str(m, mcpconv.GenAIOperation)
	method := cmp.Or(facts.Str(m, mcpconv.RPCMethod), facts.Str(m, mcpconv.MethodName), facts.Str(m, mcpconv.SignalName))
	isNotice := span.EndTimestamp() <= span.StartTimestamp()+1
	return !isNotice && method == "" && (operation == "" || operation == mcpconv.OperationWorkflow)
}
