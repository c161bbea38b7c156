package genai

import (
	"testing"

	"github.com/otelcol-mcp/otelcol-mcp/internal/agent/otlp/otlptest"
)

// The files are made from the conventions, not by a program.
func TestTelemetry(t *testing.T) { otlptest.Files(t, &Telemetry{}) }

func FuzzTelemetry(f *testing.F) {
	otlptest.Seed(f)
	otlptest.Fuzz(f, &Telemetry{})
}
