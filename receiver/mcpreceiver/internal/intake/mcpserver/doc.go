// Package mcpserver is the MCP server at /mcp (Streamable HTTP) that agent
// hosts add to their configuration. The official SDK answers the requests of
// both protocol eras and knows no sessions; the handler in front of it owns the
// Mcp-Session-Id header and accepts every notification, known or not.
package mcpserver
