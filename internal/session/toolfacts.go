package session

import (
	"cmp"
	"strings"
	"time"

	"github.com/cespare/xxhash/v2"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonscan"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session/facts"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session/store"
)

// allowed is the open call that telemetry reported before the hook did, nil if there is
// none. The hook knows its input.
func (tx *agentTools) allowed(s *store.Session, e *event.ToolStarted, f *facts.Fact) *store.Call {
	c := s.Calls[f.Key]
	if c == nil || f.Loose() || !c.OfAgent() || c.Over() || c.Sources().Has(store.FromHooks) {
		return nil
	}
	tx.store.Edit(c)
	c.RoundHash, c.InputSum = hashTool(e.Use.Tool, e.Use.Input), f.Sum
	if tx.opt.KeepPayloads && c.Input == "" {
		c.Input = strings.Clone(string(e.Use.Input))
		tx.store.Grow(c, int64(len(c.Input)))
	}
	tx.joins.reported(c, e.Source, tx.report(&e.Use))
	return c
}

// learnID keeps the id of a call that was found without it.
func (tx *agentTools) learnID(c *store.Call, f *facts.Fact) {
	if f.Loose() || !strings.HasPrefix(c.Key.ID, store.GeneratedID) || c.Use != "" {
		return
	}
	tx.store.Edit(c)
	c.Use = strings.Clone(f.Key.ID)
	tx.store.Grow(c, int64(len(c.Use)))
}

// named takes which tool of which MCP server an open call is of, where its agent
// reports that apart from the call.
func (tx *agentTools) named(s *store.Session, env *event.Envelope, e *event.ToolNamed) {
	c := s.Calls[toolKey(env, &e.Use)]
	if c == nil || c.Over() || c.Server != "" {
		return
	}
	tx.store.Edit(c)
	c.Server = strings.Clone(jsonscan.Cut(e.Use.Server, peerBytes))
	tx.store.Grow(c, int64(len(c.Server)))
	tx.joins.reported(c, e.Source, store.Report{Name: tx.text(e.Use.Name)})
}

// toolDone reports whether the call, whose agent gave it an id, has ended.
func toolDone(s *store.Session, f *facts.Fact) bool {
	return !f.Loose() && facts.Left(s, f) >= 0
}

// toolRepeated reports whether the start of the call was reported before. A call
// without an id that is made again once the former has ended is another one.
func toolRepeated(s *store.Session, u *event.ToolUse, f *facts.Fact) bool {
	open := s.Calls[f.Key]
	switch {
	case open == nil:
		return toolDone(s, f)
	case open.Over() && f.Loose():
		return f.Start <= open.Report.End
	}
	return open.RoundHash == hashTool(u.Tool, u.Input)
}

// toolTime is for how long the tool ran, in ns; 0 if that is not reported.
func toolTime(u *event.ToolUse) int64 {
	ms, ok := u.Duration.Float()
	if !ok || ms < 0 || ms > elapsedMax*1e3 {
		return 0
	}
	return int64(ms * float64(time.Millisecond))
}

// sumInput is a hash of the input, 0 if that is not reported.
func sumInput(u *event.ToolUse) uint64 {
	if u.Input == "" {
		return 0
	}
	return xxhash.Sum64String(string(u.Input))
}

func hashTool(tool, input event.JSON) uint64 {
	return xxhash.Sum64String(string(tool)) ^ xxhash.Sum64String(string(input))
}

// expectHeartbeat lets the session be found by the id of a call of the heartbeat tool:
// the heartbeat that it brings us names nothing else.
func (tx *agentTools) expectHeartbeat(s *store.Session, u *event.ToolUse, f *facts.Fact) {
	id, tool := u.ID.Str(), u.Tool.Str()
	name := cmp.Or(u.Name, tool[strings.LastIndex(tool, "__")+1:])
	if id == "" || len(id) > idBytes || !mcpconv.HeartbeatTool(strings.TrimPrefix(name, "_")) || !s.Open() {
		return
	}
	if hash := xxhash.Sum64String(id); s.Spawned.Find(hash) == 0 {
		s.Spawned = s.Spawned.With(hash, f.Start)
		tx.store.Adopt(id, s.ID)
	}
}

// refusal is the report of a tool that was not allowed.
func (tx *agentTools) refusal(env *event.Envelope, e *event.ToolDenied) store.Report {
	r := tx.report(&e.Use)
	r.Over, r.Failed, r.Refused, r.End = true, true, true, cmp.Or(e.Use.End, env.Time)
	r.Code, r.Type, r.Decision = mcpconv.CodeCancelled, mcpconv.TypeCancelled, cmp.Or(r.Decision, "reject")
	r.OutSize, r.Duration = 0, ""
	if tx.opt.KeepPayloads {
		r.Text = strings.Clone(e.Reason)
	}
	return r
}
