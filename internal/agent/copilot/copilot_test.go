package copilot

import (
	"testing"

	"github.com/otelcol-mcp/otelcol-mcp/internal/agent/otlp/otlptest"
)

// The files are made from Copilot's documentation, not by the program.
func TestTelemetry(t *testing.T) { otlptest.Files(t, &Telemetry{}) }

func FuzzTelemetry(f *testing.F) {
	otlptest.Seed(f)
	otlptest.Fuzz(f, &Telemetry{})
}
