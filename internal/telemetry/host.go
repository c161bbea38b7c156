package telemetry

import (
	"strings"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonscan"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session"
)

// writeHostStatus writes what an agent host's heartbeat reports. Numbers are
// totals: they are written as they are.
func writeHostStatus(a *attrs, h *event.HostStatus) {
	if h.Tool {
		a.str(mcpconv.HostSource, "tool")
	}
	a.str(mcpconv.HostPhase, phaseName(h.Phase.Str(), a.opt.TextBytes))
	writeTokens(a, h.TokensUsed, h.TokensLimit)
	a.jsonInt(mcpconv.HostToolCalls, h.ToolCallsTotal)
	a.jsonFloat(mcpconv.HostElapsed, h.ElapsedSeconds)
	if a.opt.Payloads {
		a.textCopy(mcpconv.HostTask, h.CurrentTask.Str())
		a.jsonStrings(mcpconv.HostFiles, h.FilesActive)
	}
	a.jsonInt(mcpconv.HostSubagents, h.Subagents)
}

// writeTokens writes how much of a context window is in use; the percentage only
// if both numbers are known.
func writeTokens(a *attrs, used, limit event.JSON) {
	u, hasUsed := used.Int()
	l, hasLimit := limit.Int()
	if hasUsed {
		a.int(mcpconv.HostTokensUsed, u)
	}
	if hasLimit {
		a.int(mcpconv.HostTokensLimit, l)
	}
	if hasUsed && hasLimit && l > 0 {
		a.float(mcpconv.HostTokensShare, 100*float64(u)/float64(l))
	}
}

// phaseName spares the copies of the phases that the specification names.
func phaseName(name string, limit int) string {
	if known, ok := mcpconv.Phase(name); ok {
		return known
	}
	return strings.Clone(jsonscan.Cut(name, limit))
}

// writeHostReport writes what the rarer notifications of hosts report, and the
// body of the log record of an error.
func writeHostReport(a *attrs, n *session.Notice, r *event.HostReport, v *view) {
	switch r.Kind {
	case event.CompactionReport:
		a.jsonInt(mcpconv.HostTokensBefore, r.TokensBefore)
		a.jsonInt(mcpconv.HostTokensAfter, r.TokensAfter)
		a.jsonInt(mcpconv.HostDropped, r.MessagesDropped)
		a.textCopy(mcpconv.HostReason, r.Reason.Str())
	case event.PressureReport:
		a.jsonInt(mcpconv.HostTokensUsed, r.TokensUsed)
		a.jsonInt(mcpconv.HostTokensLimit, r.TokensLimit)
		a.jsonFloat(mcpconv.HostTokensShare, r.Percent)
		a.textCopy(mcpconv.HostThreshold, r.Threshold.Text())
	case event.ErrorReport:
		a.textCopy(mcpconv.HostErrorType, r.ErrorType.Str())
		a.jsonBool(mcpconv.HostRetrying, r.Retrying)
		a.jsonInt(mcpconv.HostRetryCount, r.RetryCount)
		v.body = n.Outcome.Message
	case event.SpawnReport: // of a sub-agent without an id
		a.textCopy(mcpconv.AgentName, r.Agent.Type.Str())
		a.payloadText(mcpconv.AgentTask, r.Agent.Task.Str())
		a.textCopy(mcpconv.AgentModel, r.Agent.Model.Str())
	}
}
