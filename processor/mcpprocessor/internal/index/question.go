package index

import "go.opentelemetry.io/collector/pdata/pcommon"

// Kind is what is asked of the shared index.
type Kind uint8

const (
	// AskClaim stores Site as the claim of Value unless there is one. It is
	// answered with the stored claim, and with the root of Value if one was let go.
	AskClaim Kind = iota
	// AskRoot stores Site as the root of Value that was let go, and is answered
	// with the claim of Value.
	AskRoot
	// AskClient is answered with the claim of Value.
	AskClient
	// AskTwice marks the claim of Value as worthless.
	AskTwice
	// AskDecide stores Decision of Trace unless there is one, and is answered
	// with the stored one.
	AskDecide
	// AskFate is answered with the decision of Trace.
	AskFate
)

// Decision is what a replica decided about a trace: to stay, or to be put below
// the client span To, where Root is the span that becomes its child.
type Decision struct {
	Join bool
	To   Site
	Root pcommon.SpanID
}

// Question is one question to the shared index, and its answer.
type Question struct {
	Kind     Kind
	Value    Value
	Site     Site
	Seq      uint64
	Trace    pcommon.TraceID
	Decision Decision

	// Claim is the answer to AskClaim, AskRoot and AskClient; nil if there is none.
	Claim *Claim
	// Root is the answer to AskClaim; nil if there is none.
	Root *Root
	// Decided says whether Decision is an answer.
	Decided bool
}
