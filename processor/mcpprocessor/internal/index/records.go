package index

import (
	"bytes"

	"go.opentelemetry.io/collector/pdata/pcommon"
)

// SpanRef names a span by the ids that it arrived with.
type SpanRef struct {
	Trace pcommon.TraceID
	Span  pcommon.SpanID
}

// Claim is the client span that sent a value.
type Claim struct {
	SpanRef
	Seq       uint64 // when it was first seen here; 0 if another replica saw it
	Parent    pcommon.SpanID
	Start     pcommon.Timestamp // of all claims of the value in the trace
	End       pcommon.Timestamp // likewise
	Split     bool              // the trace has two claims, and none that both are inside of
	Ambiguous bool              // another trace claimed the same value, so it joins nothing
}

// Usable reports whether the claim is the only one of its value.
func (c *Claim) Usable() bool { return !c.Ambiguous && !c.Split }

// around reports whether other, of the same trace, is inside of the span.
func (c *Claim) around(other *Claim) bool {
	switch {
	case other.Parent == c.Span:
		return true
	case c.Parent == other.Span || c.Start == 0 || other.Start == 0:
		return false
	case c.Start == other.Start && c.End == other.End:
		return !other.Split && bytes.Compare(c.Span[:], other.Span[:]) < 0
	}
	return c.Start <= other.Start && other.End <= c.End
}

// Merge adds another claim of the same trace: that counts which all others are inside
// of, whatever came first. It reports whether the claim changed.
func (c *Claim) Merge(other *Claim) (changed bool) {
	switch {
	case other.around(c):
		start, end := c.Start, c.End
		*c = *other
		c.Start, c.End = min(c.Start, start), max(c.End, end)
		return true
	case !c.Split && c.around(other):
		c.End = max(c.End, other.End)
		return false
	}
	changed = !c.Split
	c.Split = true
	if c.Parent != other.Parent {
		c.Parent = pcommon.SpanID{}
	}
	c.Start, c.End = min(c.Start, other.Start), max(c.End, other.End)
	return changed
}

// Root is the root of a server's trace that left without a client.
type Root struct {
	SpanRef
	Seq uint64 // as a claim's
}

// Resolution is where a trace went: Final is the trace id that its spans have
// now. If that is not its own, the span Root is a child of Parent.
type Resolution struct {
	Final  pcommon.TraceID
	Root   pcommon.SpanID
	Parent pcommon.SpanID
	Shared bool // other replicas need to know
}

// Decision returns what other replicas need to know about the trace with this id.
func (r *Resolution) Decision(id pcommon.TraceID) Decision {
	return Decision{Join: r.Final != id, To: SpanRef{Trace: r.Final, Span: r.Parent}, Root: r.Root}
}

// Decision is what a replica decided about a trace: that it stays, or that it
// joins the client span To, of which the span Root becomes a child.
type Decision struct {
	Join bool
	To   SpanRef
	Root pcommon.SpanID
}
