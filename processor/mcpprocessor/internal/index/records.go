package index

import "go.opentelemetry.io/collector/pdata/pcommon"

// SpanRef names a span by the ids that it arrived with.
type SpanRef struct {
	Trace pcommon.TraceID
	Span  pcommon.SpanID
}

// Claim is the client span that sent a value.
type Claim struct {
	SpanRef
	Seq       uint64 // when it was first seen here; 0 if another replica saw it
	Ambiguous bool   // another span claimed the same value, so it joins nothing
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
