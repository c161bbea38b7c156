package main

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/otelcol-mcp/otelcol-mcp/cmd/mcptap/internal/agents"
	"github.com/otelcol-mcp/otelcol-mcp/cmd/mcptap/internal/connect"
)

// carryOut makes the changes, unless it is a dry run, and says what they are.
func (c *connecting) carryOut(out io.Writer, r connect.Request, plan *connect.Plan) (changed bool, err error) {
	for _, change := range plan.Changes {
		if change.Changed() {
			changed = true
			fmt.Fprint(out, difference(change))
		}
		if c.dryRun {
			continue
		}
		if err := change.Apply(); err != nil {
			return changed, err
		}
	}
	if c.undo {
		c.sayUndone(out, r, plan, changed)
	} else {
		c.sayConnected(out, r, plan, changed)
	}
	return changed, nil
}

// difference is short for programs: they are not the user's.
func difference(change *connect.Change) string {
	if change.Program {
		return fmt.Sprintf("--- %s (%d lines)\n+++ %s (%d lines)\n",
			change.Path, bytes.Count(change.Old, []byte("\n")), change.Path, bytes.Count(change.New, []byte("\n")))
	}
	return unified(change.Path, change.Old, change.New)
}

func (c *connecting) sayUndone(out io.Writer, r connect.Request, plan *connect.Plan, changed bool) {
	if !changed {
		fmt.Fprintf(out, "%s: nothing to undo\n", r.Agent.Title)
	}
	for _, change := range plan.Changes {
		switch {
		case !change.Changed():
		case change.New == nil:
			fmt.Fprintf(out, "%s: removed\n", change.Path)
		case change.Exact:
			fmt.Fprintf(out, "%s: restored, byte for byte\n", change.Path)
		default:
			fmt.Fprintf(out, "%s: changed since; only what mcptap added is removed\n", change.Path)
		}
		if len(change.Kept) > 0 {
			fmt.Fprintf(out, "%s: you have changed %s, which stays\n", change.Path, strings.Join(change.Kept, ", "))
		}
		if original := change.Original(); original != "" && !c.dryRun {
			fmt.Fprintf(out, "  The original stays at %s. It may hold keys: delete it when you no longer need it.\n", original)
		}
	}
}

func (c *connecting) sayOriginal(out io.Writer, change *connect.Change) {
	if original := change.Original(); original != "" && !c.dryRun {
		fmt.Fprintf(out, "  original: %s\n", original)
	}
}

func (c *connecting) sayConnected(out io.Writer, r connect.Request, plan *connect.Plan, changed bool) {
	for _, change := range plan.Changes {
		if !change.Changed() {
			continue
		}
		fmt.Fprintf(out, "%s: %s\n", change.Path, change.Summary())
		c.sayOriginal(out, change)
	}
	for _, conflict := range plan.Conflicts {
		fmt.Fprintf(out, "Left out: %s\n", masked(conflict))
	}
	if len(plan.Blocked) > 0 {
		fmt.Fprintf(out, "%s: without %s. Change the settings above, or let --force replace them.\n", r.Agent.Title, groupNames(plan.Blocked))
	}
	if !changed && len(plan.Blocked) == 0 {
		fmt.Fprintf(out, "%s: already connected\n", r.Agent.Title)
	}
	if r.Agent.Notes != nil {
		for _, note := range r.Agent.Notes(r.Machine, r.Target) {
			fmt.Fprintln(out, note)
		}
	}
}

func groupNames(all []agents.Group) string {
	names := make([]string, len(all))
	for i, g := range all {
		names[i] = string(g)
	}
	return strings.Join(names, ", ")
}
