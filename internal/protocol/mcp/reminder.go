package mcp

import (
	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonscan"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
	"github.com/otelcol-mcp/otelcol-mcp/internal/protocol/jsonrpc"
)

// decodeReminder reads the reminder of a notification, in any of its dialects:
// notifications/reminder as proposed for MCP, log messages with
// _meta.harn.reminder, session/remind, and the update reminder_emitted of the
// Agent Client Protocol. It is false if there is none.
// Null members are absent.
func decodeReminder(r *event.Reminder, m *jsonrpc.Message) bool {
	*r = event.Reminder{}
	switch m.Method {
	case mcpconv.NotificationReminder:
		fillReminder(r, jsonrpc.Member(m.Params.Raw, "reminder"))
	case mcpconv.NotificationMessage:
		if !m.Params.Meta.Reminder.IsObject() {
			return false
		}
		fillReminder(r, m.Params.Meta.Reminder)
	case mcpconv.MethodRemind:
		fillReminder(r, m.Params.Raw)
	case mcpconv.MethodSessionUpdate:
		return decodeReminderUpdate(r, m.Params.Update)
	default:
		return false
	}
	return true
}

// decodeReminderUpdate reads an update that is a reminder or has one in its _meta, which
// then counts.
func decodeReminderUpdate(r *event.Reminder, update jsonscan.Value) bool {
	if jsonrpc.Member(update, "sessionUpdate").Str() != "reminder_emitted" {
		return false
	}
	fillReminder(r, update)
	fillReminder(r, jsonrpc.Member(jsonrpc.Member(jsonrpc.Member(update, "_meta"), "harn"), "reminder"))
	return true
}

func fillReminder(r *event.Reminder, object jsonscan.Value) {
	jsonrpc.FillPresent(object, func(name string) *jsonscan.Value { return reminderField(r, name) })
}

// reminderField is where the value of a member belongs, or nil.
func reminderField(r *event.Reminder, name string) *jsonscan.Value {
	switch name {
	case "id", "reminderId", "reminder_id":
		return &r.ID
	case "body":
		return &r.Body
	case "tags":
		return &r.Tags
	case "dedupeKey", "dedupe_key":
		return &r.DedupeKey
	case "ttlTurns", "ttl_turns":
		return &r.TTLTurns
	case "preserveOnCompact", "preserve_on_compact":
		return &r.Preserve
	case "propagate":
		return &r.Propagate
	case "roleHint", "role_hint":
		return &r.RoleHint
	case "firedAtTurn", "fired_at_turn":
		return &r.FiredAt
	}
	return nil
}

// invalidReminder is why a reminder breaks its schema, "" if it does not. One of
// session/remind needs no id.
func invalidReminder(r *event.Reminder, method string) string {
	switch {
	case r.ID.Str() == "" && method != mcpconv.MethodRemind:
		return "reminder has no id"
	case r.Body.Str() == "":
		return "reminder has no body"
	}
	members := [...]jsonrpc.Typed{
		{Value: r.Tags, Is: jsonscan.Value.IsArray, Why: "tags is not an array"},
		{Value: r.Tags, Is: areStrings, Why: "tags are not strings"},
		{Value: r.DedupeKey, Is: jsonscan.Value.IsString, Why: "dedupeKey is not a string"},
		{Value: r.TTLTurns, Is: isTurns, Why: "ttlTurns is not an integer from 1 on"},
		{Value: r.Preserve, Is: jsonrpc.IsBoolean, Why: "preserveOnCompact is not a boolean"},
		{Value: r.Propagate, Is: isPropagation, Why: "propagate is not all, session or none"},
		{Value: r.RoleHint, Is: isRole, Why: "roleHint is not system, developer, user_block or ephemeral_cache"},
		{Value: r.FiredAt, Is: jsonrpc.IsInteger, Why: "firedAtTurn is not an integer"},
	}
	return jsonrpc.FirstWrong(members[:])
}

func isTurns(v jsonscan.Value) bool {
	turns, ok := v.Int()
	return ok && turns >= 1
}

func areStrings(tags jsonscan.Value) bool {
	for tag := range tags.Elements() {
		if !tag.IsString() {
			return false
		}
	}
	return true
}

func isPropagation(v jsonscan.Value) bool {
	switch v.Str() {
	case "all", "session", "none":
		return true
	}
	return false
}

func isRole(v jsonscan.Value) bool {
	switch v.Str() {
	case "system", "developer", "user_block", "ephemeral_cache":
		return true
	}
	return false
}
