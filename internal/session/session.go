package session

import (
	"strconv"
	"strings"

	"github.com/otelcol-mcp/otelcol-mcp/internal/identity"
)

// Session is one epoch of a session, or, with Connection set, what is known of
// a connection that has none. The Sink may read it during the call only.
type Session struct {
	ID       string // as the sender calls it, in all epochs
	Identity string // what the IDs are derived from
	Trace    identity.TraceID
	Root     identity.SpanID
	Roots    *Roots // that this one links to, nil if there are none

	Start int64
	Last  int64 // time of the last message

	MCPSession string // a real Mcp-Session-Id
	said       *Said  // of themselves, nil as long as they said nothing
	client     string // as records call them
	server     string
	HostID     string // the agent host's process
	hostState

	Engine    string
	Title     string
	ErrorText string
	Exit      *int64

	TransportStatus string

	Invalid string // what was wrong with the messages that opened and ended it

	Summary Summary

	held        int64     // bytes of payload kept
	started     [2]uint64 // hashes of the last starts
	arrival     int64     // of the last message, or of what stood for one
	lapse       int64     // from the former to the latter
	ended       int64     // arrival time of the end, 0 while open
	calls       map[callKey]*Call
	parked      map[parkKey]*Call  // open calls that wait for something other than a reply
	finished    *recents           // hashes of ids of tool calls that ended
	traces      *recents           // hashes of traces of calls that ended
	carried     []string           // of a connection: sessions whose messages came over it
	redirects   map[callKey]string // of a connection: sessions of open requests
	tokens      map[callKey]*Call  // by progress token
	waits       []*Wait
	used        usedIDs
	cancelledAt *recents // hashes of calls whose replies may still come

	pending []pending
	flood   flood

	// What is small stands together: there may be 100,000 sessions.

	Epoch      int32 // from 1
	Reconnects int32
	spans      int32
	starts     int32 // Inspector starts that no finish has met
	Connection bool  // no session: no root, no trace of its own
	ACP, Host  bool  // agent client protocol, host telemetry was seen
	Derived    bool  // named after who sent it
	Inspector  bool  // Inspector events were seen
	Failed     bool  // ended badly
	Cancelled  bool
	sawStart   bool // of an Inspector
	announced  bool
	moved      bool  // what is open went on into the next epoch
	reminders  Known // whether the server declared that it sends them
	logs       Known // whether log messages were declared
	logLevel   uint8 // agreed on, of Levels, 0 if none was
}

// Names are who takes part, as records call them, else as they call themselves.
func (s *Session) Names() (client, server string) {
	return first(s.client, s.Said().Client.Name), first(s.server, s.Said().Server.Name)
}

// Peers are who takes part, as they call themselves, else as records call them.
func (s *Session) Peers() (client, server string) {
	return first(s.Said().Client.Name, s.client), first(s.Said().Server.Name, s.server)
}

// Roots are other roots of the same session. They never change.
type Roots struct {
	Former Context // of the former epoch
	File   Context // that the session's trace has in a file
}

// Said is what client and server told of themselves. It never changes: who
// learns more makes another.
type Said struct {
	Client   Peer
	Server   Peer
	Protocol string // negotiated version
}

var saidNothing Said

// Said is what client and server told of themselves, not to be changed.
func (s *Session) Said() *Said {
	if s.said == nil {
		return &saidNothing
	}
	return s.said
}

// Peer is a client's or server's own word on itself.
type Peer struct {
	Name    string
	Version string
}

// Summary counts what a session did.
type Summary struct {
	LLMCalls, Tokens, ToolCalls, Agents, Notices, Errors int64
	WaitingNs                                            int64
	Resources, Prompts                                   int32
}

// Wait is a stretch of time in which a session waits for a signal.
type Wait struct {
	Name    string
	Prompt  string
	Schema  string // JSON
	Start   int64
	Invalid string
	Trace   identity.TraceID
	Span    identity.SpanID
	Parent  identity.SpanID
	Call    *Call `cbor:"-"` // that waits, nil if it is the session
	raw     uint64
}

// quiet tells whether silence may end the session.
func (s *Session) quiet() bool { return s.open() == 0 && len(s.waits) == 0 }

// Totals are what the session did; of tokens and tool calls the host's own
// totals, if it told any, for they count what nobody else saw.
func (s *Session) Totals() Summary {
	u := s.Summary
	s.totals(&u)
	return u
}

// newSession is the epoch that begins at start; former is nil for the first.
// grown tells that former goes on in it because it became too long.
func (t *Tracker) newSession(id string, start int64, former *Session, grown bool) *Session {
	s := &Session{ID: id, Identity: id, Epoch: 1, Start: start, Last: start}
	if former != nil {
		s.Epoch = former.Epoch + 1
		s.Identity = id + "#" + strconv.FormatInt(start, 10)
		if grown && strings.HasPrefix(former.Identity+"#", s.Identity+"#") { // twice in one nanosecond
			s.Identity += "#" + strconv.Itoa(int(s.Epoch))
		}
		s.Roots = &Roots{Former: Context{Trace: former.Trace, Span: former.Root}}
		s.said, s.MCPSession = former.said, former.MCPSession
		s.spent = former.spent
		s.client, s.server = former.client, former.server
		s.Inspector, s.Engine, s.ACP = former.Inspector, former.Engine, former.ACP
		s.HostID, s.Derived = former.HostID, former.Derived
		s.reminders, s.logs, s.logLevel = former.reminders, former.logs, former.logLevel
	}
	s.Trace = identity.Trace(t.opt.Namespace, s.Identity)
	s.Root = identity.Span(s.Trace, identity.Session)
	return s
}

// goOn makes s the continuation of former, which grew too long: what is open
// stays open and keeps the IDs it was given.
func (s *Session) goOn(former *Session) {
	s.Title, s.Host = former.Title, former.Host
	s.hostState, s.pending = former.hostState, former.pending
	s.TransportStatus = former.TransportStatus
	s.starts, s.sawStart = former.starts, former.sawStart
	s.calls, s.tokens, s.waits, s.parked = former.calls, former.tokens, former.waits, former.parked
	s.finished, s.traces = former.finished, former.traces
	s.cancelledAt = former.cancelledAt
	s.held, former.held = former.held-int64(len(former.ErrorText)), 0
	former.moved = true
}

// see notes the time of a message.
func (s *Session) see(time, arrival int64) {
	s.Start = min(s.Start, time)
	s.Last = max(s.Last, time)
	s.arrival, s.lapse = arrival, 0
}
