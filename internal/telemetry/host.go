package telemetry

import (
	"strings"

	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonrpc"
	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonscan"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session"
)

// heartbeat writes what an agent host tells of itself. The numbers are totals:
// they are written as they are.
func (b *Batch) heartbeat(h *jsonrpc.Host, tool bool) {
	a := &b.attrs
	if tool {
		a.str(mcpconv.HostSource, "tool")
	}
	a.str(mcpconv.HostPhase, phase(h.Phase.Str(), b.opt.TextBytes))
	a.tokens(h.TokensUsed, h.TokensLimit)
	if total, ok := h.ToolCallsTotal.Int(); ok {
		a.int(mcpconv.HostToolCalls, total)
	}
	if seconds, ok := h.ElapsedSeconds.Float(); ok {
		a.float(mcpconv.HostElapsed, seconds)
	}
	if b.opt.Payloads {
		a.str(mcpconv.HostTask, a.text(h.CurrentTask.Str()))
		a.strings(mcpconv.HostFiles, h.FilesActive)
	}
	a.number(mcpconv.HostSubagents, h.Subagents)
}

// hostEvent writes what the rarer notifications of hosts tell.
func (b *Batch) hostEvent(n *session.Notice) {
	a, e, p := &b.attrs, n.HostEvent, &n.Message.Params
	switch n.Message.Method {
	case mcpconv.HostCompacting:
		a.number(mcpconv.HostTokensBefore, e.TokensBefore)
		a.number(mcpconv.HostTokensAfter, e.TokensAfter)
		a.number(mcpconv.HostDropped, e.MessagesDropped)
		a.str(mcpconv.HostReason, a.text(p.Reason.Str()))
	case mcpconv.HostTokenPressure:
		a.number(mcpconv.HostTokensUsed, p.Host.TokensUsed)
		a.number(mcpconv.HostTokensLimit, p.Host.TokensLimit)
		a.double(mcpconv.HostTokensShare, e.Percent)
		a.str(mcpconv.HostThreshold, a.text(e.Threshold.Text()))
	case mcpconv.HostError:
		a.str(mcpconv.HostErrorType, a.text(e.ErrorType.Str()))
		a.boolean(mcpconv.HostRetrying, e.Retrying)
		a.number(mcpconv.HostRetryCount, e.RetryCount)
	case mcpconv.HostAgentSpawned: // one without an id
		a.str(mcpconv.AgentName, a.text(e.AgentType.Str()))
		a.payload(mcpconv.AgentTask, a.text(e.Task.Str()))
		a.str(mcpconv.AgentModel, a.text(e.Model.Str()))
	}
}

// phase spares the copies of the phases that the specification names.
func phase(name string, limit int) string {
	if known, ok := mcpconv.Phase(name); ok {
		return known
	}
	return strings.Clone(jsonscan.Cut(name, limit))
}
