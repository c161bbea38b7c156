package mcpconv

// SpanHook begins the names of notices that hooks of an agent host tell of; the
// event's name follows.
const SpanHook = "hook."

// ToolDuration is for how long a tool ran, without the time in which a person
// was asked.
const ToolDuration = "mcp.tool.duration_ms"
