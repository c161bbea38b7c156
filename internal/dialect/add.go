package dialect

import (
	"math/bits"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// besides are the keys that are written besides those of facts, unless they are there.
var besides = []string{
	mcpconv.Dialect, mcpconv.DialectOperation, mcpconv.DialectErrorType, mcpconv.DialectToolType, mcpconv.DialectRepeats, mcpconv.DialectKind,
	mcpconv.DialectSpanName, mcpconv.DialectStatus, mcpconv.DialectStatusMessage, mcpconv.StatusCode, mcpconv.ErrorCode, mcpconv.ErrorMessage,
}

// Begin makes room for more attributes. If it is known that no key will be written that
// is there, keys are added without a look until the attributes' End.
func Begin(s *Span, more int) {
	switch {
	case s.kept || s.Replaced != 0 || s.Foreign != "" || s.NoOperation:
		s.Attributes.EnsureCapacity(s.Attributes.Len() + more)
	case s.attrs == 0:
		s.Attributes.Begin(more, nil)
	default:
		s.Attributes.Begin(more, func(from, to pcommon.Value) {
			for rest := s.attrs; rest != 0; rest &= rest - 1 {
				s.values[bits.TrailingZeros64(rest)].Moved(from, to)
			}
		})
	}
}

// Write adds the fact as an attribute of the type. It reports whether it could.
func (s *Span) Write(f Field, t Type, key string) bool {
	return s.values[f].Write(t, key, &s.Attributes)
}
