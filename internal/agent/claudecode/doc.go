// Package claudecode decodes what Claude Code reports of itself, and turns it into
// events of an agent's session: the events of its hooks
// (https://code.claude.com/docs/en/hooks), and its own telemetry
// (https://code.claude.com/docs/en/monitoring-usage), both as of November 2026.
package claudecode
