package mcpconv

// The coding agents, as the service names of their sessions call them.
const (
	Codex     = "codex"
	GeminiCLI = "gemini-cli"
	Copilot   = "copilot"
	Cursor    = "cursor"
	OpenCode  = "opencode"
)

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
