//go:generate go tool mdatagen metadata.yaml

// Package mcpreceiver receives what agents, MCP servers and those between them report
// (JSON-RPC messages, hooks, OTLP, Inspector events, trace files, MCP Events), and turns
// it into traces, log records and metrics of sessions.
package mcpreceiver // import "github.com/otelcol-mcp/otelcol-mcp/receiver/mcpreceiver"
