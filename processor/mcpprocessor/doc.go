//go:generate go tool mdatagen metadata.yaml

// Package mcpprocessor cuts the long attributes of MCP spans and logs, and joins
// the traces of MCP clients and the servers that they called.
package mcpprocessor // import "github.com/otelcol-mcp/otelcol-mcp/processor/mcpprocessor"
