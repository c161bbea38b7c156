package index

import "go.opentelemetry.io/collector/pdata/pcommon"

// Records as Redis stores them: a span is its trace id and span id, 24 bytes.
const (
	ambiguous    = "!" // a claim
	stays        = "s" // a decision
	joins        = 'j' // a decision, then the client span and the span id of the root
	spanRefSize  = 24
	decisionSize = 1 + spanRefSize + 8
)

func (s SpanRef) encode() string { return string(s.Trace[:]) + string(s.Span[:]) }

func decodeSpanRef(text string) (s SpanRef, ok bool) {
	if len(text) != spanRefSize {
		return s, false
	}
	copy(s.Trace[:], text)
	copy(s.Span[:], text[16:])
	return s, true
}

// decodeClaim returns nil for what is no claim: the key is another program's.
func decodeClaim(text string) *Claim {
	if text == ambiguous {
		return &Claim{Ambiguous: true}
	}
	if s, ok := decodeSpanRef(text); ok {
		return &Claim{SpanRef: s}
	}
	return nil
}

func decodeRoot(text string) *Root {
	if s, ok := decodeSpanRef(text); ok {
		return &Root{SpanRef: s}
	}
	return nil
}

func (d Decision) encode() string {
	if !d.Join {
		return stays
	}
	return string(joins) + d.To.encode() + string(d.Root[:])
}

func decodeDecision(text string) (d Decision, ok bool) {
	if text == stays {
		return d, true
	}
	if len(text) != decisionSize || text[0] != joins {
		return d, false
	}
	d.Join = true
	d.To, _ = decodeSpanRef(text[1 : 1+spanRefSize])
	d.Root = pcommon.SpanID([]byte(text[1+spanRefSize:]))
	return d, true
}
