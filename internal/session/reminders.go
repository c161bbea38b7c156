package session

import (
	"slices"
	"strings"

	"github.com/cespare/xxhash/v2"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session/store"
)

// reminded takes a reminder, whatever its dialect.
func (tx *notifications) reminded(s *store.Session, env *event.Envelope, n *event.Notice, r *event.Reminder) {
	if s.Reminders == store.KnownNo && tx.opt.DropUndeclared {
		tx.store.Count(Undeclared)
		tx.first(&s.DroppedReminders, UndeclaredBegins)
		return
	}
	if tx.notices.redelivered(s, env, n, xxhash.Sum64String(string(n.Params))) {
		return
	}
	tx.notices.record(s, env, n, &noticeExtra{Replaces: tx.replace(s, r), Declared: s.Reminders})
}

// replace is the id of the reminder with the same dedupe key that was not shown
// yet; the new one is in its place from now on, unless it was shown itself.
func (tx *notifications) replace(s *store.Session, r *event.Reminder) (replaced string) {
	if r.DedupeKey.Str() == "" || s.Connection {
		return ""
	}
	key, id := xxhash.Sum64String(r.DedupeKey.Str()), tx.cut(r.ID.Str())
	rest := s.Pending
	at := slices.IndexFunc(rest, func(p store.Reminder) bool { return p.Key == key })
	if at >= 0 {
		replaced = rest[at].ID
		rest = slices.Concat(rest[:at], rest[at+1:])
	}
	if !r.Fired() && id != "" {
		if len(rest) >= tx.opt.DedupeKeys {
			rest = rest[1:]
		}
		rest = append(slices.Clip(rest), store.Reminder{Key: key, ID: strings.Clone(id), Preserve: r.Preserve.IsTrue()})
	}
	s.Held += rest.Bytes() - s.Pending.Bytes()
	s.Pending = rest
	if replaced == id {
		return ""
	}
	return replaced
}
