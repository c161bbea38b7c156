// Package agentfiles has the files that agents run on our behalf. It imports
// nothing but what embeds them.
package agentfiles

import _ "embed"

//go:embed opencode.js
var openCode string

// OpenCodeName is what opencode's plugin is called in a folder of plugins.
const OpenCodeName = "otelcol-mcp.js"

// OpenCode is opencode's plugin (https://opencode.ai/docs/plugins): a module
// without dependencies that posts what opencode does to /v1/hooks/opencode, below
// OTELCOL_MCP_URL or http://localhost:4319. It announces opencode's spans if they go
// to the host and port of MCPTAP_OTLP_ENDPOINT or http://localhost:4328.
func OpenCode() string { return openCode }
