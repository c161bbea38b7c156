package observer

import (
	"maps"
	"slices"
	"strings"

	"github.com/otelcol-mcp/otelcol-mcp/cmd/mcptap/internal/frame"
)

// sessionsMax bounds the sessions and the open requests of one connection.
const sessionsMax = 10_000

// sessions finds out to which of the ACP sessions on one connection a message
// belongs: its params.sessionId says so, and a reply goes where its request
// went. The zero value is ready.
type sessions struct {
	seen map[string]struct{}
	open map[request]string
}

// request is one that waits for a reply.
type request struct {
	stream int
	id     string
}

// of is the session of a message, fallback if it is about no session.
func (s *sessions) of(stream int, m *frame.Message, fallback string) string {
	session := strings.Clone(m.Session)
	if m.IsReply() {
		asked := request{1 - stream, string(m.ID)}
		if where, ok := s.open[asked]; ok {
			delete(s.open, asked)
			session = where
		}
	}
	if session == "" {
		session = fallback
	}
	s.remember(stream, m, session)
	return session
}

func (s *sessions) remember(stream int, m *frame.Message, session string) {
	if s.seen == nil {
		s.seen, s.open = map[string]struct{}{}, map[request]string{}
	}
	if len(s.seen) < sessionsMax {
		s.seen[session] = struct{}{}
	}
	if m.IsRequest() && len(s.open) < sessionsMax {
		s.open[request{stream, strings.Clone(string(m.ID))}] = session
	}
}

// all are the sessions seen, or fallback if none was.
func (s *sessions) all(fallback string) []string {
	if len(s.seen) == 0 {
		return []string{fallback}
	}
	return slices.Sorted(maps.Keys(s.seen))
}
