package dialect

import (
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// semconv is the dialect of Semantic conventions, former names.
var semconv = Dialect{
	Name: "semconv", Title: "Semantic conventions, former names",
	Source: "open-telemetry/semantic-conventions-genai docs/gen-ai/non-normative/migration.md @32c328e; v1.41.1 and before",
	Detect: Detect{Keys: append(FormerKeys(), "gen_ai.prompt", "gen_ai.completion")},
	Keys: []Key{
		{From: "gen_ai.prompt", To: RawInput},
		{From: "gen_ai.completion", To: RawOutput},
	},
	Finish: func(s *Span) {
		s.Convert(InputMessages, RawInput, "user")
		s.Convert(OutputMessages, RawOutput, "assistant")
		if s.Kind == ptrace.SpanKindServer {
			MarkClientFault(s)
		}
	},
	Notes: []string{"Former names are read in every dialect, and the newest ones are written."},
}
