package sessions

import (
	"cmp"
	"strings"
	"unicode/utf8"

	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// title names a session that has no title: a directory says more than who it is, that
// more than what kind of session it is, and the id tells several of them apart.
func (r *Row) title() {
	if r.Title == "" {
		r.Title = cmp.Or(r.place(), cmp.Or(r.parties(), r.Host, r.Server, r.WorkflowType, "session")+" · "+shortID(cmp.Or(r.OriginalID, r.ID)))
	}
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
