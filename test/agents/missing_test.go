package agents

import "maps"

// missing are the columns of which nothing can be known, and why: by nature of
// the mode, or of the agent. As soon as one of them is right, the test fails: then the
// agent tells it now.
func missing(a *agent, m mode) map[string]string {
	none := maps.Clone(ofMode[m.name])
	if none == nil {
		none = map[string]string{}
	}
	maps.Copy(none, ofAgent[a.name][m.name])
	if !a.costs(m) {
		none["cost"] = "the agent does not say what a call costs"
	}
	return none
}

const (
	silence = "OTLP has no end of a session: it ends by silence"
	noModel = "hooks do not tell of model calls"
)

var ofMode = map[string]map[string]string{
	"OTLP only": {"end": silence},
	"tap only": {
		"row":         "a tap sees servers, each a session of its own",
		"phases":      "a tap sees no phases",
		"tools":       "a tap sees the calls of MCP servers only",
		"model calls": "a tap sees no model",
		"tokens":      "a tap sees no model",
		"sub-agents":  "a tap sees no sub-agents",
		"end":         "a tap sees the end of a server",
	},
}

var ofAgent = map[string]map[string]map[string]string{
	"claude-code": {"hooks only": {"model calls": noModel, "tokens": noModel}},
	"codex": {"hooks only": {
		"model calls": noModel, "tokens": noModel,
		"errors": "Codex runs no hook after an MCP call that failed",
	}},
	"gemini-cli": {
		"OTLP only": {"phases": "with -p, no event of Gemini CLI ends a turn"},
		"hooks only": {
			"model calls": noModel, "tokens": noModel,
			"sub-agents": "Gemini CLI has no hooks for sub-agents",
		},
	},
	"opencode": {"OTLP only": {"MCP tools": "spans of opencode do not tell the tools of MCP servers from its own"}},
	"copilot": {
		"OTLP only":  {"MCP tools": "Copilot sends hashes of their names unless it may send content"},
		"hooks only": {"model calls": noModel, "tokens": noModel},
	},
}

// costs reports whether the agent says in this mode what its model calls cost.
func (a *agent) costs(m mode) bool {
	switch a.name {
	case "claude-code":
		return m.otlp
	case "opencode":
		return m.hooks
	}
	return false
}
