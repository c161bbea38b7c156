//go:generate go tool mdatagen metadata.yaml

// Package inspectorexporter shows sessions of agents while they run: a web UI, the
// mcp-agent Inspector's endpoints and event stream, and its session files.
package inspectorexporter // import "github.com/otelcol-mcp/otelcol-mcp/exporter/inspectorexporter"
