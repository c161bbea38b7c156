package dialect

import (
	"cmp"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// MarkToolError marks a call whose result says that it failed. What an instrumentation
// made of the result's text is no type of an error.
func MarkToolError(s *Span) {
	if before := s.Text(ErrorType); s.Own(ErrorType) && before != mcpconv.TypeToolError {
		s.Replace(ErrorType, mcpconv.TypeToolError)
	}
	s.AddText(ErrorType, mcpconv.TypeToolError)
	s.Failed = true
}

// TakeException takes the type of the last exception that the span recorded as the
// type of its error.
func TakeException(s *Span) {
	if s.IsLog {
		return
	}
	for i := s.Events.Len() - 1; i >= 0; i-- {
		event := s.Events.At(i)
		if event.Name() != "exception" {
			continue
		}
		s.AddText(ErrorType, cmp.Or(StringIn(event.Attributes(), "exception.type"), s.Text(errorCode), mcpconv.TypeOther))
		s.ErrorText, s.Failed = StringIn(event.Attributes(), "exception.message"), true
		return
	}
}

// StringIn is a string in a map, "" if it is absent or of another type.
func StringIn(m pcommon.Map, key string) string {
	if v, ok := m.Get(key); ok && v.Type() == pcommon.ValueTypeStr {
		return v.Str()
	}
	return ""
}

// MarkClientFault marks the error of a server's span that is a fault of the client.
func MarkClientFault(s *Span) {
	if s.Kind == server || s.WantKind == server {
		s.ClientFault = mcpconv.ClientFault(codeOf(s))
	}
}

// codeOf is the code of a JSON-RPC error.
func codeOf(s *Span) string {
	if code := s.Text(StatusCode); code != "" {
		return code
	}
	return s.Text(ErrorType)
}

// IsCode reports whether a text is a number, as codes of JSON-RPC are.
func IsCode(text string) bool {
	if len(text) > 1 && text[0] == '-' {
		text = text[1:]
	}
	for i := range len(text) {
		if text[i] < '0' || text[i] > '9' {
			return false
		}
	}
	return text != "" && len(text) < 12
}

// fault matches how the text of a status begins, or ends, if that is all that tells the code
// of an error.
type fault struct{ before, after, code string }

// addCode takes the code of an error from its text.
func addCode(s *Span, faults []fault) {
	for _, f := range faults {
		if f.before != "" && strings.HasPrefix(s.Message, f.before) || f.after != "" && strings.HasSuffix(s.Message, f.after) {
			s.AddText(StatusCode, f.code)
			return
		}
	}
}
