// Package agents runs real coding agents, which npm brings, against a model
// server of its own, and compares what otelcol-mcp makes of their telemetry with
// what the model server and the MCP servers saw. README.md says how.
package agents
