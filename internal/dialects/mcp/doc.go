// Package mcp has the dialects of SDKs, servers and gateways for MCP, a file for each.
package mcp
