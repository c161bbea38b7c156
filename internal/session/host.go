package session

import (
	"context"
	"strings"
	"time"

	"github.com/cespare/xxhash/v2"

	"github.com/otelcol-mcp/otelcol-mcp/internal/identity"
	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonrpc"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// hostState is what is known of the agent host that a session belongs to.
type hostState struct {
	Phase   *Phase // the one it is in, nil if it told none
	Task    string // what it last said that it works on
	Stalled bool   // its heartbeats stopped, and that was told

	beaten    bool // a heartbeat was seen
	hasTokens bool
	hasTools  bool
	spent     int64    // tokens, the last total
	made      int64    // tool calls, likewise
	agents    []*Agent // open, in order of their start; never changed in place
	spawned   *recents // hashes of the ids of sub-agents
	echoes    *echoes  // of what the host told its servers
	told      *recents // hashes of reminders

	hooks *hookState // nil if no hook told of it
}

// totals are the host's own totals of tokens and tool calls, if it told them.
func (h *hostState) totals(u *Summary) {
	if h.hasTokens {
		u.Tokens = h.spent
	}
	if h.hasTools {
		u.ToolCalls = h.made
	}
}

// isHost tells whether the message is host telemetry.
func isHost(o *Observation, m *jsonrpc.Message) bool {
	if m.Kind == jsonrpc.Request {
		return o.Served && isHeartbeatTool(m)
	}
	return strings.HasPrefix(m.Method, mcpconv.HostPrefix)
}

func isHeartbeatTool(m *jsonrpc.Message) bool {
	return m.Method == mcpconv.MethodToolsCall && mcpconv.HeartbeatTool(m.Params.Name.Str())
}

// routeHost finds the session of host telemetry: the host's own, else that of
// the message, else one that is named after who sends from where.
func (o *Observation) routeHost(m *jsonrpc.Message) {
	switch name := first(m.Params.Meta.Client.Name.Str(), o.Client); {
	case o.Host != "":
		o.Session, o.MCPSession = o.Host, ""
	case o.Session == "" && name != "" && o.Peer != "":
		o.Session, o.Derived = jsonrpc.Cut(name, peerBytes)+"@"+o.Peer, true
	}
}

// hostWindow is how close in time equal messages from one host are one.
const hostWindow = int64(5 * time.Second)

// repeats tells whether the host said the same just before, to another server
// that it is connected to.
func (s *Session) repeats(o *Observation, m *jsonrpc.Message) bool {
	if o.Host == "" {
		return false
	}
	hash := xxhash.Sum64String(m.Method) ^ xxhash.Sum64String(string(m.Params.Raw))
	if s.echoes.near(hash, o.Time) {
		return true
	}
	s.echoes = s.echoes.with(hash, o.Time)
	return false
}

// hostTold takes a notification of an agent host.
func (tx *Tx) hostTold(s *Session, o *Observation, m *jsonrpc.Message) {
	if s.repeats(o, m) {
		tx.note(HostRepeated)
		return
	}
	n := Notice{Name: known(m.Method, tx.t.opt.TextBytes), Message: m, Invalid: invalidNotification(o, m)}
	if m.Method == mcpconv.HostHeartbeat {
		n.Host = &m.Params.Host
		tx.heartbeat(s, o, n)
		return
	}
	var e jsonrpc.HostEvent
	e.DecodeHost(m.Params.Raw)
	n.HostEvent, n.Invalid = &e, first(n.Invalid, invalidHostEvent(m, &e))
	switch m.Method {
	case mcpconv.HostCompacting:
		tx.enterPhase(s, o, mcpconv.PhaseCompacting)
	case mcpconv.HostAgentSpawned:
		if tx.spawned(s, o, &n) {
			return
		}
	case mcpconv.HostAgentCompleted:
		tx.completed(s, o, &n)
		return
	case mcpconv.HostTokenPressure:
		n.Tokens = s.total(&m.Params.Host)
	case mcpconv.HostError:
		n.Outcome = hostError(&e, m.Params.Message.Str())
		s.Summary.Errors++
	}
	tx.notice(s, o, n)
}

// heartbeat takes a sign of life that tells how the host is.
func (tx *Tx) heartbeat(s *Session, o *Observation, n Notice) {
	if s.ended == 0 {
		s.beaten = true
		n.Tokens = s.total(n.Host)
		tx.keepTask(s, n.Host.CurrentTask.Str())
		tx.enterPhase(s, o, n.Host.Phase.Str())
	}
	tx.notice(s, o, n)
}

// total takes the host's totals and is by how much its tokens grew, also beyond
// what it told in the former epoch. A total that falls, after a compaction, spends
// none; one that falls from epoch to epoch is that of a host that began again.
func (s *Session) total(h *jsonrpc.Host) (spent int64) {
	if used, ok := h.TokensUsed.Int(); ok && used >= 0 {
		if spent = max(0, used-s.spent); !s.hasTokens && used < s.spent {
			spent = used
		}
		s.spent, s.hasTokens = used, true
	}
	if calls, ok := h.ToolCallsTotal.Int(); ok && calls >= 0 {
		s.made, s.hasTools = calls, true
	}
	return spent
}

func (tx *Tx) keepTask(s *Session, task string) {
	if !tx.t.opt.KeepPayloads || task == "" {
		return
	}
	if task = jsonrpc.Cut(task, tx.t.opt.TextBytes); task != s.Task {
		s.held += int64(len(task) - len(s.Task))
		s.Task = strings.Clone(task)
	}
}

// toolBeat takes the call of a heartbeat tool, which is a heartbeat of the host
// beside what else it is.
func (tx *Tx) toolBeat(ctx context.Context, o *Observation, m *jsonrpc.Message) error {
	session, mcpSession, derived := o.Session, o.MCPSession, o.Derived
	defer func() { o.Session, o.MCPSession, o.Derived = session, mcpSession, derived }()
	o.routeHost(m)
	s, err := tx.enter(ctx, o, opens)
	if err != nil {
		return err
	}
	tx.backdate(s, o, nil)
	s.learnHost(o)
	tx.announce(s)
	tx.resume(s, o)
	if s.repeats(o, m) {
		tx.note(HostRepeated)
		return nil
	}
	h := jsonrpc.HeartbeatTool(m.Params.Arguments)
	n := Notice{Name: mcpconv.HostHeartbeat, Message: m, Host: &h, Tool: true, Invalid: invalidBeat(&h)}
	tx.heartbeat(s, o, n)
	return nil
}

// learnHost notes that the session is a host's.
func (s *Session) learnHost(o *Observation) {
	s.Host = true
	s.Derived = s.Derived || o.Derived
}

// elapsedMax bounds how far back a host may say that it began.
const elapsedMax = float64(366 * 24 * 60 * 60)

// backdate moves the start of a session to when its host says it began, at the
// first sight of the host.
func (tx *Tx) backdate(s *Session, o *Observation, m *jsonrpc.Message) {
	if s.Host || s.Epoch != 1 || s.ended != 0 || m == nil || m.Method != mcpconv.HostHeartbeat {
		return
	}
	if seconds, ok := m.Params.Host.ElapsedSeconds.Float(); ok && seconds > 0 && seconds < elapsedMax {
		s.Start = max(min(s.Start, o.Time-int64(seconds*float64(time.Second))), 1)
	}
}

// hostRoot is the root of the host's own session, if it is known.
func (tx *Tx) hostRoot(s *Session) Context {
	if s.HostID == "" || s.HostID == s.ID || !tx.knows(s.HostID) {
		return Context{}
	}
	trace := identity.Trace(tx.t.opt.Namespace, s.HostID)
	return Context{Trace: trace, Span: identity.Span(trace, identity.Session)}
}

// knows tells whether there is or was a session of that name.
func (tx *Tx) knows(session string) bool {
	for i := range tx.touched {
		if e := tx.touched[i].entry; e.book == bySession && e.name == session {
			return e.s != nil
		}
	}
	tx.t.mu.Lock()
	defer tx.t.mu.Unlock()
	e := tx.t.books[bySession][session]
	return e != nil && e.life.in != nil
}

// hostError is how a host's error is told.
func hostError(e *jsonrpc.HostEvent, message string) Outcome {
	kind := strings.Clone(jsonrpc.Cut(e.ErrorType.Str(), peerBytes))
	o := Outcome{Failed: true, Code: mcpconv.CodeServerError, Type: first(kind, mcpconv.TypeOther), Message: message}
	if kind == "api_timeout" {
		o.Code = mcpconv.CodeTimeout
	}
	return o
}

// known is the method as a string of our own.
func known(method string, limit int) string {
	if name, ok := mcpconv.Known(method); ok {
		return name
	}
	return strings.Clone(jsonrpc.Cut(method, limit))
}
