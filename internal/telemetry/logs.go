package telemetry

import (
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/internal/identity"
	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonrpc"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session"
)

// entry is what a log record says beside the attributes.
type entry struct {
	name     string
	severity plog.SeverityNumber // INFO if it is not set
	text     string              // of the severity, as the sender called it
	body     string              // the name if it is empty, or payloads are off
	span     identity.SpanID     // what it is about, if that is not the span it echoes
	at       int64               // when, if that is not the start of the span it echoes
}

// record is a new log record of the service that was picked last.
func (b *Batch) record(p place, e entry) plog.LogRecord {
	c := &b.scopes[b.at]
	b.records++
	if !c.hasLog {
		b.logScope(c)
	}
	lr := c.records.AppendEmpty()
	lr.SetTimestamp(pcommon.Timestamp(p.start))       //nolint:gosec // message times are positive
	lr.SetObservedTimestamp(pcommon.Timestamp(b.now)) //nolint:gosec // the clock is not before 1970
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
	if e.body != "" && b.opt.Payloads {
		lr.Body().SetStr(e.body)
	}
	return lr
}

// echo is the log record of a span: it has its attributes.
func (b *Batch) echo(span ptrace.Span, e entry) {
	if !b.opt.Logs {
		return
	}
	p := place{trace: identity.TraceID(span.TraceID()), span: identity.SpanID(span.SpanID()), start: int64(span.StartTimestamp())} //nolint:gosec // made from int64
	if !e.span.IsZero() {
		p.span = e.span
	}
	if e.at != 0 {
		p.start = e.at
	}
	lr := b.record(p, e)
	span.Attributes().CopyTo(lr.Attributes())
	lr.SetFlags(plog.LogRecordFlags(span.Flags() & 0xff))
}

func (b *Batch) logScope(c *scope) {
	if b.records == 1 {
		b.logs = plog.NewLogs()
	}
	rl := b.logs.ResourceLogs().AppendEmpty()
	rl.Resource().Attributes().PutStr(mcpconv.ServiceName, c.service)
	sl := rl.ScopeLogs().AppendEmpty()
	sl.Scope().SetName(b.opt.ScopeName)
	sl.Scope().SetVersion(b.opt.ScopeVersion)
	c.records, c.hasLog = sl.LogRecords(), true
}

// severities by level of RFC 5424 (OTel logs data model, appendix B, syslog).
var severities = map[string]plog.SeverityNumber{
	"debug": plog.SeverityNumberDebug, "info": plog.SeverityNumberInfo, "notice": plog.SeverityNumberInfo2,
	"warning": plog.SeverityNumberWarn, "error": plog.SeverityNumberError, "critical": plog.SeverityNumberError2,
	"alert": plog.SeverityNumberError3, "emergency": plog.SeverityNumberFatal,
}

// noticeSeverities are those of notices that are not INFO.
var noticeSeverities = map[string]plog.SeverityNumber{
	mcpconv.HostHeartbeat:               plog.SeverityNumberDebug,
	mcpconv.SpanInspector + "Heartbeat": plog.SeverityNumberDebug,
	mcpconv.HostCompacting:              plog.SeverityNumberWarn,
	mcpconv.HostTokenPressure:           plog.SeverityNumberWarn,
	mcpconv.HostError:                   plog.SeverityNumberError,
	"notifications/events/error":        plog.SeverityNumberWarn,
	"notifications/events/gap":          plog.SeverityNumberWarn,
	"notifications/events/terminated":   plog.SeverityNumberWarn,
}

// noticeEntry is what the log record of a notice says.
func (b *Batch) noticeEntry(n *session.Notice) entry {
	e := entry{name: n.Name, severity: noticeSeverities[n.Name]}
	switch {
	case n.Reminder != nil:
		e.body = b.attrs.text(n.Reminder.Body.Str())
	case n.Log:
		p := &n.Message.Params
		e.text = b.attrs.text(p.Level.Str())
		e.severity = severities[e.text]
		if e.body = strings.Clone(p.Message.Str()); n.Name == mcpconv.NotificationMessage {
			e.body = textOf(p.Data)
		}
	case n.Hook != nil:
		e.severity, e.body = hookSeverities[n.Name], hookBody(n)
	case n.Name == mcpconv.HostError:
		e.body = strings.Clone(n.Outcome.Message)
	}
	return e
}

// textOf is a copy of a string, or of the JSON of anything else.
func textOf(v jsonrpc.Value) string {
	if v.IsString() {
		return strings.Clone(v.Str())
	}
	return strings.Clone(string(v))
}

// logMessage writes what log messages have.
func (b *Batch) logMessage(n *session.Notice) {
	a, p := &b.attrs, &n.Message.Params
	a.str(mcpconv.LogLevel, a.text(p.Level.Str()))
	a.str(mcpconv.LogLogger, a.text(p.Logger.Str()))
	a.payload(mcpconv.LogData, strings.Clone(string(p.Data)))
	if n.Name == mcpconv.NotificationMessage {
		return
	}
	a.payload(mcpconv.LogMessage, strings.Clone(p.Message.Str()))
	a.known(mcpconv.LogDeclared, n.Declared)
	if p.SessionID.Str() != "" {
		a.str(mcpconv.LogScope, "session")
	} else {
		a.str(mcpconv.LogScope, "connection")
	}
}

// reminder writes what reminders have; what is absent stays absent.
func (b *Batch) reminder(r *session.Reminder) {
	a := &b.attrs
	a.str(mcpconv.ReminderID, a.text(r.ID.Str()))
	a.payload(mcpconv.ReminderBody, a.text(r.Body.Str()))
	a.strings(mcpconv.ReminderTags, r.Tags)
	a.str(mcpconv.ReminderDedupeKey, a.text(r.DedupeKey.Str()))
	a.number(mcpconv.ReminderTTLTurns, r.TTLTurns)
	a.boolean(mcpconv.ReminderPreserve, r.Preserve)
	a.str(mcpconv.ReminderPropagate, a.text(r.Propagate.Str()))
	a.str(mcpconv.ReminderRoleHint, a.text(r.RoleHint.Str()))
	a.number(mcpconv.ReminderFiredAt, r.FiredAt)
	a.str(mcpconv.ReminderReplaces, r.Replaces)
	a.known(mcpconv.ReminderIsDeclared, r.Declared)
}
