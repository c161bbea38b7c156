package mcpconnector

import (
	"github.com/otelcol-mcp/otelcol-mcp/internal/protocol/agents"
	"github.com/otelcol-mcp/otelcol-mcp/internal/protocol/otlp"
)

// newDecoder makes the decoder of all agents.
func newDecoder() otlp.Decoder { return agents.New() }
