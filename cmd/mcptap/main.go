// Command mcptap sits between an MCP or ACP client and its server and reports to a
// collector what passes. All bytes pass through unchanged, and neither side
// notices when the collector is slow, misconfigured or unreachable.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/otelcol-mcp/otelcol-mcp/internal/version"
)

// exitUsage is the exit code when a command could not do what was asked.
const exitUsage = 2

// terminal is where messages go.
var terminal = printable{os.Stderr}

func main() {
	if isHook(os.Args) {
		runHook(os.Args[2:], os.Stdin)
		return
	}
	tuneGOMAXPROCS()
	cmd, code := root()
	cmd.SetOut(printable{os.Stdout})
	cmd.SetErr(terminal)
	if err := cmd.ExecuteContext(context.Background()); err != nil {
		fmt.Fprintln(terminal, "mcptap:", err)
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
  mcptap demo
  mcptap -- npx -y @modelcontextprotocol/server-everything
  mcptap --server files --file out.ndjson -- ./my-server --root /srv
  mcptap --protocol acp -- my-agent
  mcptap http --listen localhost:9100 --target http://localhost:3001/mcp
  mcptap wrap --dry-run ~/.cursor/mcp.json
  mcptap replay out.ndjson`,
		Args:          cobra.ArbitraryArgs,
		SilenceUsage:  true,
		SilenceErrors: true,
		Version:       version.String(),
		RunE: func(c *cobra.Command, args []string) (err error) {
			if len(args) == 0 { // standard output is the protocol's
				return errNoServer
			}
			if c.ArgsLenAtDash() < 0 {
				if err = misspelt(c, args[0]); err != nil {
					return err
				}
			}
			*code, err = tapCommand(&o, args)
			return err
		},
	}
	cmd.SetFlagErrorFunc(unknownFlag)
	cmd.SetHelpTemplate(helpTemplate)
	cmd.SetUsageTemplate(usageTemplate)
	cmd.Flags().SetInterspersed(false)
	o.register(cmd.Flags())
	o.registerPeers(cmd.Flags())
	cmd.Flags().StringVar(&o.protocol, "protocol", "mcp", "protocol of client and server: mcp or acp")
	cmd.Flags().StringVar(&o.agent, "agent-session", os.Getenv(agentSessionEnv),
		"session of the agent that the server's calls belong to (env "+agentSessionEnv+")")
	cmd.AddCommand(connectCommand(code), exportCommand(), hookCommand(), httpCommand(), wrapCommand(), replayCommand(code), statusCommand(code), demoCommand(), serviceCommand(code))
	return cmd, code
}

var errNoServer = errors.New("nothing to do: connect a coding agent with mcptap connect, or add the command of a server after --, as in mcptap -- npx -y @modelcontextprotocol/server-everything, or see mcptap --help")

// misspelt reports a word that is nearly a command. It is no program, unless it is behind --.
func misspelt(cmd *cobra.Command, word string) error {
	meant := nearest(word, commandNames(cmd))
	if word == "version" || word == "ver" {
		meant = "--version"
	}
	if meant == "" {
		return nil
	}
	return fmt.Errorf("%q is no command: do you mean mcptap %s? To run a program of that name: mcptap -- %s", word, meant, word)
}

func commandNames(cmd *cobra.Command) (names []string) {
	for _, c := range cmd.Commands() {
		names = append(names, c.Name())
	}
	return names
}

// nearest is the name that is most like a word, "" if none is.
func nearest(word string, names []string) string {
	all := cobra.Command{SuggestionsMinimumDistance: 2}
	for _, name := range names {
		all.AddCommand(&cobra.Command{Use: name, Run: func(*cobra.Command, []string) {}})
	}
	if found := all.SuggestionsFor(word); len(found) > 0 {
		return found[0]
	}
	return ""
}

// unknownFlag adds the flag that may be meant.
func unknownFlag(cmd *cobra.Command, err error) error {
	unknown, ok := errors.AsType[*pflag.NotExistError](err)
	if !ok {
		return err
	}
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	if meant := nearest(unknown.GetSpecifiedName(), names); meant != "" {
		return fmt.Errorf("%w; do you mean --%s?", err, meant)
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
