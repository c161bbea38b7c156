//go:generate go tool mdatagen metadata.yaml

// Package mcpprocessor cuts the long attributes of MCP spans and logs.
package mcpprocessor // import "github.com/otelcol-mcp/otelcol-mcp/processor/mcpprocessor"
