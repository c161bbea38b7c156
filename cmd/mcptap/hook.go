package main

import (
	"cmp"
	"context"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/otelcol-mcp/otelcol-mcp/cmd/mcptap/internal/agents"
	"github.com/otelcol-mcp/otelcol-mcp/cmd/mcptap/internal/hook"
)

// runHook is mcptap hook. It does not go through cobra: agents start it at every
// event. It ends in time even if standard input or the collector does not, and
// a panic is not the agent's either: its exit code would block a tool.
func runHook(args []string, input io.Reader) {
	defer func() { _ = recover() }()
	begun := time.Now()
	time.AfterFunc(hook.Limit, func() { os.Exit(0) })
	c := hook.Parse(args, os.Getenv)
	c.Endpoint = cmp.Or(c.Endpoint, hook.Endpoint(os.Getenv), agents.DefaultEndpoint)
	c.OTLP = cmp.Or(c.OTLP, hook.OTLP(os.Getenv), agents.DefaultOTLP)
	c.Headers = cmp.Or(c.Headers, hook.HeadersOf(os.Getenv))
	c.Now = begun
	c.Home, _ = os.UserHomeDir()
	ctx, cancel := context.WithDeadline(context.Background(), begun.Add(hook.Limit))
	defer cancel()
	_ = c.Send(ctx, input) // a hook has nobody to tell
}

// hookCommand is for the list of commands: main runs a hook without it.
func hookCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "hook AGENT",
		Short: "Pass the input of an agent's hook to the collector",
		Long: `hook is what connect writes into the settings of agents. It reads the input of the
hook from standard input and posts it to the collector, within one second in all. It
prints nothing and always exits with code 0, so that it never disturbs the agent.

MCPTAP_ENDPOINT sets the collector if the command line does not, MCPTAP_HEADERS the
headers, and MCPTAP_AUTHORIZATION an Authorization header.`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			runHook(args, os.Stdin)
			return nil
		},
	}
	cmd.Flags().String("endpoint", agents.DefaultEndpoint, "URL of the collector")
	cmd.Flags().String("otlp-endpoint", agents.DefaultOTLP, "URL of the collector for OTLP; telemetry that the agent sends there is announced")
	cmd.Flags().String("headers", "", "headers for the collector, as NAME=VALUE,NAME=VALUE")
	return cmd
}
