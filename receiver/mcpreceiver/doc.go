//go:generate go tool mdatagen metadata.yaml

// Package mcpreceiver turns Model Context Protocol messages and mcp-agent
// Inspector events into spans.
package mcpreceiver // import "github.com/otelcol-mcp/otelcol-mcp/receiver/mcpreceiver"
