// Package truncatetest makes data with one value at each place that truncation
// looks at.
package truncatetest // import "github.com/otelcol-mcp/otelcol-mcp/processor/mcpprocessor/internal/truncatetest"

import (
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// Traces is a span with value at each place that is looked at.
func Traces(value string) ptrace.Traces {
	td := ptrace.NewTraces()
	rs := td.ResourceSpans().AppendEmpty()
	rs.Resource().Attributes().PutStr("resource_json", value)
	ss := rs.ScopeSpans().AppendEmpty()
	ss.Scope().Attributes().PutStr("scope_json", value)
	span := ss.Spans().AppendEmpty()
	span.Attributes().PutStr("span_json", value)
	span.Status().SetMessage(value)
	span.Events().AppendEmpty().Attributes().PutStr("event_json", value)
	span.Links().AppendEmpty().Attributes().PutStr("link_json", value)
	return td
}

// Logs is a log record with value at each place that is looked at.
func Logs(value string) plog.Logs {
	ld := plog.NewLogs()
	rl := ld.ResourceLogs().AppendEmpty()
	rl.Resource().Attributes().PutStr("resource_json", value)
	sl := rl.ScopeLogs().AppendEmpty()
	sl.Scope().Attributes().PutStr("scope_json", value)
	record := sl.LogRecords().AppendEmpty()
	record.Attributes().PutStr("log_json", value)
	record.Body().SetStr(value)
	return ld
}
