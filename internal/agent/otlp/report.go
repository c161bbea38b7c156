package otlp

import (
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/identity"
)

// Origin is where a log record or span stands.
type Origin struct {
	Resource pcommon.Map
	Scope    string // name of the instrumentation scope
}

// Report holds the events of one log record or span of an agent. Its strings may
// alias the record, and it is valid until the next report of the same decoder.
type Report struct {
	Agent   string // mcpconv.ClaudeCode and its like
	Session string // the agent's own id of it; "" if there is none: nothing is reported then, but for Trace
	Time    int64  // Unix ns, 0 if there is none
	// Trace is the id of a span's trace. Spans without a Session belong to the session that
	// other spans of their trace name, if one is known.
	Trace identity.TraceID
	// Events apply to the session, in this order; none if the record
	// only passes.
	Events []event.Event
	// Framework is the last of Events if a program sent the span that is no agent that is
	// known, else nil. Without a Session the span belongs to that of its trace.
	Framework *event.SpanOfTrace
	// Unchanged is a span that passes on as it is.
	Unchanged bool
	// Internal is a span of the agent's own machinery.
	Internal bool
	// Umbrella is a span whose usage repeats that of its children.
	Umbrella bool
}

// Decoder turns an agent's own telemetry into events. It is pure: it keeps
// nothing between two records but the memory of its reports. It is not safe for
// concurrent use.
type Decoder interface {
	// Log reads a log record of the agent.
	Log(from *Origin, r plog.LogRecord) *Report
	// Span reads a span of the agent.
	Span(from *Origin, s ptrace.Span) *Report
}
