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
func (c *connecting) carryOut(say, details io.Writer, r connect.Request, plan *connect.Plan) (changed bool, err error) {
	for _, change := range plan.Changes {
		if change.Changed() {
			changed = true
			if c.diff {
				fmt.Fprint(details, difference(change))
			}
		}
		if c.dryRun {
			continue
		}
		if err := change.Apply(); err != nil {
			return changed, err
		}
	}
	if c.undo {
		c.sayUndone(say, details, r, plan, changed)
	} else {
		c.sayConnected(say, details, r, plan, changed)
	}
	return changed, nil
}

// difference is short for programs: they are not the user's.
func difference(change *connect.Change) string {
	if change.Program {
		return fmt.Sprintf("--- %s (%d lines)\n+++ %s (%d lines)\n",
			change.Path, bytes.Count(change.Old, []byte("\n")), change.Path, bytes.Count(change.New, []byte("\n")))
	}
	return cut(unified(change.Path, change.Old, change.New))
}

// lineMax bounds the characters of a line of a difference.
const lineMax = 160

// cut shortens the lines of a text that are too long to be read.
func cut(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if runes := []rune(line); len(runes) > lineMax+1 {
			line = string(runes[:lineMax-1]) + "…\n"
		}
		b.WriteString(line)
	}
	return b.String()
}

func (c *connecting) sayUndone(say, details io.Writer, r connect.Request, plan *connect.Plan, changed bool) {
	if !changed {
		fmt.Fprintf(details, "%s: nothing to undo\n", r.Agent.Title)
	}
	for _, change := range plan.Changes {
		switch {
		case !change.Changed():
		case change.New == nil:
			fmt.Fprintf(details, "%s: removed\n", change.Path)
		case change.Exact:
			fmt.Fprintf(details, "%s: restored, byte for byte\n", change.Path)
		default:
			fmt.Fprintf(details, "%s: changed since; only what mcptap added is removed\n", change.Path)
		}
		if len(change.Kept) > 0 {
			fmt.Fprintf(say, "%s: you have changed %s, which stays\n", change.Path, strings.Join(change.Kept, ", "))
		}
		if original := change.Original(); original != "" && !c.dryRun {
			fmt.Fprintf(say, "  The original stays at %s. It may hold keys: delete it when you no longer need it.\n", original)
		}
	}
}

func (c *connecting) sayOriginal(details io.Writer, change *connect.Change) {
	if original := change.Original(); original != "" && !c.dryRun {
		fmt.Fprintf(details, "  original: %s\n", original)
	}
}

func (c *connecting) sayConnected(say, details io.Writer, r connect.Request, plan *connect.Plan, changed bool) {
	for _, change := range plan.Changes {
		if !change.Changed() {
			continue
		}
		fmt.Fprintf(details, "%s: %s\n", change.Path, change.Summary())
		c.sayOriginal(details, change)
	}
	for _, conflict := range plan.Conflicts {
		fmt.Fprintf(say, "Left out: %s\n", masked(conflict))
	}
	if len(plan.Blocked) > 0 {
		fmt.Fprintf(say, "%s: without %s. Change the settings above, or let --force replace them.\n", r.Agent.Title, groupNames(plan.Blocked))
	}
	if !changed && len(plan.Blocked) == 0 {
		fmt.Fprintf(details, "%s: already connected\n", r.Agent.Title)
	}
	if r.Agent.Notes != nil {
		for _, note := range r.Agent.Notes(r.Machine, r.Target) {
			fmt.Fprintln(say, note)
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
