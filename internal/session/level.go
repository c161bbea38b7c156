package session

import (
	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonrpc"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// Known is whether something was declared, if the declaration was seen at all.
type Known uint8

// The values of Known; the zero value is that nothing is known.
const (
	KnownNo Known = iota + 1
	KnownYes
)

func knownIf(yes bool) Known {
	if yes {
		return KnownYes
	}
	return KnownNo
}

// Levels are the severities of RFC 5424 by name, the least first from 1 on.
var Levels = map[string]uint8{
	"debug": 1, "info": 2, "notice": 3, "warning": 4, "error": 5, "critical": 6, "alert": 7, "emergency": 8,
}

// learnCapabilities takes what client and server declare of themselves.
func (s *Session) learnCapabilities(m *jsonrpc.Message) {
	if c := m.Result.Capabilities; c.IsObject() {
		s.reminders = knownIf(jsonrpc.EmitsReminders(c))
		if _, declared := jsonrpc.Logging(c); !s.ACP {
			s.logs = knownIf(declared)
		}
	}
	client := m.Params.Capabilities
	if client == "" {
		client = m.Params.Meta.Capabilities
	}
	if client.IsObject() && s.ACP {
		level, declared := jsonrpc.Logging(client)
		s.logs, s.logLevel = knownIf(declared), Levels[level]
	}
	if level := Levels[m.Params.Meta.LogLevel.Str()]; level > 0 {
		s.logLevel = level
	}
}

// learnLevel takes the level that a reply agrees to.
func (s *Session) learnLevel(end *CallEnd) {
	c := end.Call
	if level := Levels[c.Target]; level > 0 && c.Method == mcpconv.MethodSetLevel && c.FromClient && !end.Outcome.Failed {
		s.logLevel = level
	}
}

// isLog tells whether the notification is a log message, of MCP or of ACP, whose
// method's name is so general that it is one in ACP only.
func isLog(o *Observation, m *jsonrpc.Message) bool {
	switch m.Method {
	case mcpconv.NotificationMessage:
		return true
	case mcpconv.MethodACPLog:
		return o.ACP
	}
	return false
}

// tooQuiet tells whether a log message is below what was agreed on, or what is
// wanted.
func (tx *Tx) tooQuiet(s *Session, m *jsonrpc.Message) bool {
	level := Levels[m.Params.Level.Str()]
	return level > 0 && level < max(s.logLevel, tx.t.opt.MinLevel)
}
