package mcpconv

// Values of [SessionSources]: what reported the session.
const (
	SourceHooks     = "hooks"
	SourceLogs      = "otlp_logs"
	SourceSpans     = "otlp_spans"
	SourceTap       = "tap"
	SourceMCP       = "mcp"
	SourcePush      = "push"
	SourceInspector = "inspector"
)
