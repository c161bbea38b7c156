package instrumentations

import (
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/internal/dialect"
)

// Semconv is the dialect of Semantic conventions, former names.
var Semconv = dialect.Dialect{
	Name: "semconv", Title: "Semantic conventions, former names",
	Source: "open-telemetry/semantic-conventions-genai docs/gen-ai/non-normative/migration.md @32c328e; v1.41.1 and before",
	Detect: dialect.Detect{Keys: append(dialect.FormerKeys(), "gen_ai.prompt", "gen_ai.completion")},
	Keys: []dialect.Key{
		{From: "gen_ai.prompt", To: dialect.RawInput},
		{From: "gen_ai.completion", To: dialect.RawOutput},
	},
	Finish: func(s *dialect.Span) {
		s.Convert(dialect.InputMessages, dialect.RawInput, "user")
		s.Convert(dialect.OutputMessages, dialect.RawOutput, "assistant")
		if s.Kind == ptrace.SpanKindServer {
			dialect.MarkClientFault(s)
		}
	},
	Notes: []string{"Former names are read in every dialect, and the newest ones are written."},
}
