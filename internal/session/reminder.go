package session

import (
	"slices"
	"strings"

	"github.com/cespare/xxhash/v2"

	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonrpc"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// Reminder is a reminder and what the session tells of it.
type Reminder struct {
	*jsonrpc.Reminder
	Replaces string // id of the reminder that it takes the place of
	Declared Known  // whether the server had declared that it sends any
}

// pending is a reminder that was not shown yet, and may be replaced.
type pending struct {
	key uint64 // hash of its dedupe key
	id  string
}

// reminded takes a reminder, whatever its dialect.
func (tx *Tx) reminded(s *Session, o *Observation, m *jsonrpc.Message, r *jsonrpc.Reminder) {
	if s.reminders == KnownNo && tx.t.opt.DropUndeclared {
		tx.note(Undeclared)
		return
	}
	if s.reminded(m, r) {
		tx.note(Repeated)
		return
	}
	tx.notice(s, o, Notice{
		Name: mcpconv.NotificationReminder, Message: m, Invalid: invalidReminder(o, m, r),
		Reminder: &Reminder{Reminder: r, Replaces: tx.replace(s, r), Declared: s.reminders},
	})
}

// reminded tells whether the very same reminder came before, as far as that is
// remembered.
func (s *Session) reminded(m *jsonrpc.Message, r *jsonrpc.Reminder) bool {
	id := r.ID.Str()
	if id == "" || s.Connection {
		return false
	}
	hash := xxhash.Sum64String(id) ^ xxhash.Sum64String(string(m.Params.Raw))
	if s.told.find(hash) != 0 {
		return true
	}
	s.told = s.told.with(hash, 1)
	return false
}

// replace is the id of the reminder with the same dedupe key that was not shown
// yet; the new one is in its place from now on, unless it was shown itself.
func (tx *Tx) replace(s *Session, r *jsonrpc.Reminder) (replaced string) {
	if r.DedupeKey.Str() == "" || s.Connection {
		return ""
	}
	key, id := xxhash.Sum64String(r.DedupeKey.Str()), jsonrpc.Cut(r.ID.Str(), tx.t.opt.TextBytes)
	at := slices.IndexFunc(s.pending, func(p pending) bool { return p.key == key })
	rest := s.pending
	if at >= 0 {
		replaced = s.pending[at].id
		rest = slices.Concat(s.pending[:at], s.pending[at+1:])
	}
	if !r.Fired() && id != "" {
		if len(rest) >= tx.t.opt.DedupeKeys {
			rest = rest[1:]
		}
		rest = append(slices.Clip(rest), pending{key, strings.Clone(id)})
	}
	s.held += pendingBytes(rest) - pendingBytes(s.pending)
	s.pending = rest
	if replaced == id {
		return ""
	}
	return replaced
}

// pendingBytes is what reminders that were not shown yet keep.
func pendingBytes(all []pending) (bytes int64) {
	for i := range all {
		bytes += int64(len(all[i].id))
	}
	return bytes
}

// invalidReminder is why a reminder breaks its schema, "" if it does not.
func invalidReminder(o *Observation, m *jsonrpc.Message, r *jsonrpc.Reminder) string {
	switch {
	case m.Invalid != "":
		return m.Invalid
	case o.Invalid != "":
		return o.Invalid
	case r.ID.Str() == "" && m.Method != mcpconv.MethodRemind:
		return "reminder has no id"
	case r.Body.Str() == "":
		return "reminder has no body"
	}
	members := [...]typed{
		{r.Tags, jsonrpc.Value.IsArray, "tags is not an array"},
		{r.TTLTurns, isTurns, "ttlTurns is not an integer from 1 on"},
		{r.Preserve, isBoolean, "preserveOnCompact is not a boolean"},
		{r.FiredAt, isInteger, "firedAtTurn is not an integer"},
	}
	return firstWrong(members[:])
}

func isTurns(v jsonrpc.Value) bool {
	turns, ok := v.Int()
	return ok && turns >= 1
}
