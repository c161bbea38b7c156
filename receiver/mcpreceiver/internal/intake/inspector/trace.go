package inspector

import (
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// trace holds what was read of one trace so far.
type trace struct {
	session string
	seen    map[spanKey]bool // that were accepted, or refused permanently
	rooted  bool             // its root is among them
	dropped int64            // spans that were refused permanently
	refusal error            // the last one
	bad     int64            // lines that are no spans

	// Of the last time that it was read.
	err     error
	refused bool  // a pipeline could not accept spans then
	left    int64 // spans that were not accepted because of that, then or before
}

type spanKey struct {
	trace pcommon.TraceID
	span  pcommon.SpanID
}

func keyOf(span ptrace.Span) spanKey { return spanKey{span.TraceID(), span.SpanID()} }

// whole reports whether nothing is missing that another look may find.
func (t *trace) whole() bool { return t.rooted && !t.refused && t.err == nil }

// removeSeen leaves the spans that were not seen before, each once.
func (t *trace) removeSeen(td ptrace.Traces) {
	here := map[spanKey]bool{}
	known := func(span ptrace.Span) bool {
		key := keyOf(span)
		if t.seen[key] || here[key] {
			return true
		}
		here[key] = true
		return false
	}
	td.ResourceSpans().RemoveIf(func(rs ptrace.ResourceSpans) bool {
		rs.ScopeSpans().RemoveIf(func(ss ptrace.ScopeSpans) bool {
			ss.Spans().RemoveIf(known)
			return ss.Spans().Len() == 0
		})
		return rs.ScopeSpans().Len() == 0
	})
}

// note remembers spans of which nothing more is to be done.
func (t *trace) note(td ptrace.Traces) {
	for _, rs := range td.ResourceSpans().All() {
		for _, ss := range rs.ScopeSpans().All() {
			for _, span := range ss.Spans().All() {
				t.seen[keyOf(span)] = true
			}
		}
	}
}
