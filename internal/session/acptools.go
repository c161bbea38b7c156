package session

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/cespare/xxhash/v2"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonscan"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session/store"
)

// toolUpdated opens, changes or ends a tool call of an ACP agent; it is false if
// it cannot be told from others.
func (tx *acpTools) toolUpdated(s *store.Session, env *event.Envelope, u *event.ToolUpdated) bool {
	id := u.Call.Str()
	if id == "" || len(id) > idBytes || s.Connection || !s.Open() {
		return false
	}
	c := parkedBy(s, store.ParkedTool, "", id, false)
	if c == nil {
		if s.Finished.Find(xxhash.Sum64String(id)) != 0 {
			tx.store.Count(LateReply)
			return true
		}
		c = tx.openTool(s, env, u, strings.Clone(id))
	} else {
		tx.changeTool(c, u)
		tx.stalls.noteProgress(c, env.Time)
	}
	switch u.Status.Str() {
	case "completed":
		tx.finishTool(s, c, CallEnd{Time: env.Time})
	case "failed":
		tx.finishTool(s, c, CallEnd{Time: env.Time, Outcome: Outcome{
			Failed: true, Code: mcpconv.CodeServerError, Type: mcpconv.TypeToolError, Message: u.Failed,
		}})
	}
	return true
}

// OutputMax limits the bytes of an agent's text on one prompt's span. A call keeps a
// character more, by which it is known that some were left out.
const OutputMax = 30 << 10

// streamed adds text to what the agent says in answer to the open prompt.
func (tx *acpTools) streamed(s *store.Session, text event.JSON) {
	if text == "" || !tx.opt.KeepPayloads {
		return
	}
	c := prompt(s)
	if c == nil || len(c.Output) > OutputMax {
		return
	}
	tx.store.Edit(c)
	before := c.ToolBytes()
	c.Output = jsonscan.Cut(c.Output+text.Str(), OutputMax+utf8.UTFMax)
	tx.store.Grow(c, c.ToolBytes()-before)
}

func (tx *acpTools) openTool(s *store.Session, env *event.Envelope, u *event.ToolUpdated, id string) *store.Call {
	c := tx.store.NewCall(s)
	c.Kind, c.Source, c.Method = event.ToolCall, event.ACPUpdate, mcpconv.MethodSessionUpdate
	c.Key = store.CallKey{Connection: intern(s, env.Scope()), ID: strings.Clone(string(u.Call))}
	c.ToolID, c.Start, c.RoundStart = id, env.Time, env.Time
	c.Arrival, c.ProgressArrival, c.LastProgress = env.Arrival, env.Arrival, env.Time
	c.Sender = intern(s, senderOf(s, env, false))
	c.Client, c.Server = intern(s, env.Client), intern(s, env.Server)
	c.Transport, c.Version, c.Link = internTransport(env.Transport), internVersion(u.Version), env.Push
	c.Busy, c.Parked = s.HostID, store.ParkKey{Kind: store.ParkedTool, ID: id}
	tx.calls.place(s, c, tx.context(env, u.Trace), "")
	tx.fillTool(c, u)
	c.Bytes = c.RequestBytes()
	tx.calls.open(s, c)
	return c
}

// changeTool takes over what an update reports.
func (tx *acpTools) changeTool(c *store.Call, u *event.ToolUpdated) {
	tx.store.Edit(c)
	before := c.ToolBytes()
	tx.fillTool(c, u)
	tx.store.Grow(c, c.ToolBytes()-before)
}

func (tx *acpTools) fillTool(c *store.Call, u *event.ToolUpdated) {
	switch {
	case u.Name.Str() != "":
		c.Target = tx.shortText(u.Name.Str())
	case c.Target == "" && tx.opt.KeepPayloads:
		c.Target = tx.shortText(u.Title.Str())
	case c.Target == "":
		c.Target = tx.shortText(u.Kind.Str())
	}
	if kind := u.Kind.Str(); kind != "" {
		c.ToolKind = tx.text(kind)
	}
	if status := u.Status.Str(); status != "" {
		c.ToolStatus = toolStatus(status)
	}
	if !tx.opt.KeepPayloads {
		return
	}
	if title := u.Title.Str(); title != "" {
		c.Text = strings.Clone(title)
	}
	if u.Input != "" {
		c.Input = strings.Clone(string(u.Input))
	}
	if u.Output != "" {
		c.Output = strings.Clone(string(u.Output))
	}
}

var toolStatuses = []string{"pending", "in_progress", "completed", "failed"}

// toolStatus is the status of a tool call, if the protocol names it.
func toolStatus(name string) string {
	if i := slices.Index(toolStatuses, name); i >= 0 {
		return toolStatuses[i]
	}
	return ""
}

// finishTool ends a tool call, after which updates of it change nothing.
func (tx *acpTools) finishTool(s *store.Session, c *store.Call, end CallEnd) {
	s.Finished = s.Finished.With(xxhash.Sum64String(c.ToolID), max(end.Time, 1))
	tx.calls.close(s, c, end)
}

// closeTools ends the tool calls of a prompt that ends.
func (tx *acpTools) closeTools(s *store.Session, prompt *store.Call, at int64) {
	if prompt.Kind != event.AgentPrompt {
		return
	}
	for _, c := range s.CallsInOrder() {
		if c.ToolID != "" && c.Parent == prompt.Span {
			tx.finishTool(s, c, CallEnd{Time: at, Incomplete: true})
		}
	}
}
