package telemetry

import (
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/identity"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session"
)

// Natives returns the additions to the agents' own spans that were reported.
func (b *Batch) Natives() []Addition { return b.natives }

// native collects what was written of an agent's own span.
func (b *Batch) native(n *event.Native, session *session.CallEnd, o *session.Outcome) {
	attributes := pcommon.NewMap()
	a := &b.attrs
	if o.Failed {
		a.str(mcpconv.StatusCode, "error")
		a.str(mcpconv.ErrorCode, o.Code)
		a.payload(mcpconv.ErrorMessage, o.Message)
		a.otel(mcpconv.ErrorType, o.Type)
	} else {
		a.str(mcpconv.StatusCode, "ok")
	}
	a.into(attributes)
	added := Addition{Trace: n.Trace, Span: n.Span, Attributes: attributes, Failed: o.Failed}
	if s := session.Session; s != nil {
		added.Session, added.Root = s.ID, identity.Context{Trace: s.Trace, Span: s.Root}
	}
	b.natives = append(b.natives, added)
}
