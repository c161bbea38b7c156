package inspectorwire

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"sync"
)

// A trace file has a JSON object a line, a span each, in one of two shapes: flat
// (`trace_id`, `parent_span_id`, events with `time`), which the Inspector's page
// reads, and that of OpenTelemetry's Python SDK (`context`, `parent_id`, events
// with `timestamp`), which its exporters write. [AppendSpan] writes both in one
// object, and [Spans] reads either.
//
// What neither can hold is in a member `otel`: flags, counts of what was
// dropped, who wrote the line; and, for a span with values that JSON does not
// have (bytes, NaN, infinities, a key twice, times out of range), the whole span
// as OTLP/JSON.

// Errors of lines that are no span.
var (
	ErrLineNotObject = errors.New("not a span: each line of a trace file is one JSON object")
	ErrLineIDs       = errors.New("not a span: trace_id must be 32 hex digits and span_id 16, with or without 0x")
	ErrLineTime      = errors.New("not a span: start_time and end_time must be ISO 8601 times of the years 1970 to 2261")
	ErrLineOTLP      = errors.New("not a span: otel.otlp is not one span in OTLP/JSON")
)

// ProcessWriter is an id that differs with each process. What it writes carries
// it, so that its own readers can leave that out.
var ProcessWriter = sync.OnceValue(func() string {
	var id [8]byte
	_, _ = rand.Read(id[:]) // never fails
	return hex.EncodeToString(id[:])
})
