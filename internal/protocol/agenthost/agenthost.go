package agenthost

import (
	"cmp"
	"strings"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonscan"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
	"github.com/otelcol-mcp/otelcol-mcp/internal/protocol/jsonrpc"
)

// Decoder turns messages of agent hosts into events. The zero value is ready. It
// is not safe for concurrent use, and an event is valid until the next one.
type Decoder struct {
	heartbeat event.Heartbeat
	reported  event.HostReported
	started   event.AgentStarted
	ended     event.AgentEnded
	spawned   event.HostReport // of started
	completed event.HostReport // of ended
}

// IsNotification reports whether the message is a notification of a host.
func IsNotification(m *jsonrpc.Message) bool {
	return m.Kind == jsonrpc.Notification && strings.HasPrefix(m.Method, mcpconv.HostPrefix)
}

// IsHeartbeatTool reports whether the message calls a heartbeat tool.
func IsHeartbeatTool(m *jsonrpc.Message) bool {
	return m.Kind == jsonrpc.Request && m.Method == mcpconv.MethodToolsCall && mcpconv.HeartbeatTool(m.Params.Name.Str())
}

// nameBytes bounds the name of a host in the name of a session.
const nameBytes = 256

// RouteTool finds the session of a heartbeat that an agent's model sent by calling the
// tool of the MCP server that we are: the agent's own, as Codex names it with each
// call. Claude Code names the call only: which session that belongs to is known where
// the sessions are.
func RouteTool(env *event.Envelope, m *jsonrpc.Message) {
	if thread := m.Params.Meta.Thread.Str(); thread != "" && len(thread) <= idBytes {
		env.Tapped, env.Session = env.Session, thread
		return
	}
	if use := m.Params.Meta.ToolUse.Str(); len(use) <= idBytes {
		env.Use = use
	}
	Route(env, m)
}

// idBytes bounds the ids by which sessions are found.
const idBytes = 1024

// Route finds the session of host telemetry: the host's own, else that of the
// message, else one that is named after the client and its address.
func Route(env *event.Envelope, m *jsonrpc.Message) {
	switch name := cmp.Or(m.Params.Meta.Client.Name.Str(), env.Client); {
	case env.Host != "":
		env.Tapped, env.Session, env.MCPSession = env.Session, env.Host, ""
	case env.Session == "" && name != "" && env.Peer != "":
		env.Session, env.Derived = jsonscan.Cut(name, nameBytes)+"@"+env.Peer, true
	}
}

// Notification is the event of a notification. n is what all notifications have,
// Invalid only what is wrong with the message and the record around it; it is copied.
func (d *Decoder) Notification(n *event.Notice, p *jsonrpc.Params) event.Event {
	switch n.Method {
	case mcpconv.HostHeartbeat:
		return d.notified(n, p)
	case mcpconv.HostAgentSpawned:
		d.started = event.AgentStarted{}
		d.started.Notice = *n
		d.started.Detail = &d.spawned
		report(&d.spawned, &d.started.Notice, p)
		d.started.Agent = d.spawned.Agent
		return &d.started
	case mcpconv.HostAgentCompleted:
		d.ended = event.AgentEnded{}
		d.ended.Notice = *n
		report(&d.completed, &d.ended.Notice, p)
		d.ended.Agent = d.completed.Agent
		return &d.ended
	}
	d.reported.Notice = *n
	d.reported.Detail = &d.reported.Report
	report(&d.reported.Report, &d.reported.Notice, p)
	return &d.reported
}

// notified is the heartbeat that a notification is.
func (d *Decoder) notified(n *event.Notice, p *jsonrpc.Params) *event.Heartbeat {
	h := &d.heartbeat
	h.Notice, h.Status = *n, event.HostStatus{
		Phase: p.Host.Phase, TokensUsed: p.Host.TokensUsed, TokensLimit: p.Host.TokensLimit,
		ToolCallsTotal: p.Host.ToolCallsTotal, ElapsedSeconds: p.Host.ElapsedSeconds, CurrentTask: p.Host.CurrentTask,
	}
	h.Detail = &h.Status
	if h.Invalid == "" {
		h.Invalid = cmp.Or(invalidStatus(&h.Status), p.InvalidParams())
	}
	return h
}

// ToolCall is the heartbeat that a call of a heartbeat tool is. n is what all
// messages have; it is copied. What else is wrong with the call is the call's.
func (d *Decoder) ToolCall(n *event.Notice, arguments jsonscan.Value) *event.Heartbeat {
	h := &d.heartbeat
	h.Notice, h.Status = *n, event.HostStatus{Tool: true}
	jsonrpc.Fill(arguments, func(name string) *jsonscan.Value { return argument(&h.Status, name) })
	h.Name, h.Detail, h.Invalid = mcpconv.HostHeartbeat, &h.Status, invalidStatus(&h.Status)
	return h
}

// argument is where the value of a tool's argument belongs, or nil.
func argument(s *event.HostStatus, name string) *jsonscan.Value {
	switch name {
	case "phase":
		return &s.Phase
	case "tokens_used":
		return &s.TokensUsed
	case "tokens_limit":
		return &s.TokensLimit
	case "tool_calls_total":
		return &s.ToolCallsTotal
	case "elapsed_seconds":
		return &s.ElapsedSeconds
	case "detail":
		return &s.CurrentTask
	case "files_active":
		return &s.FilesActive
	case "subagents":
		return &s.Subagents
	}
	return nil
}
