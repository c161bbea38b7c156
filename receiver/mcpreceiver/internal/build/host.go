package build

import (
	"strings"

	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonscan"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
	"github.com/otelcol-mcp/otelcol-mcp/receiver/mcpreceiver/internal/wire"
)

// heartbeat writes what an agent host tells of itself. The numbers are totals:
// they are written as they are.
func (b *Batch) heartbeat(h *wire.Host) {
	a := &b.attrs
	a.str(mcpconv.HostPhase, phase(h.Phase.Str(), b.opt.TextBytes))
	used, hasUsed := h.TokensUsed.Int()
	limit, hasLimit := h.TokensLimit.Int()
	if hasUsed {
		a.int(mcpconv.HostTokensUsed, used)
	}
	if hasLimit {
		a.int(mcpconv.HostTokensLimit, limit)
	}
	if hasUsed && hasLimit && limit > 0 {
		a.float(mcpconv.HostTokensShare, float64(used)/float64(limit)*100)
	}
	if total, ok := h.ToolCallsTotal.Int(); ok {
		a.int(mcpconv.HostToolCalls, total)
	}
	if seconds, ok := h.ElapsedSeconds.Float(); ok {
		a.float(mcpconv.HostElapsed, seconds)
	}
	if b.opt.Payloads {
		a.str(mcpconv.HostTask, a.text(h.CurrentTask.Str()))
	}
}

// phase spares the copies of the phases that the specification names.
func phase(name string, limit int) string {
	if known, ok := mcpconv.Phase(name); ok {
		return known
	}
	return strings.Clone(jsonscan.Cut(name, limit))
}
