package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/otelcol-mcp/otelcol-mcp/cmd/mcptap/internal/agents"
	"github.com/otelcol-mcp/otelcol-mcp/cmd/mcptap/internal/connect"
	"github.com/otelcol-mcp/otelcol-mcp/cmd/mcptap/internal/outbox"
	"github.com/otelcol-mcp/otelcol-mcp/cmd/mcptap/internal/status"
)

// outcome is the result of connecting or disconnecting one agent.
type outcome struct {
	agent   *agents.Agent
	changed bool // a file was changed, or would be
	groups  []agents.Group
	blocked []agents.Group // what is left out
	err     error
}

// summary says in one line what became of an agent.
func (c *connecting) summary(o *outcome) string {
	would := ""
	if c.dryRun {
		would = "would be "
	}
	done := slices.DeleteFunc(slices.Clone(o.groups), func(g agents.Group) bool { return slices.Contains(o.blocked, g) })
	switch {
	case o.err != nil:
		return "not done: see the error below" // which goes to standard error
	case c.undo && o.changed:
		return would + "restored"
	case c.undo:
		return "nothing to undo"
	case len(done) == 0:
		return "not connected: see above"
	case len(o.blocked) > 0:
		return would + "connected without " + groupNames(o.blocked) + ": see above"
	case !o.changed:
		return "already connected"
	}
	return would + "connected: " + groupNames(done)
}

// section prints the heading of an agent before what there is to say about it.
type section struct {
	out   io.Writer
	title string
	begun bool
}

// Write implements io.Writer.
func (s *section) Write(p []byte) (int, error) {
	if !s.begun {
		s.begun = true
		fmt.Fprintf(s.out, "== %s ==\n", s.title)
	}
	return s.out.Write(p)
}

func (c *connecting) run(ctx context.Context, out io.Writer, args []string) (code int, err error) {
	r, err := c.request()
	if err != nil {
		return 0, err
	}
	chosen, err := c.choose(r, args)
	if err != nil {
		return 0, err
	}
	done := make([]outcome, len(chosen))
	if len(chosen) == 1 {
		r.Agent = chosen[0]
		c.diff = c.diff || c.dryRun
		done[0] = c.one(out, out, r)
	} else {
		c.several(out, r, chosen, done)
	}
	c.sayEnd(ctx, out, r, done)
	if c.undo && !c.dryRun && !r.Journal.Any() {
		_ = outbox.Clear(r.Journal.Folder) // no hook will send it
	}
	return result(done)
}

// several connects agents, says what a person has to know of each, and ends with a line for
// each.
func (c *connecting) several(out io.Writer, r connect.Request, chosen []*agents.Agent, done []outcome) {
	for i, a := range chosen {
		r.Agent = a
		say := &section{out: out, title: a.Title}
		details := io.Discard
		if c.diff {
			details = say
		}
		done[i] = c.one(say, details, r)
		if say.begun {
			fmt.Fprintln(out)
		}
	}
	table := tabwriter.NewWriter(out, 0, 0, 3, ' ', 0)
	for i := range done {
		fmt.Fprintf(table, "%s\t%s\n", done[i].agent.Title, c.summary(&done[i]))
	}
	_ = table.Flush()
	if len(done) > 0 {
		fmt.Fprintln(out)
	}
}

// one connects or disconnects one agent. Details are what changes in which file.
func (c *connecting) one(say, details io.Writer, r connect.Request) (o outcome) {
	o.agent = r.Agent
	plan, err := c.plan(r)
	if err == nil {
		o.groups, o.blocked = plan.Groups, plan.Blocked
		o.changed, err = c.carryOut(say, details, r, plan)
	}
	if err != nil {
		o.err = fmt.Errorf("%s: %w", r.Agent.Name, err)
	}
	return o
}

func (c *connecting) plan(r connect.Request) (*connect.Plan, error) {
	if c.undo {
		return connect.Undo(r)
	}
	return connect.New(r)
}

// result is the exit code. One agent that fails does not keep the others from
// being connected; if all fail, nothing is done.
func result(done []outcome) (code int, err error) {
	var failures []error
	for _, o := range done {
		if len(o.blocked) > 0 {
			code = exitPartly
		}
		if o.err != nil {
			failures = append(failures, o.err)
		}
	}
	if len(failures) == 0 {
		return code, nil
	}
	if len(failures) < len(done) {
		code = exitPartly
	} else {
		code = exitUsage
	}
	return code, errors.Join(failures...)
}

// choose are the agents that the command line names, each once.
func (c *connecting) choose(r connect.Request, args []string) (chosen []*agents.Agent, err error) {
	if c.all && len(args) > 0 {
		return nil, errors.New("both --all and an agent are given: leave one out")
	}
	if !c.all && len(args) == 0 {
		return nil, fmt.Errorf("name an agent, or use --all: %s", strings.Join(agents.Names(), ", "))
	}
	if c.all {
		return c.everyone(r)
	}
	for _, name := range args {
		a := agents.ByName(name)
		if a == nil {
			if meant := nearest(name, slices.Concat(agents.Names(), agents.Programs())); meant != "" {
				return nil, fmt.Errorf("%q is not an agent that mcptap knows: do you mean %s?", name, meant)
			}
			return nil, fmt.Errorf("%q is not an agent that mcptap knows: use %s", name, strings.Join(agents.Names(), ", "))
		}
		if !slices.Contains(chosen, a) {
			chosen = append(chosen, a)
		}
	}
	return chosen, nil
}

// everyone are the agents on this machine; to undo, those that are connected, also
// if only the settings that connect wrote are left.
func (c *connecting) everyone(r connect.Request) (found []*agents.Agent, err error) {
	for _, a := range agents.All {
		r.Agent = a
		if c.undo && connect.IsConnected(r) || !c.undo && a.Found(r.Machine) {
			found = append(found, a)
		}
	}
	if found == nil && !c.undo {
		return nil, fmt.Errorf("no agent found on this machine; install one first, or name it: %s", strings.Join(agents.Names(), ", "))
	}
	return found, nil
}

// sayEnd says what there is to do now.
func (c *connecting) sayEnd(ctx context.Context, out io.Writer, r connect.Request, done []outcome) {
	if _, err := result(done); err != nil && len(done) == 1 {
		return // which is said on standard error
	}
	var changed []string
	for _, o := range done {
		if o.changed && o.err == nil {
			changed = append(changed, o.agent.Title)
		}
	}
	switch {
	case len(done) == 0:
		fmt.Fprintln(out, "No agent is connected: nothing to undo.")
	case len(changed) == 0 && c.dryRun:
		fmt.Fprintln(out, "Dry run: no file was changed.")
	case len(changed) == 0:
	case c.dryRun:
		fmt.Fprintf(out, "Dry run: no file was changed. To make the changes, leave out --dry-run.\nAfter that, restart %s\n", c.afterwards(r.Target, changed))
	default:
		fmt.Fprintf(out, "Restart %s\n", c.afterwards(r.Target, changed))
	}
	if !c.undo && !status.Answers(ctx, r.Target) {
		fmt.Fprintf(out, "No collector answers at %s. Start it: %s\n", r.Target.Endpoint, collectorCommand())
	}
}

// afterwards names the agents to restart, and the next step. The web UI's address is known
// of the shipped configuration only.
func (c *connecting) afterwards(t agents.Target, changed []string) string {
	switch {
	case c.undo:
		return list(changed) + "."
	case t.Endpoint != agents.DefaultEndpoint:
		return list(changed) + ", then send a prompt."
	}
	return list(changed) + ", send a prompt and look at " + defaultWebUI + "/_inspector/ui"
}

// list is "a, b and c".
func list(names []string) string {
	last := len(names) - 1
	if last == 0 {
		return names[0]
	}
	return strings.Join(names[:last], ", ") + " and " + names[last]
}
