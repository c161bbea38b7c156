package registry

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/internal/agent/otlp"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

func origin(scope, service string) *otlp.Origin {
	m := pcommon.NewMap()
	m.PutStr("telemetry.sdk.name", "opentelemetry")
	if service != "" {
		m.PutStr("service.name", service)
	}
	return &otlp.Origin{Resource: m, Scope: scope}
}

// The ways in which agents are recognised, and what is close but another's.
var recognised = []struct {
	scope, service, event, body string
	want                        string
}{
	{scope: "com.anthropic.claude_code.events", want: "claude-code"},
	{service: "claude-code", want: "claude-code"},
	{body: "claude_code.user_prompt", want: "claude-code"},
	{event: "claude_code.user_prompt", want: "claude-code"},
	{service: "renamed", event: "user_prompt", body: "claude_code.user_prompt", want: "claude-code"},
	{scope: "github.copilot", service: "renamed", want: "copilot"},
	{service: "github-copilot", want: "copilot"},
	{service: "copilot-chat", want: "copilot"},
	{service: "vscode-agent-host", want: "copilot"},
	{event: "copilot_chat.session.start", want: "copilot"},
	{scope: "codex_otel.log_only", want: "codex"},
	{service: "codex_cli_rs", want: "codex"},
	{service: "codex-app-server", want: "codex"},
	{event: "codex.user_prompt", want: "codex"},
	{service: "codex-wiki"},
	{service: "gemini-cli", want: "gemini-cli"},
	{event: "gemini_cli.user_prompt", want: "gemini-cli"},
	{scope: "opencode", service: "renamed", want: "opencode"},
	{service: "opencode", want: "opencode"},
	{},
	{scope: "com.anthropic.sdk.python", service: "claude-platform"},
	{scope: "my.scope", service: "my-service", event: "user_prompt", body: "a claude_code.user_prompt"},
}

func TestLogs(t *testing.T) {
	d := New()
	for _, tt := range recognised {
		r := plog.NewLogRecord()
		r.Body().SetStr(tt.body)
		if tt.event != "" {
			r.Attributes().PutStr("event.name", tt.event)
		}
		check(t, tt.want, d.Log(origin(tt.scope, tt.service), r))
		r.Attributes().Clear()
		r.SetEventName(tt.event)
		check(t, tt.want, d.Log(origin(tt.scope, tt.service), r))
	}
}

func check(t *testing.T, want string, r *otlp.Report) {
	t.Helper()
	if want == "" {
		assert.Nil(t, r)
		return
	}
	require.NotNil(t, r, want)
	assert.Equal(t, want, r.Agent)
}

func TestSpans(t *testing.T) {
	d := New()
	for _, tt := range recognised {
		if tt.event == "" && tt.body == "" {
			check(t, tt.want, d.Span(origin(tt.scope, tt.service), ptrace.NewSpan()))
		}
	}
	s := ptrace.NewSpan()
	s.Attributes().PutStr("gen_ai.conversation.id", "c")
	check(t, "my-agent", d.Span(origin("my.scope", "my-agent"), s))
	check(t, "agent", d.Span(origin("my.scope", ""), s))
	check(t, "claude-code", d.Span(origin("com.anthropic.claude_code.tracing", "any"), s))
	check(t, "", d.Span(origin("github.com/otelcol-mcp/otelcol-mcp/receiver/mcpreceiver", "claude-code-2"), s))
}

// What was made of sessions has the agent's service.name, and may have its events:
// it is no report of the agent's again.
func TestOwnTelemetryIsNoAgents(t *testing.T) {
	d := New()
	from := origin(mcpconv.ReceiverScope, "claude-code")
	r := plog.NewLogRecord()
	r.Body().SetStr("claude_code.user_prompt")
	assert.Nil(t, d.Log(from, r))
	assert.Nil(t, d.Span(from, ptrace.NewSpan()))
}

// foreign is a record and a span as instrumented programs send them.
func foreign() (from *otlp.Origin, r plog.LogRecord, s ptrace.Span) {
	from, r, s = origin("go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp", "checkout"), plog.NewLogRecord(), ptrace.NewSpan()
	for _, m := range []pcommon.Map{from.Resource, r.Attributes(), s.Attributes()} {
		for _, key := range []string{
			"http.request.method", "http.route", "url.path", "url.scheme", "server.address", "user_agent.original",
			"network.protocol.version", "client.address", "code.function.name", "thread.id",
		} {
			m.PutStr(key, "value")
		}
	}
	r.Body().SetStr("an order was placed")
	return from, r, s
}

func TestForeignTelemetryCostsNoAllocation(t *testing.T) {
	d := New()
	from, r, s := foreign()
	assert.Zero(t, testing.AllocsPerRun(100, func() {
		if d.Log(from, r) != nil || d.Span(from, s) != nil {
			t.Error("recognised")
		}
	}))
}

func BenchmarkForeign(b *testing.B) {
	d := New()
	from, r, s := foreign()
	b.Run("log", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			d.Log(from, r)
		}
	})
	b.Run("span", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			d.Span(from, s)
		}
	})
}

func BenchmarkClaudeCode(b *testing.B) {
	body, err := os.ReadFile("../claudecode/testdata/session.logs.json")
	require.NoError(b, err)
	logs, err := (&plog.JSONUnmarshaler{}).UnmarshalLogs(body)
	require.NoError(b, err)
	d := New()
	rl := logs.ResourceLogs().At(1)
	from := &otlp.Origin{Resource: rl.Resource().Attributes(), Scope: rl.ScopeLogs().At(0).Scope().Name()}
	records := rl.ScopeLogs().At(0).LogRecords()
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		d.Log(from, records.At(i%records.Len()))
	}
}
