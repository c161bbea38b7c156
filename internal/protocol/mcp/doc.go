// Package mcp decodes messages of the Model Context Protocol, in all revisions
// from 2024-11-05 on, and of the protocols that travel like it: the Agent Client
// Protocol and the telemetry of agent hosts. It turns each [jsonrpc.Message] into
// events.
package mcp
