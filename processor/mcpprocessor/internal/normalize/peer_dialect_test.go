package normalize

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// example is a span of a dialect.
type example struct {
	name       string
	attributes map[string]any
	message    string // of a status that is Error
}

// examples are spans of all kinds of a dialect for which testdata/peers has statements
// of the transform processor.
var examples = map[string][]example{
	"openinference": {
		{name: "weather", attributes: openInferenceTool},
		{name: "forecast", attributes: map[string]any{
			"openinference.span.kind": "TOOL", "tool.id": "call_2", "tool.parameters": `{"city":"Nowhere"}`, "session.id": "conversation-1",
			"tool.name": "", "error.type": "RequestTimeout",
		}, message: "no answer"},
		{name: "delete", attributes: map[string]any{
			"openinference.span.kind": "TOOL", "tool.name": "delete", "input.value": `{"id":7}`, "gen_ai.tool.call.id": "call_3",
		}, message: "no such id"},
		{name: "planner", attributes: map[string]any{
			"openinference.span.kind": "AGENT", "agent.name": "planner", "session.id": "conversation-1",
		}},
		{name: "run", attributes: map[string]any{"openinference.span.kind": "AGENT", "llm.system": "openai"}},
		{name: "ChatCompletion", attributes: map[string]any{
			"openinference.span.kind": "LLM", "llm.provider": "Azure", "llm.system": "openai", "llm.model_name": "gpt-4o",
			"llm.finish_reason": "stop", "llm.token_count.prompt": 120, "llm.token_count.completion": 18, "llm.token_count.total": 138,
			"llm.token_count.prompt_details.cache_read": 64, "llm.token_count.completion_details.reasoning": 5, "llm.cost.total": 0.0125,
			"llm.invocation_parameters": `{"model":"gpt-4o"}`, "session.id": "conversation-1",
		}},
		{name: "embed", attributes: map[string]any{
			"openinference.span.kind": "EMBEDDING", "embedding.model_name": "text-embedding-3-small", "llm.token_count.prompt": 4,
		}},
		{name: "retrieve", attributes: map[string]any{"openinference.span.kind": "RETRIEVER", "input.value": "Oslo"}},
		{name: "chain", attributes: map[string]any{"openinference.span.kind": "CHAIN", "input.value": "x", "output.value": "y"}},
	},
	"openllmetry": {
		{name: "weather.tool", attributes: openLLMetryTool},
		{name: "forecast.tool", attributes: map[string]any{
			"traceloop.span.kind": "tool", "traceloop.entity.name": "forecast", "error.type": "404",
			"traceloop.entity.input":  `{"tool_name":"forecast","arguments":{"city":"Nowhere"}}`,
			"traceloop.entity.output": `{"result":"no such city","is_error":true}`,
		}, message: "no such city"},
		{name: "add.tool", attributes: map[string]any{
			"traceloop.span.kind": "tool", "traceloop.entity.name": "add", "traceloop.entity.input": `{"a":1}`, "traceloop.entity.output": `{"sum":2}`,
		}},
		{name: "plan.workflow", attributes: map[string]any{
			"traceloop.span.kind": "workflow", "traceloop.entity.name": "plan", "traceloop.association.properties.session_id": "conversation-1",
		}},
		{name: "planner.agent", attributes: map[string]any{"traceloop.span.kind": "agent", "traceloop.entity.name": "planner"}},
		{name: "openai.chat", attributes: map[string]any{
			"llm.request.type": "chat", "gen_ai.request.model": "gpt-4o", "gen_ai.usage.input_tokens": 120, "gen_ai.usage.output_tokens": 18,
			"llm.usage.cache_read_input_tokens": 64, "llm.usage.total_tokens": 138,
		}},
	},
}

// batchOfExamples is a batch of the examples in turn.
func batchOfExamples(list []example, size int) ptrace.Traces {
	td := ptrace.NewTraces()
	ss := td.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty()
	ss.Scope().SetName("x")
	for i := range size {
		one := list[i%len(list)]
		s := ss.Spans().AppendEmpty()
		s.SetName(one.name)
		s.SetKind(ptrace.SpanKindInternal)
		_ = s.Attributes().FromRaw(one.attributes)
		if one.message != "" {
			s.Status().SetCode(ptrace.StatusCodeError)
			s.Status().SetMessage(one.message)
		}
	}
	return td
}

func statementsFor(tb testing.TB, dialect string) string {
	tb.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "peers", dialect+".yaml"))
	require.NoError(tb, err)
	return string(text)
}

// TestPeerHasTheSameEffectOnADialect keeps the comparison honest: the second time, too.
func TestPeerHasTheSameEffectOnADialect(t *testing.T) {
	for dialect, list := range examples {
		t.Run(dialect, func(t *testing.T) {
			sink, n := new(consumertest.TracesSink), newNormalizer(t, nil)
			peer := transform(t, statementsFor(t, dialect), sink)
			theirs, ours := batchOfExamples(list, len(list)), batchOfExamples(list, len(list))
			for range 2 {
				sink.Reset()
				require.NoError(t, peer.ConsumeTraces(t.Context(), theirs))
				theirs = sink.AllTraces()[0]
				ours, _ = n.Traces(t.Context(), ours)
				eachSpan(theirs, ours, func(theirs, ours ptrace.Span) {
					require.Equal(t, theirs.Attributes().AsRaw(), ours.Attributes().AsRaw(), theirs.Name())
					require.Equal(t, theirs.Kind(), ours.Kind(), theirs.Name())
					require.Equal(t, theirs.Status().Code(), ours.Status().Code(), theirs.Name())
					require.Equal(t, theirs.Status().Message(), ours.Status().Message(), theirs.Name())
				})
			}
		})
	}
}

// BenchmarkPeerDialect is the normalizer beside the transform processor with the
// statements for a whole dialect: what takes the place of the normalizer for those who
// have spans of that dialect only.
func BenchmarkPeerDialect(b *testing.B) {
	for dialect, list := range examples {
		from, sink := batchOfExamples(list, batchSize), new(consumertest.TracesSink)
		theirs, ours := transform(b, statementsFor(b, dialect), sink), newNormalizer(b, nil)
		b.Run(dialect+"/normalize", func(b *testing.B) {
			benchmark(b, from, func(td ptrace.Traces) { _, _ = ours.Traces(context.Background(), td) })
		})
		b.Run(dialect+"/transform", func(b *testing.B) {
			benchmark(b, from, func(td ptrace.Traces) {
				sink.Reset()
				_ = theirs.ConsumeTraces(context.Background(), td)
			})
		})
	}
}
