package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/spf13/cobra"

	"github.com/otelcol-mcp/otelcol-mcp/cmd/mcptap/internal/settings"
)

// wrapping are the flags of wrap.
type wrapping struct {
	endpoint string
	program  string
	session  string
	undo     bool
	dryRun   bool
}

func wrapCommand() *cobra.Command {
	var w wrapping
	cmd := &cobra.Command{
		Use:   "wrap FILE",
		Short: "Start all servers in a client's configuration through mcptap",
		Long: `wrap rewrites the configuration of an MCP or ACP client, so that every server that the
client starts as a program starts through mcptap. It knows the files of Claude Desktop,
Claude Code, Codex, Cursor, opencode, VS Code, Zed and clients like them, and keeps
comments and order. Servers with a URL do not change: put mcptap http in front of them.
wrap keeps a copy of the original file beside it. Wrapping twice changes nothing, and
--undo restores the original.`,
		Example: `  mcptap wrap --dry-run ~/.cursor/mcp.json
  mcptap wrap .mcp.json
  mcptap wrap .mcp.json --undo`,
		Args: exactlyOne("name the client's configuration: mcptap wrap FILE, as in mcptap wrap .mcp.json",
			"mcptap wrap changes one FILE at a time"),
		RunE: func(c *cobra.Command, args []string) error { return w.run(c.OutOrStdout(), args[0]) },
	}
	f := cmd.Flags()
	f.StringVar(&w.endpoint, "endpoint", endpointDefault(), "URL of the collector for the wrapped servers")
	f.StringVar(&w.program, "mcptap", "", "path of mcptap to write into the configuration (default: this program)")
	f.StringVar(&w.session, "session", "", "name of the session, if all servers are to share one trace")
	f.BoolVar(&w.undo, "undo", false, "restore the configuration")
	f.BoolVar(&w.dryRun, "dry-run", false, "print the difference without changing the file")
	return cmd
}

func (w *wrapping) run(out io.Writer, path string) error {
	change, err := w.plan(path)
	if err != nil {
		if wrapped, ok := errors.AsType[*fs.PathError](err); ok && errors.Is(err, fs.ErrNotExist) {
			err = wrapped.Err
		}
		return fmt.Errorf("%s: %w", path, err)
	}
	switch {
	case len(change.Names) == 0:
		fmt.Fprintf(out, "%s: nothing to do\n", change.Path)
		return nil
	case w.dryRun:
		fmt.Fprint(out, unified(change.Path, change.Old, change.New))
		return nil
	}
	if err = change.Apply(); err != nil {
		return err
	}
	what := "now through mcptap; original: " + change.Backup()
	if w.undo {
		what = "restored"
	}
	fmt.Fprintf(out, "%s: %s (%s)\nRestart the client.\n", change.Path, strings.Join(change.Names, ", "), what)
	return nil
}

func (w *wrapping) plan(path string) (*settings.ServersChange, error) {
	if w.undo {
		return settings.PlanUnwrap(path)
	}
	program, err := programPath(w.program)
	if err != nil {
		return nil, err
	}
	wrapper := settings.Wrapper{Program: program}
	if w.endpoint != defaultEndpoint {
		wrapper.Flags = append(wrapper.Flags, "--endpoint", w.endpoint)
	}
	if w.session != "" {
		wrapper.Flags = append(wrapper.Flags, "--session", w.session)
	}
	return settings.PlanWrap(path, wrapper)
}
