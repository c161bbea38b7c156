package tracker

import "github.com/otelcol-mcp/otelcol-mcp/internal/identity"

func (s *story) CallStarted(c *Call, marker identity.SpanID) {
	s.add("asked %s %s marker %s", c.ID, c.Method, marker)
}
