// Package agenthost decodes what agent hosts report of themselves: notifications
// called notifications/host.*, and calls of the tools host_heartbeat and
// eywa_heartbeat. Hosts send both to the servers they are connected to, among
// messages of MCP.
package agenthost
