package session

import (
	"cmp"
	"strings"
	"time"

	"github.com/cespare/xxhash/v2"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonscan"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session/store"
)

// begun takes the beginning of a call that telemetry reported before the hook did, which
// knows its input.
func (tx *agentTools) begun(c *store.Call, e *event.ToolStarted, f *deed) {
	tx.learnID(c, f)
	tx.store.Edit(c)
	c.RoundHash = hashTool(e.Use.Tool, e.Use.Input)
	if tx.opt.KeepPayloads && c.Input == "" {
		c.Input = strings.Clone(string(e.Use.Input))
		tx.store.Grow(c, int64(len(c.Input)))
	}
	tx.joins.reported(c, e.Source, tx.report(&e.Use))
}

// learnID keeps the id of a call that was found without it.
func (tx *agentTools) learnID(c *store.Call, f *deed) {
	if f.loose() || !strings.HasPrefix(c.Key.ID, store.GeneratedID) || c.Use != "" {
		return
	}
	tx.store.Edit(c)
	c.Use = strings.Clone(f.Key.ID)
	tx.store.Grow(c, int64(len(c.Use)))
}

// named takes which tool of which MCP server an open call is of, where its agent
// reports that apart from the call.
func (tx *agentTools) named(e *event.ToolNamed, about subject) {
	c := about.call
	if c == nil || c.Over() || c.Server != "" {
		return
	}
	tx.store.Edit(c)
	c.Server = strings.Clone(jsonscan.Cut(e.Use.Server, peerBytes))
	tx.store.Grow(c, int64(len(c.Server)))
	tx.joins.reported(c, e.Source, store.Report{Name: tx.text(e.Use.Name)})
}

// toolTime is for how long the tool ran, in ns; 0 if that is not reported.
func toolTime(u *event.ToolUse) int64 {
	ms, ok := u.Duration.Float()
	if !ok || ms < 0 || ms > elapsedMax*1e3 {
		return 0
	}
	return int64(ms * float64(time.Millisecond))
}

func hashTool(tool, input event.JSON) uint64 {
	return xxhash.Sum64String(string(tool)) ^ xxhash.Sum64String(string(input))
}

// expectHeartbeat lets the session be found by the id of a call of the heartbeat tool:
// the heartbeat that it brings us names nothing else.
func (tx *agentTools) expectHeartbeat(s *store.Session, u *event.ToolUse, f *deed) {
	id, tool := u.ID.Str(), u.Tool.Str()
	name := cmp.Or(u.Name, tool[strings.LastIndex(tool, "__")+1:])
	if id == "" || len(id) > idBytes || !mcpconv.HeartbeatTool(strings.TrimPrefix(name, "_")) || !s.Open() {
		return
	}
	if !hadAgent(s, id) {
		tx.include(s, id, f.Start)
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
