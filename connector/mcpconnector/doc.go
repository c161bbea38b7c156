//go:generate go tool mdatagen metadata.yaml

// Package mcpconnector turns the log records and spans that coding agents send over
// OTLP into sessions, those of the mcp receiver if there is one.
package mcpconnector // import "github.com/otelcol-mcp/otelcol-mcp/connector/mcpconnector"
