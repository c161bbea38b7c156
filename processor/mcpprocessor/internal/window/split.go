package window

import "go.opentelemetry.io/collector/pdata/ptrace"

// Split moves the spans for which keep is true out of td into traces of their
// own, with copies of their resources and scopes. keep gets the number of the span
// among all spans of td. No empty resource or scope is left in td.
func Split(td ptrace.Traces, keep func(i int) bool) ptrace.Traces {
	kept := ptrace.NewTraces()
	i := 0
	td.ResourceSpans().RemoveIf(func(rs ptrace.ResourceSpans) bool {
		var krs ptrace.ResourceSpans
		rs.ScopeSpans().RemoveIf(func(ss ptrace.ScopeSpans) bool {
			var kss ptrace.ScopeSpans
			ss.Spans().RemoveIf(func(span ptrace.Span) bool {
				if i++; !keep(i - 1) {
					return false
				}
				if krs == (ptrace.ResourceSpans{}) {
					krs = appendResource(kept, rs)
				}
				if kss == (ptrace.ScopeSpans{}) {
					kss = appendScope(krs, ss)
				}
				span.MoveTo(kss.Spans().AppendEmpty())
				return true
			})
			return ss.Spans().Len() == 0
		})
		return rs.ScopeSpans().Len() == 0
	})
	return kept
}
