package daily

import (
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// Kind is which stream an item without session belongs to.
type Kind string

// The streams.
const (
	None     Kind = ""         // it may be the first of a session
	Events   Kind = "events"   // MCP Events
	Logs     Kind = "logs"     // of a connection
	Messages Kind = "messages" // that name no session
)

// module is how the names of our components' instrumentation scopes begin.
const module = "github.com/otelcol-mcp/otelcol-mcp/"

// KindOf is the stream of a span that names no session and whose trace is no
// session's. Spans of other instrumentation may be a session that is named by its
// trace; ours would have named it.
func KindOf(scope string, span ptrace.Span) Kind {
	if kind := ofAttributes(span.Name(), span.Attributes()); kind != None {
		return kind
	}
	alone := span.ParentSpanID().IsEmpty()
	notice := span.EndTimestamp() <= span.StartTimestamp()+1 && strings.HasPrefix(span.Name(), "notifications/")
	if alone && (notice || strings.HasPrefix(scope, module)) {
		return Messages
	}
	return None
}

// KindOfLog is the same for a log record.
func KindOfLog(scope, name string, m pcommon.Map) Kind {
	if kind := ofAttributes(name, m); kind != None {
		return kind
	}
	if strings.HasPrefix(scope, module) {
		return Messages
	}
	return None
}

func ofAttributes(name string, m pcommon.Map) Kind {
	switch {
	case strings.HasPrefix(name, mcpconv.EventsPrefix), has(m, mcpconv.EventID), has(m, mcpconv.EventSubscription):
		return Events
	case has(m, mcpconv.LogScope), name == mcpconv.MethodACPLog && has(m, mcpconv.LogMessage), name == mcpconv.NotificationMessage:
		return Logs
	}
	return None
}

func has(m pcommon.Map, key string) bool {
	_, ok := m.Get(key)
	return ok
}
