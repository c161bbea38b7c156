package jsonrpc

import (
	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonscan"
)

// Reminder are the members of a reminder, whatever its dialect (RFC
// mcp-notifications-reminder and what Harn itself sends). Null is absent.
type Reminder struct {
	ID         Value
	Body       Value
	Tags       Value
	DedupeKey  Value
	TTLTurns   Value
	Preserve   Value
	Propagate  Value
	RoleHint   Value
	FiredAt    Value
	HasContent bool // there was an object of any kind
}

// Fired tells whether the reminder was shown to the model already.
func (r *Reminder) Fired() bool { return r.FiredAt != "" }

// Reminder is the reminder that the message holds, nil if it holds none: in
// params.reminder, in params._meta.harn.reminder of a log message, in
// params.update of ACP, or params itself for session/remind.
func (m *Message) Reminder() *Reminder {
	var r Reminder
	switch m.Method {
	case "notifications/reminder":
		r.HasContent = true
		r.decode(member(m.Params.Raw, "reminder"))
	case "notifications/message":
		r.decode(m.Params.Meta.Reminder)
	case "session/remind":
		r.HasContent = true
		r.decode(m.Params.Raw)
	case "session/update":
		r.decodeUpdate(m.Params.Update)
	}
	if !r.HasContent {
		return nil
	}
	return &r
}

// decodeUpdate reads the update of ACP, which carries the reminder in its _meta
// or is one itself.
func (r *Reminder) decodeUpdate(update Value) {
	if member(update, "sessionUpdate").Str() != "reminder_emitted" {
		return
	}
	r.HasContent = true
	r.decode(update)
	r.decode(member(member(member(update, "_meta"), "harn"), "reminder"))
}

func (r *Reminder) decode(object Value) {
	if !object.IsObject() {
		return
	}
	r.HasContent = true
	walk(object, func(key string, c *jsonscan.Cursor) bool {
		to := r.member(key)
		if to == nil {
			return false
		}
		if v := c.Value(); !v.IsNull() {
			*to = v
		}
		return true
	})
}

// member is where the value of a member belongs, or nil.
func (r *Reminder) member(key string) *Value {
	switch key {
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

// Member is the value of one member of an object that was read before, empty if
// it has none.
func Member(object Value, name string) Value { return member(object, name) }

func member(object Value, name string) (v Value) {
	if !object.IsObject() {
		return ""
	}
	walk(object, func(key string, c *jsonscan.Cursor) bool {
		if key != name {
			return false
		}
		v = c.Value()
		return true
	})
	return v
}
