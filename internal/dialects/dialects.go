// Package dialects lists the dialects: how frameworks, SDKs, gateways and agents write
// their telemetry. Each is one file in the package of its kind: how it is recognised,
// a table of keys, and the few functions that a table cannot express.
package dialects

import (
	"strings"

	"github.com/otelcol-mcp/otelcol-mcp/internal/dialect"
	"github.com/otelcol-mcp/otelcol-mcp/internal/dialects/agents"
	"github.com/otelcol-mcp/otelcol-mcp/internal/dialects/frameworks"
	"github.com/otelcol-mcp/otelcol-mcp/internal/dialects/instrumentations"
	"github.com/otelcol-mcp/otelcol-mcp/internal/dialects/mcp"
)

// All are the dialects in the order in which they are tried: the first that is
// recognised counts. The last one are former names of the conventions themselves.
func All() []*dialect.Dialect {
	return []*dialect.Dialect{
		&agents.ClaudeCode,
		&agents.Codex,
		&agents.GeminiCLI,
		&agents.Copilot,
		&instrumentations.OpenInference,
		&instrumentations.OpenLLMetry,
		&instrumentations.Langfuse,
		&frameworks.ADK,
		&frameworks.Vercel,
		&frameworks.VercelOTel,
		&frameworks.SpringAI,
		&frameworks.Mastra,
		&frameworks.Genkit,
		&mcp.FastMCP,
		&mcp.CSharp,
		&mcp.PythonSDK,
		&instrumentations.Logfire,
		&mcp.Envoy,
		&mcp.ToolHive,
		&mcp.Agentgateway,
		&mcp.MCPGo,
		&mcp.Docker,
		&mcp.MCPCat,
		&mcp.MCPSnoop,
		&instrumentations.OpenLIT,
		&instrumentations.Inspector,
		&instrumentations.Traceloop,
		&instrumentations.Semconv,
	}
}

// Names are the names of all dialects, in the order of [All].
func Names() (names []string) {
	for _, d := range All() {
		names = append(names, d.Name)
	}
	return names
}

// Payloads are the keys under which dialects have what people, models and tools said.
// One that ends in * begins keys that go on with a number, as those of messages do.
func Payloads() (keys []string) {
	for _, d := range All() {
		for _, k := range d.Keys {
			// A key of one word may be anybody's.
			if k.To.Payload() && strings.ContainsAny(k.From, ".:") {
				keys = append(keys, k.From)
			}
		}
		for _, prefix := range d.Prefixes {
			keys = append(keys, prefix+"*")
		}
		keys = append(keys, d.Contents...)
	}
	return keys
}
