package telemetry

import (
	"strings"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session"
)

// writeLog writes what a log message of MCP or ACP has, and how its log record
// looks.
func writeLog(a *attrs, n *session.Notice, l *event.Log, v *view) {
	level := a.cutCopy(l.Level.Str())
	v.text, v.severity = level, levelSeverities[level]
	a.str(mcpconv.LogLevel, level)
	a.textCopy(mcpconv.LogLogger, l.Logger.Str())
	a.payloadCopy(mcpconv.LogData, l.Data)
	if !l.ACP {
		if a.opt.bodies() {
			v.body = l.Data.Text()
		}
		return
	}
	message := ""
	if a.opt.Payloads {
		message = strings.Clone(l.Message.Str())
	}
	v.body = message
	a.payload(mcpconv.LogMessage, message)
	a.declared(mcpconv.LogDeclared, n.Declared)
	scope := "connection"
	if l.InSession {
		scope = "session"
	}
	a.str(mcpconv.LogScope, scope)
	if !l.InSession {
		a.textCopy(mcpconv.Connection, n.Envelope.Connection)
	}
}

// writeReminder writes what a reminder has; what is absent stays absent.
func writeReminder(a *attrs, n *session.Notice, r *event.Reminder, v *view) {
	body := ""
	if a.opt.Payloads {
		body = a.copy(r.Body.Str())
	}
	v.body = a.cut(body)
	v.cut = len(v.body) < len(body)
	a.textCopy(mcpconv.ReminderID, r.ID.Str())
	a.payloadText(mcpconv.ReminderBody, body)
	a.jsonStrings(mcpconv.ReminderTags, r.Tags)
	a.textCopy(mcpconv.ReminderDedupeKey, r.DedupeKey.Str())
	a.jsonInt(mcpconv.ReminderTTLTurns, r.TTLTurns)
	a.jsonBool(mcpconv.ReminderPreserve, r.Preserve)
	a.textCopy(mcpconv.ReminderPropagate, r.Propagate.Str())
	a.textCopy(mcpconv.ReminderRoleHint, r.RoleHint.Str())
	a.jsonInt(mcpconv.ReminderFiredAt, r.FiredAt)
	a.str(mcpconv.ReminderReplaces, n.Replaces)
	a.declared(mcpconv.ReminderIsDeclared, n.Declared)
}
