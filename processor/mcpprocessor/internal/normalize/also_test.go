package normalize

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// The functions below are no backends, but what the sources of three of them say about
// how they choose the type of a span (langfuse/langfuse ObservationTypeMapper.ts @98bf336,
// the specification of OpenInference, LangSmith's page on OpenTelemetry).

func inLangfuse(m map[string]any) string {
	if kind, ok := m["langfuse.observation.type"].(string); ok {
		return strings.ToUpper(kind)
	}
	for _, key := range []string{"gen_ai.request.model", "gen_ai.response.model", "llm.model_name", "model"} {
		if m[key] != nil {
			return "GENERATION"
		}
	}
	return "SPAN"
}

func inPhoenix(m map[string]any) string {
	kind, _ := m["openinference.span.kind"].(string)
	return kind
}

func inLangSmith(m map[string]any) string {
	switch {
	case m["gen_ai.operation.name"] == "chat":
		return "llm"
	case m["gen_ai.tool.name"] != nil:
		return "tool"
	}
	return "chain"
}

// TestAlsoOfRecordings: what each backend shows of what real frameworks wrote are its
// model calls, tools and agents, with input, output and tokens, and none twice.
func TestAlsoOfRecordings(t *testing.T) {
	n := newNormalizer(t, func(c *Config) { c.Also = []string{OpenInference, Langfuse} })
	types := map[string][3]string{
		"chat": {"GENERATION", "LLM", "llm"}, "execute_tool": {"TOOL", "TOOL", "tool"}, "invoke_agent": {"AGENT", "AGENT", "chain"},
		"generate_content": {"GENERATION", "LLM", "chain"},
	}
	for _, file := range fixtures(t) {
		if isLogs(file) {
			continue
		}
		before, after := readTraces(t, file), readTraces(t, file)
		_, _ = n.Traces(t.Context(), after)
		eachSpan(before, after, func(_, span ptrace.Span) {
			m, at := span.Attributes().AsRaw(), file+": "+span.Name()
			want, ok := types[text(m["gen_ai.operation.name"])]
			if !ok {
				assert.NotEqual(t, "GENERATION", inLangfuse(m), at)
				return
			}
			assert.Equal(t, want[0], inLangfuse(m), at)
			if m["mcp.dialect"] != "openinference" {
				assert.Equal(t, want[1], inPhoenix(m), at)
			}
			if m["gen_ai.tool.name"] != nil || want[2] != "tool" {
				assert.Equal(t, want[2], inLangSmith(m), at)
			}
			requireSame(t, m, at)
		})
	}
}

func text(v any) string {
	s, _ := v.(string)
	return s
}

// requireSame: the backends' keys say what the conventions' keys say.
func requireSame(t *testing.T, m map[string]any, at string) {
	t.Helper()
	for _, pair := range [][3]string{
		{"gen_ai.tool.call.arguments", "input.value", "langfuse.observation.input"},
		{"gen_ai.tool.call.result", "output.value", "langfuse.observation.output"},
		{"gen_ai.input.messages", "input.value", "langfuse.observation.input"},
		{"gen_ai.output.messages", "output.value", "langfuse.observation.output"},
		{"gen_ai.request.model", "llm.model_name", "langfuse.observation.model.name"},
		{"gen_ai.conversation.id", "session.id", "session.id"},
		{"gen_ai.usage.input_tokens", "llm.token_count.prompt", "langfuse.observation.usage_details"},
	} {
		if m["mcp.dialect.repeats"] == "usage" && pair[0] == "gen_ai.usage.input_tokens" {
			continue
		}
		if m[pair[0]] != nil {
			require.NotNil(t, m[pair[1]], "%s: %s", at, pair[1])
			require.NotNil(t, m[pair[2]], "%s: %s", at, pair[2])
		}
	}
}

// TestAlsoOfRepeated: what repeats the tokens of other spans has none where backends add
// up those of all spans.
func TestAlsoOfRepeated(t *testing.T) {
	n := newNormalizer(t, func(c *Config) { c.Also = []string{OpenInference, Langfuse} })
	agent := map[string]any{"gen_ai.operation.name": "invoke_agent", "gen_ai.usage.input_tokens": 240, "gen_ai.usage.output_tokens": 36}
	inner := map[string]any{
		"gen_ai.operation.name": "generate_content", "gen_ai.agent.name": "weather", "gen_ai.usage.input_tokens": 120, "gcp.vertex.agent.event_id": "e",
	}
	for name, attributes := range map[string]map[string]any{"invoke_agent": agent, "generate_content": inner} {
		td, _ := n.Traces(t.Context(), one("x", name, attributes))
		got := onlySpan(td).Attributes().AsRaw()
		assert.NotContains(t, got, "llm.token_count.prompt", name)
		assert.Equal(t, "{}", got["langfuse.observation.usage_details"], "%s: an empty one keeps it from gen_ai.usage.*", name)
	}
}
