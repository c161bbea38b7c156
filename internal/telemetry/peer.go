package telemetry

import (
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session"
)

// peer writes whom a call was asked of, by the name that its own spans have as
// service.name. Backends draw the edges of service graphs by it where only the
// caller's side was seen.
func (b *Batch) peer(e *session.CallEnd) {
	if b.opt.OTel {
		b.attrs.str(mcpconv.PeerService, b.opt.Names.Label(e.Peer))
	}
}
