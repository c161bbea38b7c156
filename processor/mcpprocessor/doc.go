//go:generate go tool mdatagen metadata.yaml
//go:generate go test ./internal/normalize -run TestDocumentIsCurrent -update

// Package mcpprocessor translates the dialects of frameworks to the semantic
// conventions, masks secrets and truncates long payloads in spans and log records, and
// stitches the trace of an MCP server to the call of its client.
package mcpprocessor // import "github.com/otelcol-mcp/otelcol-mcp/processor/mcpprocessor"
