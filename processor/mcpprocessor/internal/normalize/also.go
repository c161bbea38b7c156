package normalize

import (
	"strconv"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// translation is a key of the conventions and that of a backend.
type translation struct{ from, to string }

// kinds map an operation to the names that backends use.
var kinds = map[string]struct{ openInference, langfuse string }{
	mcpconv.OperationChat:     {"LLM", "generation"},
	mcpconv.OperationComplete: {"LLM", "generation"},
	mcpconv.OperationGenerate: {"LLM", "generation"},
	mcpconv.OperationEmbed:    {"EMBEDDING", "embedding"},
	mcpconv.OperationTool:     {"TOOL", "tool"},
	mcpconv.OperationAgent:    {"AGENT", "agent"},
	mcpconv.OperationCreate:   {"AGENT", "agent"},
	mcpconv.OperationWorkflow: {"CHAIN", "chain"},
	mcpconv.OperationRetrieve: {"RETRIEVER", "retriever"},
}

var toOpenInference = []translation{
	{mcpconv.GenAIToolName, "tool.name"},
	{mcpconv.GenAIToolDescription, "tool.description"},
	{mcpconv.GenAIToolCallID, "tool_call.id"},
	{mcpconv.GenAIAgentName, "agent.name"},
	{mcpconv.GenAIConversation, "session.id"},
	{mcpconv.GenAIRequestModel, "llm.model_name"},
	{mcpconv.GenAIProvider, "llm.provider"},
	{mcpconv.GenAIToolArguments, "input.value"},
	{mcpconv.ToolInput, "input.value"},
	{mcpconv.GenAIInputMessages, "input.value"},
	{mcpconv.LLMPrompt, "input.value"},
	{mcpconv.GenAIToolResult, "output.value"},
	{mcpconv.ToolOutput, "output.value"},
	{mcpconv.GenAIOutputMessages, "output.value"},
	{mcpconv.LLMResponse, "output.value"},
}

var tokensToOpenInference = []translation{
	{mcpconv.GenAIUsageInput, "llm.token_count.prompt"},
	{mcpconv.GenAIUsageOutput, "llm.token_count.completion"},
	{mcpconv.GenAIUsageCacheRead, "llm.token_count.prompt_details.cache_read"},
	{mcpconv.GenAIUsageCacheWrite, "llm.token_count.prompt_details.cache_write"},
}

var toLangfuse = []translation{
	{mcpconv.GenAIRequestModel, "langfuse.observation.model.name"},
	{mcpconv.GenAIToolArguments, "langfuse.observation.input"},
	{mcpconv.ToolInput, "langfuse.observation.input"},
	{mcpconv.GenAIInputMessages, "langfuse.observation.input"},
	{mcpconv.LLMPrompt, "langfuse.observation.input"},
	{mcpconv.GenAIToolResult, "langfuse.observation.output"},
	{mcpconv.ToolOutput, "langfuse.observation.output"},
	{mcpconv.GenAIOutputMessages, "langfuse.observation.output"},
	{mcpconv.LLMResponse, "langfuse.observation.output"},
	{mcpconv.GenAIConversation, "session.id"},
}

// conventional is the dialect of spans that keep to the conventions.
const conventional = "semconv"

// usage are the kinds of tokens that Langfuse adds up. Those of a cache are part of
// the input in the conventions, and beside it there.
var usage = []translation{
	{mcpconv.GenAIUsageOutput, "output"},
	{mcpconv.GenAIUsageCacheRead, "cache_read_input_tokens"},
	{mcpconv.GenAIUsageCacheWrite, "cache_creation_input_tokens"},
}

// also adds the keys that backends need of a span that has an operation. A span that
// kept to the conventions is marked, or its new keys would be taken for a dialect's
// the next time.
func (n *Normalizer) also(span ptrace.Span, mark bool) {
	if !n.openInference && !n.langfuse {
		return
	}
	m := span.Attributes()
	v, ok := m.Get(mcpconv.GenAIOperation)
	if !ok || v.Type() != pcommon.ValueTypeStr {
		return
	}
	kind, ok := kinds[v.Str()]
	if !ok {
		return
	}
	if mark {
		add(m, mcpconv.Dialect, conventional)
	}
	repeats := repeatsTokens(m, kind.openInference)
	if n.openInference {
		add(m, "openinference.span.kind", kind.openInference)
		translate(m, toOpenInference)
		if !repeats {
			translate(m, tokensToOpenInference)
		}
	}
	if n.langfuse {
		add(m, "langfuse.observation.type", kind.langfuse)
		translate(m, toLangfuse)
		if span.Status().Code() == ptrace.StatusCodeError {
			add(m, "langfuse.observation.level", "ERROR")
			add(m, "langfuse.observation.status_message", span.Status().Message())
		}
		if _, has := m.Get(mcpconv.GenAIUsageInput); repeats && has {
			add(m, usageDetails, "{}") // or it reads gen_ai.usage.*
		}
		langfuseUsage(m)
	}
}

// repeatsTokens reports whether the tokens of a span are those of others, too: backends
// add up those of all spans.
func repeatsTokens(m pcommon.Map, kind string) bool {
	v, ok := m.Get(mcpconv.DialectRepeats)
	return kind == "AGENT" || kind == "CHAIN" || ok && v.Str() == mcpconv.RepeatsUsage
}

func add(m pcommon.Map, key, text string) {
	if _, has := m.Get(key); !has && text != "" {
		m.PutStr(key, text)
	}
}

func translate(m pcommon.Map, list []translation) {
	for _, one := range list {
		v, ok := m.Get(one.from)
		if !ok {
			continue
		}
		if _, has := m.Get(one.to); !has {
			v.CopyTo(m.PutEmpty(one.to))
		}
	}
}

// usageDetails is where Langfuse reads the tokens.
const usageDetails = "langfuse.observation.usage_details"

// langfuseUsage writes the tokens as the JSON that Langfuse reads.
func langfuseUsage(m pcommon.Map) {
	input, ok := m.Get(mcpconv.GenAIUsageInput)
	if _, has := m.Get(usageDetails); has || !ok || input.Type() != pcommon.ValueTypeInt {
		return
	}
	rest := input.Int()
	out := []byte{'{'}
	for _, one := range usage {
		v, ok := m.Get(one.from)
		if !ok || v.Type() != pcommon.ValueTypeInt {
			continue
		}
		out = appendMember(out, one.to, v.Int())
		if one.to != "output" {
			rest -= v.Int()
		}
	}
	m.PutStr(usageDetails, string(append(appendMember(out, "input", max(0, rest)), '}')))
}

func appendMember(to []byte, name string, n int64) []byte {
	if len(to) > 1 {
		to = append(to, ',')
	}
	to = append(to, '"')
	to = append(to, name...)
	to = append(to, '"', ':')
	return strconv.AppendInt(to, n, 10)
}
