package stitch

import (
	"encoding/hex"
	"slices"
	"strconv"
	"sync"
	"unicode/utf8"

	"github.com/google/uuid"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// role classifies a span for stitching.
type role uint8

const (
	claims       role = 1 << iota // a client span with a value
	roots                         // the root of its trace
	serves                        // a root that a client may claim by its value
	shortValue                    // has a value that is too short
	fromReceiver                  // made by the mcp receiver, so it never waits
)

// minCharacters is the minimum length of a value: shorter ones are not unique.
const minCharacters = 8

// Flags of OTLP that say whether the parent is in another process.
const (
	parentRemoteKnown = 0x100
	parentRemote      = 0x200
)

// item is a span of the batch that is being consumed.
type item struct {
	span       ptrace.Span
	trace      pcommon.TraceID
	id         pcommon.SpanID
	value      Value
	keyPlace   Place // of value
	seq        uint64
	pending    *trace     // undecided when it was looked at
	resolution Resolution // if pending is nil
	size       int64
	role       role
	waits      bool
}

// is reports whether the item has one of the roles.
func (it *item) is(r role) bool { return it.role&r != 0 }

// ref names the span by the ids that it arrived with.
func (it *item) ref() SpanRef { return SpanRef{Trace: it.trace, Span: it.id} }

func (it *item) claim() Claim {
	return Claim{
		SpanRef: it.ref(), Seq: it.seq, Parent: it.span.ParentSpanID(), Start: it.span.StartTimestamp(), End: it.span.EndTimestamp(),
	}
}

// resolved returns where the item's trace went; false if that is undecided.
func (it *item) resolved() (Resolution, bool) {
	if it.pending == nil {
		return it.resolution, true
	}
	return it.pending.resolution(), it.pending.state == resolved
}

// release lets a span pass if its trace is resolved by now, and reports whether
// it does.
func (it *item) release() bool {
	resolution, ok := it.resolved()
	if ok && it.waits {
		rewrite(it.span, resolution)
		it.waits = false
	}
	return ok
}

// items are the spans of a batch that matter, in their order.
type items []item

var scratch = sync.Pool{New: func() any { return new(items) }}

func (its *items) free() {
	clear(*its)
	*its = (*its)[:0]
	scratch.Put(its)
}

// add makes one more, which is empty: so are those behind the last one, see free.
func (its *items) add() *item {
	n := len(*its)
	if n == cap(*its) {
		*its = append(*its, item{})
	} else {
		*its = (*its)[:n+1]
	}
	return &(*its)[n]
}

// reader finds the roles of spans.
type reader struct {
	keys, clients, servers []string
	all                    bool // spans without a role too
	hash                   Hash
}

// read appends the batch's spans.
func (r *reader) read(its *items, td ptrace.Traces) {
	for _, rs := range td.ResourceSpans().All() {
		for _, ss := range rs.ScopeSpans().All() {
			var scope role
			if ss.Scope().Name() == mcpconv.ReceiverScope {
				scope = fromReceiver
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
	var value Value
	if what&(claims|serves) != 0 {
		what, value = r.value(span, what)
	}
	if what&^roots != 0 || r.all {
		it := its.add()
		it.span, it.trace, it.id, it.value, it.role = span, span.TraceID(), span.SpanID(), value, what|scope
	}
}

// role returns what the span would be if it had a value.
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
	case server && span.Flags()&(parentRemoteKnown|parentRemote) != parentRemoteKnown:
		// By its name the root of this process' part, below a span of another process.
		what |= roots
	}
	return what
}

// text is the span's value of the first key that it has, "" if it has none.
func (r *reader) text(span ptrace.Span) (value string) {
	for i := 0; i < len(r.keys) && value == ""; i++ {
		value = keyText(span, r.keys[i])
	}
	return value
}

// value returns the hash of the span's value, and the roles without those for
// which the value is missing or too short, or the ids are missing.
func (r *reader) value(span ptrace.Span, what role) (role, Value) {
	text := r.text(span)
	switch {
	case text == "", span.SpanID().IsEmpty(), span.TraceID().IsEmpty():
		// Without ids it cannot be a parent, and it is not the root of all such spans.
		return what &^ (claims | serves), Value{}
	case len(text) < minCharacters*utf8.UTFMax && utf8.RuneCountInString(text) < minCharacters:
		return what&^(claims|serves) | shortValue, Value{}
	}
	return what, r.hash(text)
}

// KeyLastmile stands, among the keys, for the attribute mcp.request.id of
// lastmile's mcp-agent, where its value is a UUID. Others write the id of the
// JSON-RPC request there, which counts from one.
const KeyLastmile = "lastmile"

const attributeLastmile = "mcp.request.id"

// uuidLength is the length of a UUID as it is usually written; the parser takes other
// notations, too.
const uuidLength = 36

// keyText is the span's value of the key, "" if it has none. An integer counts as its
// decimal text.
func keyText(span ptrace.Span, key string) string {
	attribute := key
	if key == KeyLastmile {
		attribute = attributeLastmile
	}
	v, ok := span.Attributes().Get(attribute)
	switch {
	case !ok:
		return ""
	case v.Type() == pcommon.ValueTypeInt && key != KeyLastmile:
		return strconv.FormatInt(v.Int(), 10)
	case v.Type() != pcommon.ValueTypeStr:
		return ""
	}
	if key == KeyLastmile && (len(v.Str()) != uuidLength || uuid.Validate(v.Str()) != nil) {
		return ""
	}
	return v.Str()
}

// Sizes of pdata structs without their strings.
const (
	spanBytes   = 224
	eventBytes  = 80
	linkBytes   = 96
	valueBytes  = 48
	originBytes = 256
)

// sizeOf returns about how many bytes of memory a span uses.
func sizeOf(span ptrace.Span) int64 {
	n := spanBytes + len(span.Name()) + len(span.TraceState().AsRaw()) + len(span.Status().Message()) + mapSize(span.Attributes())
	for _, event := range span.Events().All() {
		n += eventBytes + len(event.Name()) + mapSize(event.Attributes())
	}
	for _, link := range span.Links().All() {
		n += linkBytes + len(link.TraceState().AsRaw()) + mapSize(link.Attributes())
	}
	return int64(n)
}

func originSize(rs ptrace.ResourceSpans, ss ptrace.ScopeSpans) int64 {
	return int64(originBytes + mapSize(rs.Resource().Attributes()) + mapSize(ss.Scope().Attributes()))
}

func mapSize(m pcommon.Map) (n int) {
	for key, value := range m.All() {
		n += len(key) + valueSize(value)
	}
	return n
}

func valueSize(v pcommon.Value) int {
	switch v.Type() {
	case pcommon.ValueTypeStr:
		return valueBytes + len(v.Str())
	case pcommon.ValueTypeBytes:
		return valueBytes + v.Bytes().Len()
	case pcommon.ValueTypeMap:
		return valueBytes + mapSize(v.Map())
	case pcommon.ValueTypeSlice:
		n := valueBytes
		for _, item := range v.Slice().All() {
			n += valueSize(item)
		}
		return n
	default:
		return valueBytes
	}
}

// addLink links the span to another one. It reports false if the span has that
// link: its sender added it, or this processor did before the span was sent again.
func addLink(span ptrace.Span, to SpanRef) bool {
	for _, link := range span.Links().All() {
		if link.SpanID() == to.Span && link.TraceID() == to.Trace {
			return false
		}
	}
	link := span.Links().AppendEmpty()
	link.SetTraceID(to.Trace)
	link.SetSpanID(to.Span)
	return true
}

// rewrite moves a span to where its trace went. A root keeps the ids that it arrived
// with as attributes; nothing else of a span changes.
func rewrite(span ptrace.Span, to Resolution) {
	old := span.TraceID()
	if to.Final == old {
		return
	}
	span.SetTraceID(to.Final)
	if span.SpanID() == to.Root && span.ParentSpanID().IsEmpty() {
		keepOriginal(span, old)
		span.SetParentSpanID(to.Parent)
	}
}

// keepOriginal writes the ids that a root arrived with, unless another collector did.
func keepOriginal(span ptrace.Span, old pcommon.TraceID) {
	if _, has := span.Attributes().Get(mcpconv.OriginalTrace); has {
		return
	}
	id := span.SpanID()
	span.Attributes().EnsureCapacity(span.Attributes().Len() + 2)
	span.Attributes().PutStr(mcpconv.OriginalTrace, hex.EncodeToString(old[:]))
	span.Attributes().PutStr(mcpconv.OriginalSpan, hex.EncodeToString(id[:]))
}
