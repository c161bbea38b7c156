package main

import (
	"cmp"
	"context"
	"io"
	"os"
	"os/exec"
	"runtime"
	"time"

	"github.com/spf13/cobra"

	"github.com/otelcol-mcp/otelcol-mcp/cmd/mcptap/internal/agents"
	"github.com/otelcol-mcp/otelcol-mcp/cmd/mcptap/internal/connect"
	"github.com/otelcol-mcp/otelcol-mcp/cmd/mcptap/internal/hook"
	"github.com/otelcol-mcp/otelcol-mcp/internal/process"
)

// deliveryLimit bounds a delivery in the background.
const deliveryLimit = 30 * time.Second

// isHook reports whether a command line is for [runHook]: all of hook but its help.
func isHook(args []string) bool {
	help := len(args) == 3 && (args[2] == "--help" || args[2] == "-h")
	return len(args) > 1 && args[1] == "hook" && !help
}

// runHook is mcptap hook. It does not go through cobra: agents start it at every
// event. It ends in time even if standard input or the collector does not, and
// a panic is not the agent's either: its exit code would block a tool.
func runHook(args []string, input io.Reader) {
	defer func() { _ = recover() }()
	c := hook.Parse(args, os.Getenv)
	c.Endpoint = cmp.Or(c.Endpoint, hook.Endpoint(os.Getenv), agents.DefaultEndpoint)
	c.OTLP = cmp.Or(c.OTLP, hook.OTLP(os.Getenv), agents.DefaultOTLP)
	c.Headers = cmp.Or(c.Headers, hook.HeadersOf(os.Getenv))
	c.Now, c.Process = time.Now(), process.Agent()
	limit := hook.Limit
	if c.Deliver {
		limit = deliveryLimit
	}
	time.AfterFunc(limit, func() { os.Exit(0) })
	ctx, cancel := context.WithDeadline(context.Background(), c.Now.Add(limit))
	defer cancel()
	if home, err := os.UserHomeDir(); err == nil {
		c.Home, c.State = home, connect.StateFolder(home, runtime.GOOS, os.Getenv)
		_ = os.Remove(agents.FailedHook(c.State, c.Agent)) // the last one that could not run
	}
	if c.Deliver {
		c.SendWaiting(ctx)
		return
	}
	c.Background = deliverInBackground
	_ = c.Send(ctx, input) // a hook has nobody to tell
}

// deliverInBackground starts a process that outlives the hook and the agent.
func deliverInBackground(c hook.Call) {
	self, err := os.Executable()
	if err != nil {
		return
	}
	cmd := exec.Command(self, "hook", "--deliver", "--endpoint", c.Endpoint) //nolint:gosec // this program
	cmd.Dir = c.State
	detach(cmd)
	if cmd.Start() == nil {
		_ = cmd.Process.Release()
	}
}

// hookCommand is for the list of commands: main runs a hook without it.
func hookCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "hook AGENT",
		Short: "Pass the input of an agent's hook to the collector",
		Long: `hook is what connect writes into the settings of agents. It reads the input of the
hook from standard input and posts it to the collector. It prints nothing and always
exits with code 0, so that it never disturbs the agent.

If the collector does not answer within 300 milliseconds, the input waits on disk, and
further hooks do not wait for the collector. A process in the background sends what waits
when the collector is back: at most 16 MiB, not older than an hour.

MCPTAP_ENDPOINT sets the collector if the command line does not, MCPTAP_HEADERS the
headers, and MCPTAP_AUTHORIZATION an Authorization header.`,
		Args:              cobra.ArbitraryArgs,
		ValidArgsFunction: completeAgents,
		RunE: func(_ *cobra.Command, args []string) error {
			runHook(args, os.Stdin)
			return nil
		},
	}
	cmd.Flags().String("endpoint", agents.DefaultEndpoint, "URL of the collector")
	cmd.Flags().String("otlp-endpoint", agents.DefaultOTLP, "URL of the collector for OTLP; telemetry that the agent sends there is announced")
	cmd.Flags().String("event", "", "name of the event, for input that does not have it")
	cmd.Flags().String("headers", "", "headers for the collector, as NAME=VALUE,NAME=VALUE")
	return cmd
}
