package push

import "github.com/otelcol-mcp/otelcol-mcp/internal/guard"

// Guard keeps web pages out.
type Guard = guard.Guard
