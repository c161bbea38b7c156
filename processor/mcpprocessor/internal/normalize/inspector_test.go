package normalize

import (
	"maps"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/internal/inspectorwire"
)

// TestInspectorWithoutStatus: the Inspector's spans are known by their names or by any
// key of their families.
func TestInspectorWithoutStatus(t *testing.T) {
	n := newNormalizer(t, nil)
	for name, want := range map[string]struct {
		key, value string
		kind       ptrace.SpanKind
	}{
		"workflow.run":   {"gen_ai.operation.name", "invoke_workflow", ptrace.SpanKindInternal},
		"agent.call":     {"gen_ai.operation.name", "invoke_agent", ptrace.SpanKindInternal},
		"llm.generate":   {"gen_ai.operation.name", "chat", ptrace.SpanKindClient},
		"tool.call":      {"gen_ai.operation.name", "execute_tool", ptrace.SpanKindClient},
		"resource.fetch": {"mcp.method.name", "resources/read", ptrace.SpanKindClient},
		"prompt.apply":   {"mcp.method.name", "prompts/get", ptrace.SpanKindClient},
	} {
		td, _ := n.Traces(t.Context(), one("", name, nil))
		got := onlySpan(td)
		assert.Equal(t, "inspector", got.Attributes().AsRaw()["mcp.dialect"], name)
		assert.Equal(t, want.value, got.Attributes().AsRaw()[want.key], name)
		assert.Equal(t, "ok", got.Attributes().AsRaw()["mcp.status.code"], name)
		assert.Equal(t, want.kind, got.Kind(), name)
		service, _ := td.ResourceSpans().At(0).Resource().Attributes().Get("service.name")
		assert.Equal(t, "mcp-agent", service.AsString(), name)
	}
	for key, operation := range map[string]any{
		"mcp.workflow.type": "invoke_workflow", "mcp.workflow.input_json": "invoke_workflow", "mcp.agent.class": "invoke_agent", "mcp.llm.model": "chat",
		"mcp.llm.provider": "chat", "mcp.llm.prompt_json": "chat", "mcp.tool.input_json": "execute_tool", "mcp.tool.structured_output_json": "execute_tool",
		"mcp.state.memory_json": nil, "mcp.result.call_json": nil, "mcp.prompt.parameters_json": nil, "mcp.error.code": nil, "mcp.status.code": nil,
	} {
		td := one("", "research_app", map[string]any{key: "x"})
		td.ResourceSpans().At(0).Resource().Attributes().PutStr("service.name", "research")
		td, _ = n.Traces(t.Context(), td)
		got := onlySpan(td).Attributes().AsRaw()
		assert.Equal(t, "inspector", got["mcp.dialect"], key)
		assert.Equal(t, operation, got["gen_ai.operation.name"], key)
		assert.Equal(t, map[string]any{"service.name": "research"}, td.ResourceSpans().At(0).Resource().Attributes().AsRaw())
	}
	td, _ := n.Traces(t.Context(), one("", "Report.summary.generate", nil))
	assert.Empty(t, onlySpan(td).Attributes().AsRaw(), "a name alone is nobody's")
	td, _ = n.Traces(t.Context(), one("", "GET /", map[string]any{"mcp.session.id": "x"}))
	assert.NotContains(t, onlySpan(td).Attributes().AsRaw(), "mcp.dialect")
}

// TestInspectorErrors: an error is one although only the Inspector's keys say so.
func TestInspectorErrors(t *testing.T) {
	n := newNormalizer(t, nil)
	for name, c := range map[string]struct {
		keys      map[string]any
		code      ptrace.StatusCode
		errorType any
	}{
		"status and code": {map[string]any{"mcp.status.code": "error", "mcp.error.code": "TIMEOUT"}, ptrace.StatusCodeError, "TIMEOUT"},
		"code alone":      {map[string]any{"mcp.error.code": "ValueError", "mcp.error.message": "no such city"}, ptrace.StatusCodeError, "ValueError"},
		"status alone":    {map[string]any{"mcp.status.code": "error"}, ptrace.StatusCodeError, "_OTHER"},
		"said to be fine": {map[string]any{"mcp.status.code": "ok", "mcp.error.code": "TIMEOUT"}, ptrace.StatusCodeUnset, nil},
	} {
		t.Run(name, func(t *testing.T) {
			td, _ := n.Traces(t.Context(), one("", "tool.call", c.keys))
			span := onlySpan(td)
			assert.Equal(t, c.code, span.Status().Code())
			assert.Equal(t, c.errorType, span.Attributes().AsRaw()["error.type"])
			if text := c.keys["mcp.error.message"]; text != nil {
				assert.Equal(t, text, span.Status().Message())
			}
		})
	}
	td := one("", "tool.call", map[string]any{"mcp.error.code": "SERVER_ERROR"})
	event := onlySpan(td).Events().AppendEmpty()
	event.SetName("exception")
	td, _ = n.Traces(t.Context(), td)
	assert.Equal(t, "SERVER_ERROR", onlySpan(td).Attributes().AsRaw()["error.type"], "an exception without a type is no better")
}

// TestTraceFilesOfBothShapes: what the two exporters write is the Inspector's dialect
// too. The lines are made from the source facts, since mcp-agent cannot be run here: the
// readable spans of OpenTelemetry's Python SDK, and the flat lines of the Inspector's
// schema.
func TestTraceFilesOfBothShapes(t *testing.T) {
	for name, line := range map[string]string{
		"python": `{"name":"OpenAIAugmentedLLM.finder.generate","context":{"trace_id":"0x6512e41a04b93caed27aab2721422e75",` +
			`"span_id":"0xb1816ef466f6425b","trace_state":"[]"},"kind":"SpanKind.INTERNAL","parent_id":null,` +
			`"start_time":"2025-08-02T09:31:08.000310Z","end_time":"2025-08-02T09:31:08.750000Z","status":{"status_code":"UNSET"},` +
			`"attributes":{"gen_ai.agent.name":"finder","mcp.llm.provider":"OpenAI","mcp.llm.model":"gpt-4o"},"events":[],"links":[],` +
			`"resource":{"attributes":{"session.id":"s-01"},"schema_url":""}}`,
		"flat": `{"trace_id":"6512e41a04b93caed27aab2721422e75","span_id":"b1816ef466f6425b","name":"OpenAIAugmentedLLM.finder.generate",` +
			`"start_time":"2025-08-02T09:31:07.204518Z","end_time":"2025-08-02T09:31:19.004100Z","status":{"status_code":"UNSET"},` +
			`"attributes":{"gen_ai.agent.name":"finder","mcp.llm.provider":"OpenAI","mcp.llm.model":"gpt-4o"}}`,
	} {
		t.Run(name, func(t *testing.T) {
			spans := inspectorwire.NewSpans("")
			verdict, err := spans.Add([]byte(line))
			require.NoError(t, err)
			require.Equal(t, inspectorwire.Taken, verdict)
			td, _ := newNormalizer(t, nil).Traces(t.Context(), spans.Traces())
			got := onlySpan(td)
			for key, want := range map[string]any{
				"mcp.dialect": "inspector", "gen_ai.operation.name": "chat", "gen_ai.request.model": "gpt-4o",
				"gen_ai.provider.name": "openai", "mcp.llm.provider": "OpenAI", "gen_ai.agent.name": "finder",
			} {
				assert.Equal(t, want, got.Attributes().AsRaw()[key], key)
			}
			assert.Equal(t, ptrace.SpanKindClient, got.Kind())
			service, _ := td.ResourceSpans().At(0).Resource().Attributes().Get("service.name")
			assert.Equal(t, "mcp-agent", service.AsString())
		})
	}
}

// TestRealNamesOfMCPAgent: mcp-agent names its spans after the class and the agent.
func TestRealNamesOfMCPAgent(t *testing.T) {
	n := newNormalizer(t, nil)
	for _, c := range []struct {
		name               string
		keys               map[string]any
		operation, repeats any
	}{
		{"OpenAIAugmentedLLM.finder.generate", map[string]any{"gen_ai.request.model": "gpt-4o"}, "chat", nil},
		{"OpenAIAugmentedLLM.finder.generate_structured", nil, "chat", nil},
		{"OpenAIAugmentedLLM.finder.generate_str", nil, nil, "call"},
		{"Agent.finder.call_tool", map[string]any{"gen_ai.tool.name": "fetch-fetch"}, "execute_tool", nil},
		{"OpenAIAugmentedLLM.finder.call_tool", map[string]any{"request.params.name": "fetch-fetch"}, nil, "call"},
		{"Agent.finder.read_resource", nil, nil, nil},
		{"MCPAgentClientSession.send_request", map[string]any{"mcp.method.name": "tools/call", "mcp.tool.name": "fetch", "mcp.request.id": "7"}, "execute_tool", nil},
	} {
		keys := map[string]any{"gen_ai.agent.name": "finder"}
		maps.Copy(keys, c.keys)
		td, _ := n.Traces(t.Context(), one("mcp-agent", c.name, keys))
		got := onlySpan(td).Attributes().AsRaw()
		assert.Equal(t, "inspector", got["mcp.dialect"], c.name)
		assert.Equal(t, c.operation, got["gen_ai.operation.name"], c.name)
		assert.Equal(t, c.repeats, got["mcp.dialect.repeats"], c.name)
		if id := c.keys["mcp.request.id"]; id != nil {
			assert.Equal(t, id, got["jsonrpc.request.id"])
		}
	}
}

// TestProviderHasBothNames: the provider is written for both conventions, whichever the
// sender used.
func TestProviderHasBothNames(t *testing.T) {
	n := newNormalizer(t, nil)
	td, _ := n.Traces(t.Context(), one("", "ChatOpenAI", map[string]any{"openinference.span.kind": "LLM", "llm.provider": "openai"}))
	assert.Equal(t, "openai", onlySpan(td).Attributes().AsRaw()["mcp.llm.provider"])
	td, _ = n.Traces(t.Context(), one("", "llm.generate", map[string]any{"mcp.llm.provider": "Anthropic"}))
	assert.Equal(t, "anthropic", onlySpan(td).Attributes().AsRaw()["gen_ai.provider.name"])
	assert.Equal(t, "Anthropic", onlySpan(td).Attributes().AsRaw()["mcp.llm.provider"])
}
