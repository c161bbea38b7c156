package identity

// Context is a W3C trace context; the zero value is none. It is stored with the
// calls that it is the parent of: the numbers of its fields never change.
type Context struct {
	Trace TraceID `cbor:"1,keyasint,omitempty"`
	Span  SpanID  `cbor:"2,keyasint,omitempty"`
	Flags byte    `cbor:"3,keyasint,omitempty"`
	State string  `cbor:"4,keyasint,omitempty"` // the tracestate header
}

// Valid reports whether there is a context.
func (c Context) Valid() bool { return !c.Span.IsZero() }
