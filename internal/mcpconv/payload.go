package mcpconv

import "strings"

// payload lists the keys that hold what people, models and tools said, beside
// those that end in _json. They are written only with capture.payloads.
var payload = map[string]bool{
	ErrorMessage: true, SessionTitle: true, HostTask: true, AgentTask: true, HostFiles: true,
	ReminderBody: true, LogMessage: true, ToolTitle: true, LLMSystemPrompt: true, SignalPrompt: true, ProgressMessage: true,
	GenAIToolArguments: true, GenAIToolResult: true, GenAIInputMessages: true, GenAIOutputMessages: true,
	WaitDetail: true, WaitPrompt: true, LastError: true, HostErrorText: true,
	GenAISystem: true, DialectStatusMessage: true, WorkingDir: true, Branch: true,
}

// IsPayload tells whether the attribute is payload: what may hold secrets, as
// opposed to names, sizes, times and codes.
func IsPayload(key string) bool { return strings.HasSuffix(key, "_json") || payload[key] }
