package frameworks

import (
	"github.com/otelcol-mcp/otelcol-mcp/internal/dialect"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// VercelOTel is the dialect of Vercel AI SDK, @ai-sdk/otel.
var VercelOTel = dialect.Dialect{
	Name: "vercel_otel", Title: "Vercel AI SDK, @ai-sdk/otel",
	Source: "vercel/ai packages/otel/src/gen-ai-open-telemetry.ts",
	Detect: dialect.Detect{Scopes: []string{"gen_ai"}},
	Finish: func(s *dialect.Span) {
		if s.Foreign == "agent_step" {
			dialect.DropOperation(s, mcpconv.RepeatsUsage)
		}
	},
	Notes: []string{"It keeps to the conventions, but for `agent_step`, a step around a model call and its tool calls: its operation is removed, `mcp.dialect.operation` keeps it."},
}
