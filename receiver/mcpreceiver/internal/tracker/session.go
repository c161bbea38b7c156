package tracker

import (
	"strconv"
	"strings"

	"github.com/otelcol-mcp/otelcol-mcp/internal/identity"
)

// Session is one epoch of a session, or, with Connection set, what is known of
// a connection that has none. The Sink may read it during the call only.
type Session struct {
	ID         string // as the sender calls it, in all epochs
	Identity   string // what the IDs are derived from
	Connection bool   // no session: no root, no trace of its own
	Epoch      int    // from 1
	Trace      identity.TraceID
	Root       identity.SpanID
	Former     Context // the root of the former epoch

	Start int64
	Last  int64 // time of the last message

	MCPSession string // a real Mcp-Session-Id
	Client     Peer
	Server     Peer
	client     string // as records call them
	server     string
	Protocol   string // negotiated version
	HostID     string // the agent host's process
	ACP, Host  bool   // agent client protocol, host telemetry was seen
	Derived    bool   // named after who sent it
	hostState

	File      Context // the root that the session's trace has in a file
	Inspector bool    // Inspector events were seen
	Engine    string
	Title     string

	Failed    bool // ended badly
	Cancelled bool
	ErrorText string
	Exit      *int64

	TransportStatus string
	Reconnects      int64

	Invalid string // what was wrong with the messages that opened and ended it

	Summary Summary

	held        int64 // bytes of payload kept
	spans       int
	started     [2]uint64 // hashes of the last starts
	starts      int       // Inspector starts that no finish has met
	sawStart    bool
	arrival     int64 // of the last message
	ended       int64 // arrival time of the end, 0 while open
	announced   bool
	moved       bool // what is open went on into the next epoch
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

	reminders Known // whether the server declared that it sends them
	logs      Known // whether log messages were declared
	logLevel  uint8 // agreed on, of Levels, 0 if none was
	pending   []pending
	flood     flood
}

// Names are who takes part, as records call them, else as they call themselves.
func (s *Session) Names() (client, server string) {
	return first(s.client, s.Client.Name), first(s.server, s.Server.Name)
}

// Peers are who takes part, as they call themselves, else as records call them.
func (s *Session) Peers() (client, server string) {
	return first(s.Client.Name, s.client), first(s.Server.Name, s.server)
}

// Peer is a client's or server's own word on itself.
type Peer struct {
	Name    string
	Version string
}

// Summary counts what a session did.
type Summary struct {
	LLMCalls, Tokens, ToolCalls, Resources, Prompts, Agents, Notices, Errors int64
	WaitingNs                                                                int64
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
	Call    *Call // that waits, nil if it is the session
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
			s.Identity += "#" + strconv.Itoa(s.Epoch)
		}
		s.Former = Context{Trace: former.Trace, Span: former.Root}
		s.Client, s.Server, s.Protocol, s.MCPSession = former.Client, former.Server, former.Protocol, former.MCPSession
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
	s.arrival = arrival
}
