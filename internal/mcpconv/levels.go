package mcpconv

// Levels are the severities of log messages by name, the least first from 1 on
// (RFC 5424, section 6.2.1).
var Levels = map[string]uint8{
	"debug": 1, "info": 2, "notice": 3, "warning": 4, "error": 5, "critical": 6, "alert": 7, "emergency": 8,
}
