package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/otelcol-mcp/otelcol-mcp/cmd/mcptap/internal/agents"
	"github.com/otelcol-mcp/otelcol-mcp/cmd/mcptap/internal/service"
	"github.com/otelcol-mcp/otelcol-mcp/cmd/mcptap/internal/status"
)

// serving are the flags of service.
type serving struct {
	collector string
	configs   []string
	dryRun    bool
}

func serviceCommand(code *int) *cobra.Command {
	var c serving
	cmd := &cobra.Command{
		Use:   "service",
		Short: "Start the collector whenever you log in",
		Long: `service installs the collector as a user service: a systemd user unit on Linux, a launchd
agent on macOS. It writes one file and starts the service; uninstall undoes both. It never
changes a file that it did not write.`,
		Example: `  mcptap service install
  mcptap service install --config embedded:default --config my.yaml --dry-run
  mcptap service status
  mcptap service uninstall`,
		Args: cobra.NoArgs,
	}
	run := func(name, short string, do func(context.Context, *service.Service, io.Writer) error) *cobra.Command {
		sub := &cobra.Command{
			Use: name, Short: short, Example: "  mcptap service " + name, Args: cobra.NoArgs,
			RunE: func(cmd *cobra.Command, _ []string) error {
				s, err := c.service()
				if err != nil {
					return err
				}
				return do(cmd.Context(), s, cmd.OutOrStdout())
			},
		}
		cmd.AddCommand(sub)
		return sub
	}
	install := run("install", "Write the file of the service, and start it", c.install)
	install.Flags().StringVar(&c.collector, "collector", "", "path of otelcol-mcp (default: the one beside mcptap, or in the search path)")
	install.Flags().StringArrayVar(&c.configs, "config", []string{"embedded:default"}, "configuration of the collector; may be given several times")
	uninstall := run("uninstall", "Stop the service, and remove its file", c.uninstall)
	for _, sub := range []*cobra.Command{install, uninstall} {
		sub.Flags().BoolVar(&c.dryRun, "dry-run", false, "print what would be done")
	}
	run("status", "Show whether the service is installed and runs", func(ctx context.Context, s *service.Service, out io.Writer) error {
		running, err := sayService(ctx, s, out)
		if err == nil && !running {
			*code = exitPartly
		}
		return err
	})
	return cmd
}

func (c *serving) service() (*service.Service, error) {
	m, err := machine()
	if err != nil {
		return nil, err
	}
	return &service.Service{Home: m.Home, OS: m.OS, Env: m.Env, UID: os.Getuid(), Run: runProgram}, nil
}

func runProgram(ctx context.Context, command ...string) ([]byte, error) {
	return exec.CommandContext(ctx, command[0], command[1:]...).CombinedOutput() //nolint:gosec // of package service
}

// command is the collector with its configurations. What a service has no folder for is
// made absolute.
func (c *serving) command() ([]string, error) {
	path := cmp.Or(c.collector, besideSelf())
	if path == "" {
		path = collectorName
	}
	path, err := exec.LookPath(path)
	if err != nil {
		return nil, fmt.Errorf("--collector: %w", err)
	}
	if path, err = filepath.Abs(path); err != nil {
		return nil, err
	}
	command := []string{path}
	for _, config := range c.configs {
		if _, err := os.Stat(config); err == nil {
			if config, err = filepath.Abs(config); err != nil {
				return nil, err
			}
		}
		command = append(command, "--config", config)
	}
	return command, nil
}

func (c *serving) install(ctx context.Context, s *service.Service, out io.Writer) (err error) {
	path, _, err := s.Installed()
	if err != nil {
		return err
	}
	if s.Command, err = c.command(); err != nil {
		return err
	}
	if c.dryRun {
		fmt.Fprintf(out, "%s:\n%s", path, s.Text())
		sayCommands(out, s.Starting(path))
		return nil
	}
	if err = s.Install(ctx); err != nil {
		return err
	}
	fmt.Fprintf(out, "%s: written; the collector starts now and when you log in.\n", path)
	if s.OS == "linux" {
		fmt.Fprintln(out, "To start it with the machine, before you log in: loginctl enable-linger")
	}
	fmt.Fprintf(out, "To see it: %s service status. To undo: %[1]s service uninstall\n", commandName())
	return nil
}

func (c *serving) uninstall(ctx context.Context, s *service.Service, out io.Writer) error {
	path, text, err := s.Installed()
	switch {
	case err != nil:
		return err
	case text == nil:
		fmt.Fprintln(out, "The service is not installed: nothing to undo.")
		return nil
	case c.dryRun:
		sayCommands(out, s.Stopping())
		fmt.Fprintf(out, "remove %s\n", path)
		return nil
	}
	if err = s.Uninstall(ctx); err == nil {
		fmt.Fprintf(out, "%s: removed\n", path)
	}
	return err
}

func sayCommands(out io.Writer, commands [][]string) {
	for _, command := range commands {
		fmt.Fprintf(out, "run %s\n", strings.Join(command, " "))
	}
}

// sayService reports whether the service is installed and runs.
func sayService(ctx context.Context, s *service.Service, out io.Writer) (running bool, err error) {
	path, text, err := s.Installed()
	if err != nil {
		return false, err
	}
	if text == nil {
		fmt.Fprintf(out, "The service is not installed. To install it: %s service install\n", commandName())
		return false, nil
	}
	state := s.State(ctx)
	fmt.Fprintf(out, "%s: %s\n", path, state)
	if log := s.Log(); log != "" {
		fmt.Fprintf(out, "Log: %s\n", log)
	} else {
		fmt.Fprintln(out, "Log: journalctl --user -u otelcol-mcp")
	}
	answers := status.Answers(ctx, agents.Target{Endpoint: agents.DefaultEndpoint})
	if answers {
		fmt.Fprintf(out, "A collector answers at %s.\n", agents.DefaultEndpoint)
	}
	return answers && (state == "active" || state == "running"), nil
}
