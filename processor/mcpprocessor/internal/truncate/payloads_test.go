package truncate

import (
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// tracesOf is a span with value at each place that is looked at.
func tracesOf(value string) ptrace.Traces {
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

// logsOf is a log record with value at each place that is looked at.
func logsOf(value string) plog.Logs {
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
