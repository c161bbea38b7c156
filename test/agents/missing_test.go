package agents

import "maps"

// missing are the columns of which nothing can be known, and why: by nature of
// the mode, or of the agent. As soon as one of them is right, the test fails: then the
// agent tells it now. docs/agents.md has these reasons.
func missing(a *agent, m mode) map[string]string {
	none := maps.Clone(ofMode[m.name])
	if none == nil {
		none = map[string]string{}
	}
	maps.Copy(none, ofAgent[a.name][m.name])
	if none["cost"] == "" && !a.costs(m) {
		none["cost"] = noCost
	}
	return none
}

const (
	silence  = "OTLP has no end of a session: it ends when nothing more comes."
	noModel  = "Hooks report no model calls, except those of opencode."
	noCost   = "The agent does not say in this way what calls cost, and neither do their tokens: they are unknown, or the model has no price."
	noServer = "A tap sees servers, each as a session of its own: their tools and errors, and nothing of the agent."
)

var ofMode = map[string]map[string]string{
	"OTLP only": {"end": silence},
	"tap only": {
		"row": noServer, "phases": noServer, "tools": noServer, "model calls": noServer, "tokens": noServer, "cost": noServer,
		"sub-agents": noServer, "end": noServer,
	},
}

var ofAgent = map[string]map[string]map[string]string{
	"claude-code": {"hooks only": {"model calls": noModel, "tokens": noModel}},
	"codex": {"hooks only": {
		"model calls": noModel, "tokens": noModel,
		"errors": "Codex runs no hook after a call of an MCP tool that failed.",
	}},
	"gemini-cli": {
		"OTLP only": {"phases": "With `-p`, no event of Gemini CLI ends a turn."},
		"hooks only": {
			"model calls": noModel, "tokens": noModel,
			"sub-agents": "Gemini CLI has no hooks for sub-agents.",
		},
	},
	"opencode": {"OTLP only": {"MCP tools": "Spans of opencode do not tell the tools of MCP servers from its own."}},
	"copilot": {
		"OTLP only":  {"MCP tools": "Copilot's spans have hashes of the names of MCP tools, unless it may send content. With hooks, a row has the names."},
		"hooks only": {"model calls": noModel, "tokens": noModel},
	},
}

// costs reports whether it is known in this mode what model calls cost: the agent says it, or
// their tokens are known and their model has a price. opencode's spans name a model that has none.
func (a *agent) costs(m mode) bool {
	if a.name == opencode.name {
		return m.hooks
	}
	return m.otlp
}
