// Command mcptap sits between an MCP or ACP client and its server and reports to a
// collector what passes. All bytes pass through unchanged, and neither side
// notices when the collector is slow, misconfigured or unreachable.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/otelcol-mcp/otelcol-mcp/internal/version"
)

// exitUsage is the exit code when a command could not do what was asked.
const exitUsage = 2

func main() {
	if isHook(os.Args) {
		runHook(os.Args[2:], os.Stdin)
		return
	}
	tuneGOMAXPROCS()
	cmd, code := root()
	if err := cmd.ExecuteContext(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, "mcptap:", err)
		if *code == 0 {
			*code = exitUsage
		}
	}
	os.Exit(*code)
}

// tuneGOMAXPROCS leaves a processor for the goroutines that pass bytes on, even
// while the observer and the sender hold one each.
func tuneGOMAXPROCS() {
	if os.Getenv("GOMAXPROCS") == "" {
		runtime.GOMAXPROCS(runtime.NumCPU() + 2)
	}
}

func root() (cmd *cobra.Command, code *int) {
	code = new(int)
	var o options
	cmd = &cobra.Command{
		Use:   "mcptap [flags] -- command [args…]",
		Short: "Connect coding agents to a collector, and trace MCP servers",
		Long: `mcptap makes AI agents visible in otelcol-mcp, or in another OpenTelemetry Collector with
the mcp receiver.

mcptap connect makes a coding agent, such as Claude Code or Codex, report what it does;
mcptap status shows which agents are connected.

Before the command of an MCP server, or of an ACP agent, mcptap starts it and passes
standard input, output and error, signals and the exit code through unchanged. It reports
the messages that pass, and the collector turns them into a trace. If the collector is
slow or unreachable, records that do not fit the queue are dropped; the client and the
server are not affected. mcptap wrap writes that into a client's configuration, and
mcptap http does the same for a server with a URL.`,
		Example: `  mcptap connect claude-code
  mcptap connect --all
  mcptap status
  mcptap -- npx -y @modelcontextprotocol/server-everything
  mcptap --server files --file out.ndjson -- ./my-server --root /srv
  mcptap --protocol acp -- my-agent
  mcptap http --listen localhost:9100 --target http://localhost:3001/mcp
  mcptap wrap --dry-run ~/.cursor/mcp.json
  mcptap replay out.ndjson`,
		Args:              cobra.ArbitraryArgs,
		SilenceUsage:      true,
		SilenceErrors:     true,
		Version:           version.String(),
		CompletionOptions: cobra.CompletionOptions{DisableDefaultCmd: true},
		RunE: func(_ *cobra.Command, args []string) (err error) {
			if len(args) == 0 { // standard output is the protocol's
				return errNoServer
			}
			*code, err = tapCommand(&o, args)
			return misspelt(cmd, args[0], err)
		},
		SuggestionsMinimumDistance: 2,
	}
	cmd.Flags().SetInterspersed(false)
	o.register(cmd.Flags())
	o.registerPeers(cmd.Flags())
	cmd.Flags().StringVar(&o.protocol, "protocol", "mcp", "protocol of client and server: mcp or acp")
	cmd.Flags().StringVar(&o.agent, "agent-session", os.Getenv(agentSessionEnv),
		"session of the agent that the server's calls belong to (env "+agentSessionEnv+")")
	cmd.AddCommand(connectCommand(code), hookCommand(), httpCommand(), wrapCommand(), replayCommand(code), statusCommand(code))
	return cmd, code
}

var errNoServer = errors.New("nothing to do: connect a coding agent with mcptap connect, or add the command of a server after --, as in mcptap -- npx -y @modelcontextprotocol/server-everything, or see mcptap --help")

// misspelt adds the command of mcptap that may be meant by a program that is not
// found.
func misspelt(cmd *cobra.Command, program string, err error) error {
	if !errors.Is(err, exec.ErrNotFound) {
		return err
	}
	if program == "version" { // which is no command, so that nothing like it is suggested
		return fmt.Errorf("%w; do you mean mcptap --version?", err)
	}
	if meant := cmd.SuggestionsFor(program); len(meant) > 0 {
		return fmt.Errorf("%w; do you mean mcptap %s?", err, meant[0])
	}
	return err
}

// exactlyOne is for commands that work on one file: without says what to name, and
// several that there are too many.
func exactlyOne(without, several string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		switch len(args) {
		case 0:
			return errors.New(without)
		case 1:
			return nil
		}
		return fmt.Errorf("%s, not %d", several, len(args))
	}
}

// interrupted ends with SIGINT or SIGTERM.
func interrupted() (context.Context, context.CancelFunc) {
	return signal.NotifyContext(context.Background(), stopSignals...)
}
