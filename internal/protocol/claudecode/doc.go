// Package claudecode decodes the events of Claude Code's hooks
// (https://code.claude.com/docs/en/hooks, as of October 2026) and turns them into
// events of an agent's session.
package claudecode
