package sessions

import (
	"cmp"
	"strings"
	"unicode/utf8"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-mcp/otelcol-mcp/exporter/inspectorexporter/internal/facts"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// naming is what a session's title is made of if none is told.
type naming struct {
	titled   bool   // the title was told
	early    bool   // before any prompt, so that it may be but a directory
	prompt   string // the first line of the first prompt
	promptAt Time
}

// named takes what may be a title.
func (r *Row) named(at Time, m pcommon.Map) {
	input := facts.Str(m, mcpconv.WorkflowInput)
	tapped := facts.Str(m, mcpconv.WorkflowType) == mcpconv.WorkflowMCP // its title would not tell it from others of its server
	if title := facts.Str(m, mcpconv.SessionTitle); title != "" && !tapped {
		r.Title, r.titled = facts.Text(title), true
		r.early = input == "" && facts.Str(m, mcpconv.WorkflowEngine) == ""
	}
	if input == "" || r.titled && !r.early || r.prompt != "" && r.promptAt <= at {
		return
	}
	if line := facts.FirstLine(facts.PromptText(input)); line != "" {
		r.prompt, r.promptAt = line, at
	}
}

// title is never empty: a prompt says more than a directory, who it is more than
// what kind of session it is, and the id tells several of them apart.
func (r *Row) title() {
	if r.titled && (!r.early || r.prompt == "") {
		return
	}
	who := cmp.Or(r.parties(), r.Host, r.Server, r.WorkflowType, "session")
	r.Title = cmp.Or(r.prompt, r.place(), who+" · "+shortID(cmp.Or(r.OriginalID, r.ID)))
}

// parties names the server that is tapped, and its client if that has a name. It is
// empty for sessions of another kind.
func (a *About) parties() string {
	switch {
	case a.WorkflowType != mcpconv.WorkflowMCP || a.Server == "":
		return ""
	case a.Host == "" || a.Host == mcpconv.ServiceClient:
		return a.Server
	}
	return a.Host + " → " + a.Server
}

// place names the directory that the agent works in, and its branch.
func (a *About) place() string {
	dir := strings.TrimRight(a.Directory, `/\`)
	dir = dir[strings.LastIndexAny(dir, `/\`)+1:]
	if dir == "" || a.Branch == "" {
		return dir
	}
	return dir + " (" + a.Branch + ")"
}

// shortID is an id as a person would tell it from others: some differ at their
// beginning, some at their end.
func shortID(id string) string {
	const whole, first, last = 20, 8, 4
	if utf8.RuneCountInString(id) <= whole {
		return id
	}
	r := []rune(id)
	return string(r[:first]) + "…" + string(r[len(r)-last:])
}
