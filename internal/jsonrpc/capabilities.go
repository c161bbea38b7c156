package jsonrpc

// EmitsReminders tells whether a server's capabilities declare that it sends
// reminders: reminders.emit, there or below _meta.harn.
func EmitsReminders(capabilities Value) bool {
	return member(member(capabilities, "reminders"), "emit").IsTrue() ||
		member(member(member(member(capabilities, "_meta"), "harn"), "reminders"), "emit").IsTrue()
}

// Logging is what capabilities say of log messages: whether they are declared,
// and from which level on, "" if none is named (the two revisions of ACP's
// server-logging; MCP has no level there).
func Logging(capabilities Value) (level string, declared bool) {
	logging := member(capabilities, "logging")
	return member(logging, "level").Str(), logging.IsObject()
}
