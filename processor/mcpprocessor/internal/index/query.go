package index

import "go.opentelemetry.io/collector/pdata/pcommon"

// Kind is what a query asks of the shared index.
type Kind uint8

const (
	// PutClaim stores Span as the claim of Value unless there is one. The answer
	// is the stored claim, and the root of Value if one left without a client.
	PutClaim Kind = iota
	// PutRoot stores Span as the root of Value that left without a client. The
	// answer is the claim of Value.
	PutRoot
	// GetClaim reads the claim of Value.
	GetClaim
	// SetClaim stores Span as the claim of Value, whatever there is.
	SetClaim
	// MarkAmbiguous marks the claim of Value as ambiguous.
	MarkAmbiguous
	// PutDecision stores the decision about Trace unless there is one. The answer
	// is the stored one.
	PutDecision
	// GetDecision reads the decision about Trace.
	GetDecision
)

// Query is a query to the shared index, and its answer.
type Query struct {
	Kind     Kind
	Value    Value
	Span     SpanRef
	Seq      uint64
	Trace    pcommon.TraceID
	Decision Decision

	// Claim answers PutClaim, PutRoot and GetClaim; nil if there is none.
	Claim *Claim
	// Root answers PutClaim; nil if there is none.
	Root *Root
	// Decided reports whether Decision is an answer.
	Decided bool
}
