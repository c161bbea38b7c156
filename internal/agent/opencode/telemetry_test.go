package opencode

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/internal/agent/otlp"
	"github.com/otelcol-mcp/otelcol-mcp/internal/agent/otlp/otlptest"
)

func TestTelemetry(t *testing.T) { otlptest.Files(t, &Telemetry{}) }

func FuzzTelemetry(f *testing.F) {
	otlptest.Seed(f)
	otlptest.Fuzz(f, &Telemetry{})
}

func TestSpansOfPluginsAreNotInternal(t *testing.T) {
	var d Telemetry
	s := ptrace.NewSpan()
	s.SetName("sql.execute")
	from := &otlp.Origin{Resource: pcommon.NewMap(), Scope: "opencode-plugin"}
	assert.False(t, d.Span(from, s).Internal)
	from.Scope = "opencode"
	assert.True(t, d.Span(from, s).Internal)
}

func TestProviders(t *testing.T) {
	for name, want := range map[string]string{
		"openai.responses": "openai", "anthropic.messages": "anthropic", "amazon-bedrock": "aws.bedrock",
		"google.generative-ai": "gcp.gemini", "google.vertex.chat": "gcp.vertex_ai", "vertex.anthropic.messages": "gcp.vertex_ai",
		"azure-openai.responses": "azure.ai.openai", "fake.chat": "", "": "",
	} {
		assert.Equal(t, want, providerOf(name), name)
	}
}
