package normalize

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"pgregory.net/rapid"

	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// oneLog is a batch of one log record.
func oneLog(scope, event string, attributes map[string]any) plog.Logs {
	ld := plog.NewLogs()
	sl := ld.ResourceLogs().AppendEmpty().ScopeLogs().AppendEmpty()
	sl.Scope().SetName(scope)
	record := sl.LogRecords().AppendEmpty()
	record.SetEventName(event)
	_ = record.Attributes().FromRaw(attributes)
	return ld
}

func onlyRecord(ld plog.Logs) plog.LogRecord {
	return ld.ResourceLogs().At(0).ScopeLogs().At(0).LogRecords().At(0)
}

// TestLogEvents: an event is known by its event name, by its attribute event.name, or by
// its body.
func TestLogEvents(t *testing.T) {
	n := newNormalizer(t, nil)
	attributes := map[string]any{"function_name": "weather", "session.id": "s"}
	for name, change := range map[string]func(plog.LogRecord){
		"event name": func(r plog.LogRecord) { r.SetEventName("gemini_cli.tool_call") },
		"attribute":  func(r plog.LogRecord) { r.Attributes().PutStr("event.name", "gemini_cli.tool_call") },
		"body":       func(r plog.LogRecord) { r.Body().SetStr("gemini_cli.tool_call") },
	} {
		ld := oneLog("x", "", attributes)
		change(onlyRecord(ld))
		ld, _ = n.Logs(t.Context(), ld)
		got := onlyRecord(ld).Attributes().AsRaw()
		assert.Equal(t, "gemini_cli", got["mcp.dialect"], name)
		assert.Equal(t, "weather", got["gen_ai.tool.name"], name)
		assert.Equal(t, "s", got["gen_ai.conversation.id"], name)
	}
}

// TestLogsStay: those of no dialect, of a dialect that is not chosen, of this project,
// and all if normalization is off.
func TestLogsStay(t *testing.T) {
	for name, test := range map[string]struct {
		scope, event string
		change       func(*Config)
	}{
		"no dialect":          {"x", "http", nil},
		"not chosen":          {"x", "gemini_cli.tool_call", func(c *Config) { c.Dialects = []string{"codex"} }},
		"this project's":      {mcpconv.ReceiverScope, "gemini_cli.tool_call", nil},
		"off":                 {"x", "gemini_cli.tool_call", func(c *Config) { c.Enabled = false }},
		"normalized before":   {"x", "gemini_cli.tool_call", nil},
		"of a name like that": {"x", "gemini_clip.tool_call", nil},
	} {
		attributes := map[string]any{"function_name": "weather"}
		if name == "normalized before" {
			attributes["mcp.dialect"] = "gemini_cli"
		}
		ld, _ := newNormalizer(t, test.change).Logs(t.Context(), oneLog(test.scope, test.event, attributes))
		assert.Equal(t, attributes, onlyRecord(ld).Attributes().AsRaw(), name)
		assert.Empty(t, ld.ResourceLogs().At(0).ScopeLogs().At(0).SchemaUrl(), name)
	}
}

// TestLogsWithoutOriginals: what is in the conventions' keys goes, the rest stays.
func TestLogsWithoutOriginals(t *testing.T) {
	n := newNormalizer(t, func(c *Config) { c.RemoveOriginals, c.Conventions = true, []string{OTel} })
	ld, _ := n.Logs(t.Context(), oneLog("x", "gemini_cli.tool_call", map[string]any{"function_name": "weather", "decision": "accept"}))
	got := onlyRecord(ld).Attributes().AsRaw()
	assert.Equal(t, "weather", got["gen_ai.tool.name"])
	assert.Equal(t, "accept", got["decision"])
	assert.NotContains(t, got, "function_name")
}

// requireLogKept: what a record had it still has.
func requireLogKept(t require.TestingT, before, after plog.LogRecord) {
	for key, v := range before.Attributes().All() {
		now, ok := after.Attributes().Get(key)
		if ok && now.Equal(v) {
			continue
		}
		require.Contains(t, moved, key)
		kept, ok := after.Attributes().Get(moved[key])
		require.True(t, ok, key)
		require.Equal(t, v.AsString(), kept.AsString(), key)
	}
	require.True(t, before.Body().Equal(after.Body()))
	require.Equal(t, before.EventName(), after.EventName())
	require.Equal(t, before.SeverityNumber(), after.SeverityNumber())
}

// TestNothingIsLostOfLogs is TestNothingIsLost for log records.
func TestNothingIsLostOfLogs(t *testing.T) {
	for _, name := range []string{"default", "rename", "otel", "inspector", "also"} {
		n := newNormalizer(t, variants[name])
		for _, file := range fixtures(t) {
			if !isLogs(file) {
				continue
			}
			before, after := readLogs(t, file), readLogs(t, file)
			_, _ = n.Logs(t.Context(), after)
			for i, rl := range before.ResourceLogs().All() {
				for j, sl := range rl.ScopeLogs().All() {
					for k, record := range sl.LogRecords().All() {
						requireLogKept(t, record, after.ResourceLogs().At(i).ScopeLogs().At(j).LogRecords().At(k))
					}
				}
			}
		}
	}
}

// TestAnyLog: no value of any type in any key or body does harm, and a second time
// changes nothing.
func TestAnyLog(t *testing.T) {
	n := newNormalizer(t, nil)
	rapid.Check(t, func(r *rapid.T) {
		ld := oneLog(
			rapid.SampledFrom([]string{"x", "com.anthropic.claude_code.events", "codex_otel", "gemini-cli"}).Draw(r, "scope"),
			rapid.SampledFrom([]string{"", "codex.tool_result", "gemini_cli.api_response", "claude_code.tool_result", "MCP server log"}).Draw(r, "event"), nil,
		)
		record := onlyRecord(ld)
		drawValue(r, record.Body())
		for range rapid.IntRange(0, 12).Draw(r, "count") {
			drawValue(r, record.Attributes().PutEmpty(rapid.SampledFrom(append(knownKeys, "event.name")).Draw(r, "key")))
		}
		before := plog.NewLogs()
		ld.CopyTo(before)
		_, _ = n.Logs(context.Background(), ld)
		requireLogKept(r, onlyRecord(before), record)
		twice := plog.NewLogs()
		ld.CopyTo(twice)
		_, _ = n.Logs(context.Background(), twice)
		require.Equal(r, ld, twice)
	})
}

// TestSchemaOfKinds: a scope says what it keeps to only where the semantic conventions'
// keys are written, and never of telemetry of no dialect.
func TestSchemaOfKinds(t *testing.T) {
	for name, test := range map[string]struct {
		change func(*Config)
		key    string
		want   string
	}{
		"both conventions": {nil, "openinference.span.kind", mcpconv.GenAISchema},
		"the Inspector's":  {func(c *Config) { c.Conventions = []string{Inspector} }, "openinference.span.kind", ""},
		"no dialect":       {nil, "http.route", ""},
	} {
		td, _ := newNormalizer(t, test.change).Traces(t.Context(), one("x", "weather", map[string]any{test.key: "TOOL"}))
		assert.Equal(t, test.want, td.ResourceSpans().At(0).ScopeSpans().At(0).SchemaUrl(), name)
	}
	empty := one("x", "weather", nil)
	empty.ResourceSpans().At(0).ScopeSpans().At(0).Spans().RemoveIf(func(ptrace.Span) bool { return true })
	empty, _ = newNormalizer(t, nil).Traces(t.Context(), empty)
	assert.Empty(t, empty.ResourceSpans().At(0).ScopeSpans().At(0).SchemaUrl())
}
