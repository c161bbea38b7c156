package otlp

import (
	"sync"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	protocol "github.com/otelcol-mcp/otelcol-mcp/internal/agent/otlp"
)

// lineageMax is the number of spans that a lineage remembers at least: of the twice as many that it
// holds, the older half goes.
const lineageMax = 8192

// lineage keeps traces of agents whole of which spans are dropped. Children of a dropped
// span get its nearest kept ancestor. A child may pass before the request that has its
// parent: such a parent is not dropped. It is safe for concurrent use.
type lineage struct {
	mu           sync.Mutex
	newer, older map[spanKey]ancestor
}

// spanKey names a span.
type spanKey struct {
	trace pcommon.TraceID
	span  pcommon.SpanID
}

// ancestor describes a span that others have as their parent.
type ancestor struct {
	parent  pcommon.SpanID // of a dropped one
	dropped bool           // if not, a child of it has passed
}

// settle gives the spans of a request their nearest kept ancestors. internal are the spans
// that are to be dropped, in the order of the request; it returns those of them that can be.
func (l *lineage) settle(td ptrace.Traces, internal []int) (dropped []int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	n, next := -1, internal
	everySpan(td, func(_ *protocol.Origin, span ptrace.Span) bool {
		if n++; len(next) > 0 && next[0] == n {
			next = next[1:]
			key := spanKey{span.TraceID(), span.SpanID()}
			if known, ok := l.get(key); !ok || known.dropped {
				l.put(key, ancestor{span.ParentSpanID(), true})
				dropped = append(dropped, n)
			}
		}
		return len(next) > 0
	})
	n, next = -1, dropped
	everySpan(td, func(_ *protocol.Origin, span ptrace.Span) bool {
		if n++; len(next) > 0 && next[0] == n {
			next = next[1:]
		} else if !span.ParentSpanID().IsEmpty() {
			span.SetParentSpanID(l.kept(spanKey{span.TraceID(), span.ParentSpanID()}))
		}
		return true
	})
	return dropped
}

// kept returns the nearest of a span's ancestors that is not dropped, which may be itself,
// and remembers that it has a child.
func (l *lineage) kept(key spanKey) pcommon.SpanID {
	for range lineageMax { // parents may be a circle
		known, ok := l.get(key)
		if !ok {
			l.put(key, ancestor{})
			return key.span
		}
		if !known.dropped {
			return key.span
		}
		if key.span = known.parent; key.span.IsEmpty() {
			return key.span
		}
	}
	return pcommon.SpanID{}
}

func (l *lineage) get(key spanKey) (known ancestor, ok bool) {
	if known, ok = l.newer[key]; !ok {
		known, ok = l.older[key]
	}
	return known, ok
}

func (l *lineage) put(key spanKey, known ancestor) {
	if l.newer == nil || len(l.newer) >= lineageMax {
		l.newer, l.older = map[spanKey]ancestor{}, l.newer
	}
	l.newer[key] = known
}
