package session

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"time"

	"github.com/cespare/xxhash/v2"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonscan"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session/activity"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session/emit"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session/state"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session/table"
)

// toolStarted takes that an agent is about to call a tool.
func (tx tools) toolStarted(s *table.Session, env *event.Envelope, e *event.ToolStarted) {
	key := toolKey(env, &e.Use)
	if open := s.Calls[key]; open != nil && open.RoundHash == hashTool(e.Use.Tool, e.Use.Input) || open == nil && toolDone(s, &e.Use, key) {
		tx.Count(emit.Repeated)
		return
	}
	c := tx.newTool(s, env, &e.Use, key, env.Time)
	tx.openAgentTool(s, c)
	if c.SubAgent != "" && !e.Asks {
		return
	}
	if c.SubAgent == "" { // the main thread has gone on from what it asked
		s.Agent.Asking = slices.DeleteFunc(slices.Clone(s.Agent.Asking), func(key state.CallKey) bool {
			return s.Calls[key] == nil || s.Calls[key].SubAgent == ""
		})
	}
	switch {
	case e.Asks:
		ask(s, c)
		tx.agents().pause(s, env.Time, mcpconv.PhaseApproval)
	case len(s.Agent.Asking) == 0:
		s.Agent.Before = ""
		tx.EnterPhase(s, env.Time, mcpconv.PhaseWorking)
	}
}

// toolEnded takes that a tool returned, or that it failed.
func (tx tools) toolEnded(s *table.Session, env *event.Envelope, e *event.ToolEnded) {
	outcome := emit.Outcome{}
	if e.Failed {
		outcome = activity.ToolFailure(e.Text, e.Interrupted)
	}
	key := toolKey(env, &e.Use)
	c := s.Calls[key]
	switch {
	case !s.Open() || c == nil && toolDone(s, &e.Use, key):
		tx.Count(emit.LateReply)
		tx.agents().note(s, env, &e.Activity, outcome)
		return
	case c == nil: // its start was not seen, or comes behind
		c = tx.newTool(s, env, &e.Use, key, max(env.Time-toolTime(&e.Use), 1))
		s.Start = min(s.Start, c.Start)
		tx.openAgentTool(s, c)
	}
	tx.CloseCall(s, c, emit.CallEnd{Time: env.Time, Use: &e.Use, Outcome: outcome})
	tx.toolOver(s, env.Time, &e.Use, c)
}

// toolDenied takes that the agent itself refused to call a tool.
func (tx tools) toolDenied(s *table.Session, env *event.Envelope, e *event.ToolDenied) {
	tx.agents().note(s, env, &e.Activity, emit.Outcome{})
	if c := s.Calls[toolKey(env, &e.Use)]; c != nil && c.Source == event.Hook {
		tx.CloseCall(s, c, emit.CallEnd{Time: env.Time, Use: &e.Use, Outcome: activity.Refused(e.Reason)})
		tx.toolOver(s, env.Time, &e.Use, c)
	}
}

// toolOver finds out what the agent does now. When a person allowed the tool is
// not reported, but how long it then took.
func (tx tools) toolOver(s *table.Session, at int64, u *event.ToolUse, c *table.Call) {
	if s.Waiting() && len(s.Agent.Asking) == 0 {
		tx.agents().leavePause(s, max(at-toolTime(u), s.Phase.Start))
	}
	if c.SubAgent == "" && !s.Waiting() && !s.In(mcpconv.PhaseWorking) {
		s.Agent.Before = ""
		tx.EnterPhase(s, at, mcpconv.PhaseWorking)
	}
}

// toolKey finds the call: by the id that it was given, else by one made of what
// is called how.
func toolKey(env *event.Envelope, u *event.ToolUse) state.CallKey {
	id := string(u.ID)
	if id == "" {
		sum := sha256.Sum256([]byte(string(u.Tool) + "\x00" + string(u.Input)))
		id = state.GeneratedID + hex.EncodeToString(sum[:16]) + `"`
	}
	return state.CallKey{Connection: env.Scope(), ID: id, FromClient: true}
}

// toolDone reports whether a call with that id, which it was given, has ended.
func toolDone(s *table.Session, u *event.ToolUse, key state.CallKey) bool {
	return u.ID != "" && s.Finished.Find(activity.HashKey(key)) != 0
}

// toolTime is for how long the tool ran, in ns; 0 if that is not reported.
func toolTime(u *event.ToolUse) int64 {
	ms, ok := u.Duration.Float()
	if !ok || ms < 0 || ms > activity.ElapsedMax*1e3 {
		return 0
	}
	return int64(ms * float64(time.Millisecond))
}

func hashTool(tool, input event.JSON) uint64 {
	return xxhash.Sum64String(string(tool)) ^ xxhash.Sum64String(string(input))
}

// newTool is the call of a tool; its span ID is still missing.
func (tx tools) newTool(s *table.Session, env *event.Envelope, u *event.ToolUse, key state.CallKey, start int64) *table.Call {
	c := tx.NewCall(s)
	c.Kind, c.Source, c.Method, c.Version = event.ToolCall, event.Hook, mcpconv.MethodToolsCall, "2.0"
	c.Key = state.CallKey{Connection: activity.Own(s, key.Connection), ID: strings.Clone(key.ID), FromClient: true}
	c.Start, c.RoundStart, c.RoundHash = start, start, hashTool(u.Tool, u.Input)
	c.Arrival, c.Moved, c.LastProgress = env.Arrival, env.Arrival, env.Time
	c.Link, c.Invalid = env.Push, strings.Clone(invalidTool(env, u))
	c.Sender, c.Client = activity.Own(s, activity.Sender(s, env, true)), activity.Own(s, env.Client)
	c.Server = strings.Clone(jsonscan.Cut(u.Server, activity.PeerBytes))
	c.SubAgent = tx.Text(u.SubAgent.Str())
	c.Busy = s.HostID
	tx.Count(c.Invalid)
	c.Target = tx.Text(u.Tool.Str())
	if tx.Options.KeepPayloads {
		c.Input = strings.Clone(string(u.Input))
	}
	tx.PlaceCall(s, c, tx.Context(env, event.TraceMeta{}), "")
	if a := activity.OpenAgent(s, c.SubAgent); a != nil && c.SubAgent != "" {
		c.Trace, c.Parent = a.Trace, a.Span
	}
	c.Bytes = c.Call.Bytes()
	return c
}

func invalidTool(env *event.Envelope, u *event.ToolUse) string {
	switch {
	case env.Invalid != "":
		return env.Invalid
	case u.Tool.Str() == "":
		return "name is missing"
	}
	return ""
}

// openAgentTool reports a call.
func (tx tools) openAgentTool(s *table.Session, c *table.Call) {
	if old := s.Calls[c.OpenKey()]; old != nil {
		tx.Count(emit.ReusedID)
		tx.CloseCall(s, old, emit.CallEnd{Time: c.Start, Incomplete: true})
	}
	tx.OpenCall(s, c)
}

// ask notes that a person is asked for a call; of very many at once only some
// are kept.
func ask(s *table.Session, c *table.Call) {
	if len(s.Agent.Asking) < table.NestedMax {
		s.Agent.Asking = s.Agent.Asking.With(c.OpenKey())
	}
}

// closeToolsOf ends the tool calls of one agent, "" the main thread, whose end no
// hook reported: a person said no, or interrupted.
func (tx tools) closeToolsOf(s *table.Session, at int64, agent string) {
	var over []*table.Call
	for _, c := range s.Calls {
		if c.Source == event.Hook && c.SubAgent == agent {
			over = append(over, c)
		}
	}
	slices.SortFunc(over, table.InOrder)
	for _, c := range over {
		tx.CloseCall(s, c, emit.CallEnd{Time: at, Incomplete: true})
	}
}

// askedFor is the open call for which a person is asked: the question has no id.
func askedFor(s *table.Session, e *event.ApprovalRequested) *table.Call {
	if e.Tool == "" || len(s.Calls) > table.NestedMax {
		return nil
	}
	agent, hash := e.SubAgent.Str(), hashTool(e.Tool, e.Input)
	for _, c := range s.CallsInOrder() {
		if c.Source == event.Hook && c.RoundHash == hash && c.SubAgent == agent && !slices.Contains(s.Agent.Asking, c.OpenKey()) {
			return c
		}
	}
	return nil
}
