package normalize

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"pgregory.net/rapid"

	"github.com/otelcol-mcp/otelcol-mcp/internal/dialect"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// variants are configurations under which the properties hold.
var variants = map[string]func(*Config){
	"default":   nil,
	"rename":    func(c *Config) { c.RenameSpans = true },
	"remove":    func(c *Config) { c.RemoveOriginals = true },
	"otel":      func(c *Config) { c.Conventions = []string{OTel} },
	"inspector": func(c *Config) { c.Conventions = []string{Inspector} },
	"also":      func(c *Config) { c.Also = []string{OpenInference, Langfuse} },
}

// TestTwiceIsOnce: what was normalized is not changed by a second collector.
func TestTwiceIsOnce(t *testing.T) {
	for name, change := range variants {
		n := newNormalizer(t, change)
		for _, file := range fixtures(t) {
			if isLogs(file) {
				once, _ := n.Logs(t.Context(), readLogs(t, file))
				twice := plog.NewLogs()
				once.CopyTo(twice)
				_, _ = n.Logs(t.Context(), twice)
				require.Equal(t, once, twice, "%s %s", name, file)
				continue
			}
			once, _ := n.Traces(t.Context(), readTraces(t, file))
			twice := ptrace.NewTraces()
			once.CopyTo(twice)
			_, _ = n.Traces(t.Context(), twice)
			require.Equal(t, once, twice, "%s %s", name, file)
		}
	}
}

// TestNothingIsLost: what a span had it still has, or it is kept under another key.
func TestNothingIsLost(t *testing.T) {
	for _, name := range []string{"default", "rename", "otel", "inspector", "also"} {
		n := newNormalizer(t, variants[name])
		for _, file := range fixtures(t) {
			if isLogs(file) {
				continue
			}
			before, after := readTraces(t, file), readTraces(t, file)
			_, _ = n.Traces(t.Context(), after)
			eachSpan(before, after, func(before, after ptrace.Span) { requireKept(t, before, after) })
		}
	}
}

func eachSpan(before, after ptrace.Traces, do func(before, after ptrace.Span)) {
	for i, rs := range before.ResourceSpans().All() {
		for j, ss := range rs.ScopeSpans().All() {
			for k, span := range ss.Spans().All() {
				do(span, after.ResourceSpans().At(i).ScopeSpans().At(j).Spans().At(k))
			}
		}
	}
}

// moved are the attributes that may change, and where their value is kept.
var moved = map[string]string{
	mcpconv.GenAIOperation: mcpconv.DialectOperation, mcpconv.ErrorType: mcpconv.DialectErrorType, mcpconv.GenAIToolType: mcpconv.DialectToolType,
}

func requireKept(t require.TestingT, before, after ptrace.Span) {
	text := func(key string) string {
		if v, ok := after.Attributes().Get(key); ok {
			return v.AsString()
		}
		return ""
	}
	for key, v := range before.Attributes().All() {
		now, ok := after.Attributes().Get(key)
		if ok && now.Equal(v) {
			continue
		}
		require.Contains(t, moved, key, "%s changed or is gone: %s", key, before.Name())
		require.Equal(t, v.AsString(), text(moved[key]), key)
	}
	for key, pair := range map[string][2]string{
		mcpconv.DialectSpanName:      {before.Name(), after.Name()},
		mcpconv.DialectKind:          {before.Kind().String(), after.Kind().String()},
		mcpconv.DialectStatusMessage: {before.Status().Message(), after.Status().Message()},
	} {
		if pair[0] != pair[1] && pair[0] != "" {
			require.Equal(t, pair[0], text(key), key)
		}
	}
	if before.Status().Code() == ptrace.StatusCodeError && after.Status().Code() != ptrace.StatusCodeError {
		require.Equal(t, "Error", text(mcpconv.DialectStatus))
	}
	require.Equal(t, before.SpanID(), after.SpanID())
	require.Equal(t, before.Events().Len(), after.Events().Len())
}

// knownKeys are all keys that some dialect reads.
var knownKeys = func() (keys []string) {
	for _, d := range dialect.All() {
		for _, k := range d.Keys {
			keys = append(keys, k.From)
		}
		for _, k := range append(d.Detect.Keys, d.Detect.With...) {
			keys = append(keys, strings.TrimSuffix(k, "*"))
		}
		for _, prefix := range d.Prefixes {
			keys = append(keys, prefix+"0.role", prefix+"0.message.content", prefix+"1.tool_calls.0.name", prefix+"x")
		}
	}
	for _, target := range dialect.Targets {
		if target.Key != "" {
			keys = append(keys, target.Key)
		}
		if target.Inspector != "" {
			keys = append(keys, target.Inspector)
		}
	}
	return append(keys, mcpconv.StatusCode, mcpconv.ErrorMessage, "other")
}()

// anything checks that no value of any type in any key does harm.
func anything(tb testing.TB) func(*rapid.T) {
	normalizers := map[string]*Normalizer{}
	var names []string
	for name, change := range variants {
		normalizers[name] = newNormalizer(tb, change)
		names = append(names, name)
	}
	slices.Sort(names)
	return func(r *rapid.T) {
		variant := rapid.SampledFrom(names).Draw(r, "variant")
		td := drawTraces(r)
		before := ptrace.NewTraces()
		td.CopyTo(before)
		n := normalizers[variant]
		_, _ = n.Traces(context.Background(), td)
		if variant != "remove" {
			eachSpan(before, td, func(before, after ptrace.Span) { requireKept(r, before, after) })
		}
		twice := ptrace.NewTraces()
		td.CopyTo(twice)
		_, _ = n.Traces(context.Background(), twice)
		require.Equal(r, td, twice)
	}
}

func TestAnything(t *testing.T) { rapid.Check(t, anything(t)) }

func FuzzAnything(f *testing.F) { f.Fuzz(rapid.MakeFuzz(anything(f))) }

func drawTraces(r *rapid.T) ptrace.Traces {
	td := ptrace.NewTraces()
	rs := td.ResourceSpans().AppendEmpty()
	rs.Resource().Attributes().PutStr("service.name", rapid.SampledFrom([]string{"x", "codex_exec", "gemini-cli"}).Draw(r, "service"))
	ss := rs.ScopeSpans().AppendEmpty()
	ss.Scope().SetName(rapid.SampledFrom([]string{"x", "gen_ai", "ai", "gcp.vertex.agent", "fastmcp", "Experimental.ModelContextProtocol"}).Draw(r, "scope"))
	s := ss.Spans().AppendEmpty()
	s.SetName(rapid.SampledFrom([]string{
		"x", "weather.tool", "tools/call.mcp", "MCP handle tools/call x", "MCP request: tools/call", "CallTool", "delegate x",
		"claude_code.tool", "execute_tool (merged tools)", "turn", "tool.call",
	}).Draw(r, "name"))
	s.SetKind(ptrace.SpanKind(rapid.Int32Range(0, 5).Draw(r, "kind")))
	s.Status().SetCode(ptrace.StatusCode(rapid.Int32Range(0, 2).Draw(r, "status")))
	s.Status().SetMessage(rapid.SampledFrom([]string{"", "Unknown tool: x", `[{"type":"text"}]`}).Draw(r, "message"))
	for range rapid.IntRange(0, 12).Draw(r, "count") {
		drawValue(r, s.Attributes().PutEmpty(rapid.SampledFrom(knownKeys).Draw(r, "key")))
	}
	for range rapid.IntRange(0, 2).Draw(r, "events") {
		drawEvent(r, s.Events().AppendEmpty())
	}
	return td
}

// drawEvent draws one of those that a dialect reads, with some of its attributes.
func drawEvent(r *rapid.T, e ptrace.SpanEvent) {
	e.SetName(rapid.SampledFrom([]string{"exception", "route to backend", "x"}).Draw(r, "event"))
	for _, key := range []string{"exception.type", "exception.message", "mcp.backend.name", "mcp.session.id"} {
		if rapid.Bool().Draw(r, key) {
			drawValue(r, e.Attributes().PutEmpty(key))
		}
	}
}

func drawValue(r *rapid.T, v pcommon.Value) {
	switch rapid.IntRange(0, 7).Draw(r, "type") {
	case 0:
		v.SetInt(rapid.Int64().Draw(r, "int"))
	case 1:
		v.SetDouble(rapid.Float64().Draw(r, "double"))
	case 2:
		v.SetBool(rapid.Bool().Draw(r, "bool"))
	case 3:
		drawValue(r, v.SetEmptySlice().AppendEmpty())
	case 4:
		drawValue(r, v.SetEmptyMap().PutEmpty("text"))
	case 5:
		v.SetEmptyBytes().FromRaw([]byte{0, 255})
	case 6:
		v.SetStr(rapid.SampledFrom([]string{
			"", "tools/call", "TOOL", "LLM", "tool", "12", "-32602", "error", "ai.toolCall", "{}", `{"tool_name":"x","arguments":{}}`,
			`[{"role":"user","content":"Hi"}]`, `{"input":1,"cache_read_input_tokens":2}`, "agent_run", "\xff",
		}).Draw(r, "known"))
	default:
		v.SetStr(rapid.String().Draw(r, "string"))
	}
}
