//go:generate go tool mdatagen metadata.yaml

// Package mcpprocessor truncates long payloads in spans and log records, and
// stitches the trace of an MCP server to the call of its client.
package mcpprocessor // import "github.com/otelcol-mcp/otelcol-mcp/processor/mcpprocessor"
