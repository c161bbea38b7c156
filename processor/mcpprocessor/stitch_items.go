package mcpprocessor

import (
	"slices"
	"sync"
	"unicode/utf8"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
	"github.com/otelcol-mcp/otelcol-mcp/processor/mcpprocessor/internal/index"
)

// role is what a span means for stitching.
type role uint8

const (
	claims  role = 1 << iota // a client's span with a value
	roots                    // the root of its trace
	serves                   // a root that a client may claim by its value
	isShort                  // has a value that is too short
	ours                     // made by our receiver
)

// minCharacters is the least length of a value that is worth something.
const minCharacters = 8

// Flags of OTLP that say whether a parent is in another process.
const (
	remoteKnown = 0x100
	remote      = 0x200
)

// item is a span of the batch that is being consumed.
type item struct {
	span   ptrace.Span
	trace  pcommon.TraceID
	value  index.Value
	ticket index.Place // of value
	seq    uint64
	open   *trace     // undecided when it was looked at
	fate   index.Fate // if open is nil
	size   int64
	role   role
	waits  bool
}

// is reports whether the item has one of the roles.
func (it *item) is(r role) bool { return it.role&r != 0 }

// site is the span by the ids with which it came.
func (it *item) site() index.Site { return index.Site{Trace: it.trace, Span: it.span.SpanID()} }

// settled is what became of the item's trace; false if that is still open.
func (it *item) settled() (index.Fate, bool) {
	if it.open == nil {
		return it.fate, true
	}
	return it.open.Data.fate(), it.open.Data.state == settled
}

// reader finds out the roles of spans.
type reader struct {
	keys, clients, servers []string
	all                    bool // spans without a role too
	hash                   index.Hash
}

// items is scratch memory for a batch.
type items []item

var scratch = sync.Pool{New: func() any { return new(items) }}

func (its *items) free() {
	clear(*its)
	*its = (*its)[:0]
	scratch.Put(its)
}

// read appends the batch's spans in their order.
func (r *reader) read(its *items, td ptrace.Traces) {
	for _, rs := range td.ResourceSpans().All() {
		for _, ss := range rs.ScopeSpans().All() {
			var scope role
			if ss.Scope().Name() == mcpconv.ReceiverScope {
				scope = ours
			}
			spans := ss.Spans()
			for i := range spans.Len() {
				r.span(its, spans.At(i), scope)
			}
		}
	}
}

func (r *reader) span(its *items, span ptrace.Span, scope role) {
	what := r.role(span)
	if what == 0 && !r.all {
		return
	}
	var value index.Value
	if span.SpanID().IsEmpty() || span.TraceID().IsEmpty() {
		what &^= claims | serves // nothing can be below it, and it is not the root of all that
	}
	if what&(claims|serves) != 0 {
		what, value = r.value(span, what)
	}
	if what&^roots != 0 || r.all {
		*its = append(*its, item{span: span, trace: span.TraceID(), value: value, role: what | scope})
	}
}

// role is what the span would be if it had a value.
func (r *reader) role(span ptrace.Span) (what role) {
	name, client := span.Name(), span.Kind() == ptrace.SpanKindClient
	if client || slices.Contains(r.clients, name) {
		what = claims
	}
	server := slices.Contains(r.servers, name)
	switch {
	case span.ParentSpanID().IsEmpty():
		what |= roots
		if !client && (server || span.Kind() == ptrace.SpanKindServer) {
			what |= serves
		}
	case server && span.Flags()&(remoteKnown|remote) != remoteKnown:
		// By its name the root of what happened here, below somebody else's span.
		what |= roots
	}
	return what
}

// value takes the roles back for which the span's value is not good enough.
func (r *reader) value(span ptrace.Span, what role) (role, index.Value) {
	text := ""
	for _, key := range r.keys {
		if v, ok := span.Attributes().Get(key); ok && v.Type() == pcommon.ValueTypeStr {
			text = v.Str()
			break
		}
	}
	switch {
	case text == "":
		return what &^ (claims | serves), index.Value{}
	case len(text) < minCharacters*utf8.UTFMax && utf8.RuneCountInString(text) < minCharacters:
		return what&^(claims|serves) | isShort, index.Value{}
	}
	return what, r.hash(text)
}
