package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/otelcol-mcp/otelcol-mcp/cmd/mcptap/internal/agents"
	"github.com/otelcol-mcp/otelcol-mcp/cmd/mcptap/internal/connect"
	"github.com/otelcol-mcp/otelcol-mcp/cmd/mcptap/internal/outbox"
	"github.com/otelcol-mcp/otelcol-mcp/cmd/mcptap/internal/status"
)

// outcome is what connecting or disconnecting came to for one agent.
type outcome struct {
	agent   *agents.Agent
	changed bool // a file was changed, or would be
	blocked bool // something is left out
	err     error
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
	for i, a := range chosen {
		r.Agent = a
		if len(chosen) > 1 {
			fmt.Fprintf(out, "%s== %s ==\n", blankLine(i), a.Title)
		}
		done[i] = c.one(out, r)
		if done[i].err != nil && len(chosen) > 1 {
			fmt.Fprintln(out, "Not done: see the error below.") // the error itself goes to standard error
		}
	}
	if len(chosen) > 1 {
		fmt.Fprintln(out)
	}
	c.sayEnd(ctx, out, r, done)
	if c.undo && !c.dryRun && !r.Journal.Any() {
		_ = outbox.Clear(r.Journal.Folder) // no hook will send it
	}
	return result(done)
}

func blankLine(i int) string {
	if i == 0 {
		return ""
	}
	return "\n"
}

// one connects or disconnects one agent.
func (c *connecting) one(out io.Writer, r connect.Request) (o outcome) {
	o.agent = r.Agent
	plan, err := c.plan(r)
	if err == nil {
		o.blocked = len(plan.Blocked) > 0
		o.changed, err = c.carryOut(out, r, plan)
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
		if o.blocked {
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
			if meant := nearest(name, agents.Names()); meant != "" {
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

// afterwards is what to restart, and what to do after that. The web UI's address is known
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
