package main

import (
	"cmp"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/otelcol-mcp/otelcol-mcp/cmd/mcptap/internal/agents"
	"github.com/otelcol-mcp/otelcol-mcp/cmd/mcptap/internal/clientconfig"
	"github.com/otelcol-mcp/otelcol-mcp/cmd/mcptap/internal/connect"
	"github.com/otelcol-mcp/otelcol-mcp/cmd/mcptap/internal/hook"
)

// exitPartly is the exit code when something was left out.
const exitPartly = 1

// The scopes of connect.
const (
	scopeUser    = "user"
	scopeProject = "project"
)

// connecting are the flags of connect.
type connecting struct {
	scope    string
	endpoint string
	otlp     string
	program  string
	all      bool
	dryRun   bool
	undo     bool
	wrap     bool
	content  bool
	force    bool
}

func connectCommand(code *int) *cobra.Command {
	var c connecting
	cmd := &cobra.Command{
		Use:   "connect AGENT",
		Short: "Make a coding agent report to the collector",
		Long: `connect writes what an agent needs into its settings: hooks that run mcptap, the
addresses for its own telemetry (OpenTelemetry logs, traces and metrics), and the MCP
server of the collector. It keeps comments, order and your other settings, prints the
difference and keeps a copy of each file. Connecting twice changes nothing, and --undo
restores the files.

Agents: ` + strings.Join(agents.Names(), ", ") + `.

The agent's own telemetry has names, sizes, times, tokens and costs, and the details of
tool calls, where the names of MCP servers and tools are. It has prompts and answers
only with --content. The input of hooks has prompts and the arguments and results of
tools: to keep them out, set capture: {payloads: false} on the mcp receiver.

If a setting that connect needs has another value, connect leaves it and everything that
goes with it as it is, says so, and exits with code 1. --force replaces it.`,
		Example: `  mcptap connect claude-code
  mcptap connect codex --dry-run
  mcptap connect --all
  mcptap connect gemini-cli --undo`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			*code, err = c.run(cmd.OutOrStdout(), args)
			return err
		},
	}
	f := cmd.Flags()
	f.StringVar(&c.scope, "scope", scopeUser, "user: in all your projects; project: in the current folder only")
	f.StringVar(&c.endpoint, "endpoint", cmp.Or(hook.Endpoint(os.Getenv), agents.DefaultEndpoint), "URL of the collector (env MCPTAP_ENDPOINT)")
	f.StringVar(&c.otlp, "otlp-endpoint", hook.OTLP(os.Getenv), "URL of the collector for OTLP over HTTP (default: port 4328 of the same host)")
	f.StringVar(&c.program, "mcptap", "", "path of mcptap to write into the settings (default: this program)")
	f.BoolVar(&c.all, "all", false, "every agent on this machine")
	f.BoolVar(&c.dryRun, "dry-run", false, "print the difference without changing a file")
	f.BoolVar(&c.undo, "undo", false, "restore the settings")
	f.BoolVar(&c.wrap, "wrap", false, "also start the agent's MCP servers through mcptap, as mcptap wrap does")
	f.BoolVar(&c.content, "content", false, "let the agent's own telemetry have prompts, answers and the content of tool calls")
	f.BoolVar(&c.force, "force", false, "replace settings that have other values")
	return cmd
}

func (c *connecting) run(out io.Writer, args []string) (code int, err error) {
	chosen, err := c.choose(args)
	if err != nil {
		return 0, err
	}
	r, err := c.request()
	if err != nil {
		return 0, err
	}
	for _, r.Agent = range chosen {
		plan, err := c.plan(r)
		if err != nil {
			return 0, fmt.Errorf("%s: %w", r.Agent.Name, err)
		}
		if err := c.carryOut(out, r, plan); err != nil {
			return 0, err
		}
		if len(plan.Blocked) > 0 {
			code = exitPartly
		}
	}
	return code, nil
}

// choose are the agents that the command line names.
func (c *connecting) choose(args []string) ([]*agents.Agent, error) {
	if c.all == (len(args) == 1) {
		return nil, fmt.Errorf("name one agent, or use --all: %s", strings.Join(agents.Names(), ", "))
	}
	if !c.all {
		a := agents.ByName(args[0])
		if a == nil {
			return nil, fmt.Errorf("%q is not an agent that mcptap knows: use %s", args[0], strings.Join(agents.Names(), ", "))
		}
		return []*agents.Agent{a}, nil
	}
	m, err := machine()
	if err != nil {
		return nil, err
	}
	var found []*agents.Agent
	for _, a := range agents.All {
		if a.Found(m) {
			found = append(found, a)
		}
	}
	if found == nil {
		return nil, fmt.Errorf("no agent found on this machine; mcptap knows %s", strings.Join(agents.Names(), ", "))
	}
	return found, nil
}

func machine() (m agents.Machine, err error) {
	m.OS, m.Env = runtime.GOOS, os.Getenv
	m.Home, err = os.UserHomeDir()
	return m, err
}

func (c *connecting) request() (r connect.Request, err error) {
	if r.Machine, err = machine(); err != nil {
		return r, err
	}
	r.Journal.Folder = connect.StateFolder(r.Machine.Home, r.Machine.OS, os.Getenv)
	r.Force = c.force
	r.Target.Content = c.content
	if r.Target.Program, err = programPath(c.program); err != nil {
		return r, err
	}
	if !filepath.IsAbs(r.Target.Program) {
		return r, fmt.Errorf("--mcptap %q is not an absolute path", c.program)
	}
	if err = c.endpoints(&r.Target); err != nil {
		return r, err
	}
	switch c.scope {
	case scopeUser:
	case scopeProject:
		if r.Target.Project, err = workingFolder(); err != nil {
			return r, err
		}
	default:
		return r, fmt.Errorf("--scope %q is neither user nor project", c.scope)
	}
	if c.wrap {
		r.Wrap = &clientconfig.Wrapper{Program: r.Target.Program}
		if r.Target.Endpoint != agents.DefaultEndpoint {
			r.Wrap.Flags = []string{"--endpoint", r.Target.Endpoint + "/v1/observations"}
		}
	}
	return r, nil
}

// workingFolder has no symbolic links, as agents see it.
func workingFolder() (string, error) {
	folder, err := os.Getwd()
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(folder)
}

func (c *connecting) endpoints(t *agents.Target) error {
	t.Endpoint = hook.Base(c.endpoint)
	u, err := address("--endpoint", t.Endpoint, agents.DefaultEndpoint, "MCPTAP_AUTHORIZATION")
	if err != nil {
		return err
	}
	if t.OTLP = hook.Base(c.otlp); t.OTLP == "" {
		t.OTLP = (&url.URL{Scheme: u.Scheme, Host: hostPort(u.Hostname(), "4328")}).String()
	}
	_, err = address("--otlp-endpoint", t.OTLP, agents.DefaultOTLP, "OTEL_EXPORTER_OTLP_HEADERS")
	return err
}

// address is a URL without a password, which would stand in commands of hooks:
// there is a variable for it.
func address(flag, value, example, variable string) (*url.URL, error) {
	u, err := url.Parse(value)
	switch {
	case err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https"):
		return nil, fmt.Errorf("%s %q is not an http or https URL, such as %s", flag, masked(value), example)
	case u.User != nil:
		return nil, fmt.Errorf("%s must not have a user name or a password: set %s in the environment of the agent", flag, variable)
	}
	return u, nil
}

func hostPort(host, port string) string {
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	return host + ":" + port
}

func (c *connecting) plan(r connect.Request) (*connect.Plan, error) {
	if c.undo {
		return connect.Undo(r)
	}
	return connect.New(r)
}

// programPath is absolute: agents have a search path of their own.
func programPath(named string) (string, error) {
	if named != "" {
		return named, nil
	}
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(self)
}
