package telemetry

import (
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/identity"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// entry holds the parts of a log record beside its attributes.
type entry struct {
	name     string              // of the event
	severity plog.SeverityNumber // INFO if it is not set
	text     string              // of the severity, as the sender called it
	body     string              // the name if it is empty, or payloads are off
	cut      bool                // the body is, to the limit of short texts
	span     identity.SpanID     // what it is about, if that is not the span it echoes
	at       int64               // Unix ns, if that is not the start of the span it echoes
}

// record is a new log record of the current service.
func (o *output) record(p place, e entry) plog.LogRecord {
	s := &o.services[o.current]
	if !s.hasLogs {
		o.addLogs(s)
	}
	o.records++
	lr := s.records.AppendEmpty()
	lr.SetTimestamp(timestamp(p.start))
	lr.SetObservedTimestamp(timestamp(o.now))
	lr.SetTraceID(pcommon.TraceID(p.trace))
	lr.SetSpanID(pcommon.SpanID(p.span))
	lr.SetEventName(e.name)
	if e.severity == 0 {
		e.severity = plog.SeverityNumberInfo
	}
	lr.SetSeverityNumber(e.severity)
	lr.SetSeverityText(e.text)
	if e.text == "" {
		lr.SetSeverityText(strings.ToUpper(e.severity.String()))
	}
	lr.Body().SetStr(e.name)
	if e.body != "" && o.opt.Payloads {
		lr.Body().SetStr(e.body)
	}
	return lr
}

// echo adds the log record of a span, with the span's attributes, if log records
// are wanted.
func (o *output) echo(span ptrace.Span, e entry) {
	if !o.opt.Logs {
		return
	}
	p := place{trace: identity.TraceID(span.TraceID()), span: identity.SpanID(span.SpanID()), start: int64(span.StartTimestamp())} //nolint:gosec // made from int64
	if !e.span.IsZero() {
		p.span = e.span
	}
	if e.at != 0 {
		p.start = e.at
	}
	lr := o.record(p, e)
	span.Attributes().CopyTo(lr.Attributes())
	if e.cut {
		lr.Attributes().PutBool(mcpconv.BodyTruncated, true)
	}
	lr.SetFlags(plog.LogRecordFlags(span.Flags() & 0xff))
}

// levelSeverities are severities by level of RFC 5424 (OTel logs data model,
// appendix B, syslog).
var levelSeverities = map[string]plog.SeverityNumber{
	"debug": plog.SeverityNumberDebug, "info": plog.SeverityNumberInfo, "notice": plog.SeverityNumberInfo2,
	"warning": plog.SeverityNumberWarn, "error": plog.SeverityNumberError, "critical": plog.SeverityNumberError2,
	"alert": plog.SeverityNumberError3, "emergency": plog.SeverityNumberFatal,
}

// noticeSeverities are those of notices that are not INFO, by span name.
var noticeSeverities = map[string]plog.SeverityNumber{
	mcpconv.HostHeartbeat:               plog.SeverityNumberDebug,
	mcpconv.SpanInspector + "Heartbeat": plog.SeverityNumberDebug,
	mcpconv.HostCompacting:              plog.SeverityNumberWarn,
	mcpconv.HostTokenPressure:           plog.SeverityNumberWarn,
	mcpconv.HostError:                   plog.SeverityNumberError,
	mcpconv.EventsError:                 plog.SeverityNumberWarn,
	mcpconv.EventsGap:                   plog.SeverityNumberWarn,
	mcpconv.EventsTerminated:            plog.SeverityNumberWarn,
}

// hookSeverities are those of hooks' notices that are not INFO.
var hookSeverities = map[event.HookWeight]plog.SeverityNumber{
	event.HookWarns: plog.SeverityNumberWarn,
	event.HookFails: plog.SeverityNumberError,
}
