package mcp

import (
	"strings"

	"github.com/otelcol-mcp/otelcol-mcp/internal/dialect"
)

// fault is how the text of a status begins, or ends, if that is all that tells the code
// of an error.
type fault struct{ before, after, code string }

// addCode takes the code of an error from its text.
func addCode(s *dialect.Span, faults []fault) {
	for _, f := range faults {
		if f.before != "" && strings.HasPrefix(s.Message, f.before) || f.after != "" && strings.HasSuffix(s.Message, f.after) {
			s.AddText(dialect.StatusCode, f.code)
			return
		}
	}
}
