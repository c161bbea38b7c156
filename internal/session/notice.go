package session

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"unsafe"

	"github.com/otelcol-mcp/otelcol-mcp/internal/identity"
)

// notice fills in what all notices have and tells of it.
func (tx *Tx) notice(s *Session, o *Observation, what Notice) {
	tx.told = what
	n := &tx.told
	n.Session, n.Obs, n.Link = s.telemetry(), o, o.Push
	if n.Time == 0 {
		n.Time = o.Time
	}
	tx.note(n.Invalid)
	n.Client = n.Message == nil || o.sent(n.Message) == FromClient
	n.Sender = s.sender(o, n.Client)
	n.Trace, n.Parent = s.traceOf()
	if n.Message != nil {
		n.Context = tx.contextOf(o, &n.Message.Params.Meta)
	}
	if n.Session == nil && n.Context.Valid() {
		n.Trace, n.Parent = n.Context.Trace, n.Context.Span
	}
	n.Span = n.identify(s)
	tx.count(s)
	s.Summary.Notices++
	tx.sink.Notice(n)
}

// stableID is the id that the sender gave what it tells of, "" if none.
func (n *Notice) stableID() string {
	if id := n.Message.Params.EventID.Str(); id != "" {
		return id
	}
	if n.Reminder != nil {
		return n.Reminder.ID.Str()
	}
	return n.Message.Params.ReminderID.Str()
}

func randomTrace() (id identity.TraceID) {
	_, _ = rand.Read(id[:]) // never fails (crypto/rand)
	return id
}

// identify derives the notice's span ID.
func (n *Notice) identify(s *Session) identity.SpanID {
	what, raw := n.Name, n.Name
	switch {
	case n.Event != nil:
		what, raw = n.Event.Type, n.Event.Raw
	case n.Hook != nil:
		raw = string(n.Hook.Raw)
	case n.Message != nil:
		what, raw = n.Message.Method, string(n.Message.Raw)
		if id := n.stableID(); id != "" {
			return identity.Span(n.Trace, identity.Notice, s.Identity, what, id)
		}
	}
	sum := sha256.Sum256(unsafe.Slice(unsafe.StringData(raw), len(raw)))
	var sumHex [2 * sha256.Size]byte
	hex.Encode(sumHex[:], sum[:])
	var digits [20]byte
	ns := strconv.AppendInt(digits[:0], n.Time, 10)
	return identity.Span(n.Trace, identity.Notice, s.Identity, what,
		unsafe.String(&ns[0], len(ns)), unsafe.String(&sumHex[0], len(sumHex)))
}
