package dialect

import (
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// vercelOTel is the dialect of Vercel AI SDK, @ai-sdk/otel.
var vercelOTel = Dialect{
	Name: "vercel_otel", Title: "Vercel AI SDK, @ai-sdk/otel",
	Source: "vercel/ai packages/otel/src/gen-ai-open-telemetry.ts",
	Detect: Detect{Scopes: []string{"gen_ai"}},
	Finish: func(s *Span) {
		if s.Foreign == "agent_step" {
			DropOperation(s, mcpconv.RepeatsUsage)
		}
	},
	Notes: []string{"It keeps to the conventions, but for `agent_step`, a step around a model call and its tool calls: its operation is removed, `mcp.dialect.operation` keeps it."},
}
