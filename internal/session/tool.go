package session

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"time"

	"github.com/cespare/xxhash/v2"

	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonrpc"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// ToolStarted takes that a host is about to call a tool; asks tells that the
// tool asks a person something.
func (tx *Tx) ToolStarted(ctx context.Context, o *Observation, h *jsonrpc.Hook, asks bool) error {
	s, err := tx.hooked(ctx, o, h, opens)
	if err != nil {
		return err
	}
	id := toolID(h)
	key := callKey{o.connection(), id, true}
	if open := s.calls[key]; open != nil && open.raw == hashTool(h) || open == nil && s.toolDone(h, key) {
		tx.note(Repeated)
		return nil
	}
	c := tx.newTool(s, o, h, id, o.Time)
	tx.openHooked(s, c)
	if c.SubAgent != "" && !asks {
		return nil
	}
	if c.SubAgent == "" { // the main thread has gone on from what it asked
		s.hooks.asking = slices.DeleteFunc(slices.Clone(s.hooks.asking), func(c *Call) bool { return c.SubAgent == "" })
	}
	switch {
	case asks:
		s.ask(c)
		tx.pause(s, o, mcpconv.PhaseApproval)
	case len(s.hooks.asking) == 0:
		s.hooks.before = ""
		tx.enterPhase(s, o, mcpconv.PhaseWorking)
	}
	return nil
}

// ToolEnded takes that a tool returned, or that it failed.
func (tx *Tx) ToolEnded(ctx context.Context, o *Observation, h *jsonrpc.Hook, outcome Outcome) error {
	s, err := tx.hooked(ctx, o, h, late)
	if err != nil {
		return err
	}
	id := toolID(h)
	key := callKey{o.connection(), id, true}
	c := s.calls[key]
	switch {
	case s.ended != 0 || c == nil && s.toolDone(h, key):
		tx.note(LateReply)
		tx.notify(s, o, h, outcome)
		return nil
	case c == nil: // its start was not seen, or comes behind
		c = tx.newTool(s, o, h, id, max(o.Time-toolTime(h), 1))
		s.Start = min(s.Start, c.Start)
		tx.openHooked(s, c)
	}
	tx.close(s, c, CallEnd{Time: o.Time, Hook: h, Outcome: outcome})
	tx.toolOver(s, o, h, c)
	return nil
}

// ToolDenied takes that the host itself refused to call a tool.
func (tx *Tx) ToolDenied(ctx context.Context, o *Observation, h *jsonrpc.Hook) error {
	s, err := tx.hooked(ctx, o, h, late)
	if err != nil {
		return err
	}
	denied := Outcome{Failed: true, Code: mcpconv.CodeCancelled, Type: mcpconv.TypeCancelled, Message: h.Reason.Str()}
	tx.notify(s, o, h, Outcome{})
	if c := s.calls[callKey{o.connection(), toolID(h), true}]; c != nil && c.Hook {
		tx.close(s, c, CallEnd{Time: o.Time, Hook: h, Outcome: denied})
		tx.toolOver(s, o, h, c)
	}
	return nil
}

// toolOver finds out what the host does now. When a person allowed the tool is
// not told, but how long it then took.
func (tx *Tx) toolOver(s *Session, o *Observation, h *jsonrpc.Hook, c *Call) {
	if s.in(mcpconv.PhaseApproval) && len(s.hooks.asking) == 0 {
		then := *o
		then.Time = max(o.Time-toolTime(h), s.Phase.Start)
		tx.leavePause(s, &then)
	}
	if c.SubAgent == "" && !s.in(mcpconv.PhaseApproval) && !s.in(mcpconv.PhaseWorking) {
		s.hooks.before = ""
		tx.enterPhase(s, o, mcpconv.PhaseWorking)
	}
}

// ToolFailure is how a tool failed.
func ToolFailure(text string, interrupted bool) Outcome {
	if interrupted {
		return Outcome{Failed: true, Code: mcpconv.CodeCancelled, Type: mcpconv.TypeCancelled, Message: text}
	}
	return toolError(text)
}

// toolID is the call's id, JSON: the one that it was given, else one made of
// what is called how.
func toolID(h *jsonrpc.Hook) string {
	if h.ToolID.IsString() && h.ToolID != `""` {
		return string(h.ToolID)
	}
	sum := sha256.Sum256([]byte(string(h.Tool) + "\x00" + string(h.Input)))
	return madeID + hex.EncodeToString(sum[:16]) + `"`
}

// madeID begins ids of calls that were given none.
const madeID = `"#`

// ToolID is the id that the host gave the call of a tool, "" if none.
func (c *Call) ToolID() string {
	if !c.Hook || strings.HasPrefix(c.ID, madeID) {
		return ""
	}
	return jsonrpc.Value(c.ID).Str()
}

// toolDone tells whether a call with that id, which it was given, was open once.
func (s *Session) toolDone(h *jsonrpc.Hook, key callKey) bool {
	hash := key.hash()
	return string(h.ToolID) == key.id && slices.ContainsFunc(s.used.Ring, func(id usedID) bool { return id.Hash == hash })
}

// toolTime is for how long the tool ran, in ns; 0 if that is not told.
func toolTime(h *jsonrpc.Hook) int64 {
	ms, ok := h.Duration.Float()
	if !ok || ms < 0 || ms > elapsedMax*1e3 {
		return 0
	}
	return int64(ms * float64(time.Millisecond))
}

func hashTool(h *jsonrpc.Hook) uint64 {
	return xxhash.Sum64String(string(h.Tool)) ^ xxhash.Sum64String(string(h.Input))
}

// newTool is the call of a tool; its span ID is still missing.
func (tx *Tx) newTool(s *Session, o *Observation, h *jsonrpc.Hook, id string, start int64) *Call {
	m := &jsonrpc.Message{Kind: jsonrpc.Request, Method: mcpconv.MethodToolsCall, ID: jsonrpc.Value(id), Version: "2.0"}
	m.Params.Name, m.Params.Arguments = h.Tool, h.Input
	c := tx.newCall(s, o, m)
	c.Hook, c.Start, c.legStart, c.raw, c.Envelope, c.dropped = true, start, start, hashTool(h), "", false
	c.Server = strings.Clone(jsonrpc.Cut(serverOf(h), peerBytes))
	c.SubAgent = strings.Clone(jsonrpc.Cut(h.AgentID.Str(), tx.t.opt.TextBytes))
	c.bytes += int64(len(c.Server) + len(c.SubAgent))
	if a := s.agent(c.SubAgent); a != nil && c.SubAgent != "" {
		c.Trace, c.Parent = a.Trace, a.Span
	}
	return c
}

// serverOf is the MCP server that the tool is of, "" if it is none's: tools of
// servers are named mcp__{server}__{tool}.
func serverOf(h *jsonrpc.Hook) string {
	if name := h.Server.Str(); name != "" {
		return name
	}
	rest, ok := strings.CutPrefix(h.Tool.Str(), "mcp__")
	server, _, is := strings.Cut(rest, "__")
	if !ok || !is {
		return ""
	}
	return server
}

// openHooked tells of a call.
func (tx *Tx) openHooked(s *Session, c *Call) {
	if old := s.calls[c.key()]; old != nil {
		tx.note(ReusedID)
		tx.close(s, old, CallEnd{Time: c.Start, Incomplete: true})
	}
	tx.admit(s, c)
}

// ask notes that a person is asked for a call; of very many at once only some
// are kept.
func (s *Session) ask(c *Call) {
	if len(s.hooks.asking) < among {
		s.hooks.asking = append(slices.Clip(s.hooks.asking), c)
	}
}

// unask notes that nobody is asked for a call any more.
func (s *Session) unask(c *Call) {
	if s.hooks == nil || !slices.Contains(s.hooks.asking, c) {
		return
	}
	state := *s.hooks
	state.asking = slices.DeleteFunc(slices.Clone(state.asking), func(other *Call) bool { return other == c })
	s.hooks = &state
}

// closeHooked ends the tool calls of one agent, "" the main thread, of whose end
// no hook told: a person said no, or interrupted.
func (tx *Tx) closeHooked(s *Session, o *Observation, agent string) {
	var over []*Call
	for _, c := range s.calls {
		if c.Hook && c.SubAgent == agent {
			over = append(over, c)
		}
	}
	slices.SortFunc(over, inOrder)
	for _, c := range over {
		tx.close(s, c, CallEnd{Time: o.Time, Incomplete: true})
	}
}

// askedFor is the open call for which a person is asked: the question has no id.
func (s *Session) askedFor(h *jsonrpc.Hook) *Call {
	if h.Tool == "" || len(s.calls) > among {
		return nil
	}
	agent, hash := h.AgentID.Str(), hashTool(h)
	for _, c := range s.openCalls() {
		if c.Hook && c.raw == hash && c.SubAgent == agent && !slices.Contains(s.hooks.asking, c) {
			return c
		}
	}
	return nil
}

// toolWaits tells whether there is a reason why a tool does not return: a person
// is asked, or a sub-agent is at work.
func (tx *Tx) toolWaits(s *Session, c *Call) bool {
	if s.hooks == nil {
		return false
	}
	if slices.Contains(s.hooks.asking, c) || s.in(mcpconv.PhaseApproval) && len(s.hooks.asking) == 0 {
		return true
	}
	return len(s.agents) > 0 && tx.now-s.arrival < int64(tx.t.opt.StuckAfter)
}
