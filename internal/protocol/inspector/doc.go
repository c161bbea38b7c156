// Package inspector turns the events of the mcp-agent Inspector, which package
// inspectorwire decodes, into events of its session.
package inspector
