package main

import (
	"cmp"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/otelcol-mcp/otelcol-mcp/cmd/mcptap/internal/agents"
	"github.com/otelcol-mcp/otelcol-mcp/cmd/mcptap/internal/connect"
	"github.com/otelcol-mcp/otelcol-mcp/cmd/mcptap/internal/hook"
	"github.com/otelcol-mcp/otelcol-mcp/cmd/mcptap/internal/settings"
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
	headers  string
	program  string
	all      bool
	dryRun   bool
	diff     bool
	undo     bool
	wrap     bool
	content  bool
	force    bool
}

func connectCommand(code *int) *cobra.Command {
	var c connecting
	cmd := &cobra.Command{
		Use:   "connect AGENT…",
		Short: "Make coding agents report to the collector",
		Long: `connect writes what an agent needs into its settings: hooks that run mcptap, the
addresses for its own telemetry (OpenTelemetry logs, traces and metrics), and the MCP
server of the collector. It keeps comments, order and your other settings, and a copy of
each file. Connecting twice changes nothing, and --undo restores the files.

Agents: ` + strings.Join(agents.Names(), ", ") + `.

The agent's own telemetry has names, sizes, times, tokens and costs, and the details of
tool calls, where the names of MCP servers and tools are. It has prompts and answers
only with --content. The input of hooks has prompts and the arguments and results of
tools: to keep them out, set capture: {payloads: false} on the mcp receiver.

If a setting that connect needs has another value, connect leaves it and everything that
goes with it as it is, and says so. --force replaces it.

The exit code is 0 if all is done, 1 if something was left out, and 2 if nothing could be
done, as with a settings file that cannot be read, or --all where there is no agent.`,
		Example: `  mcptap connect claude-code
  mcptap connect codex --dry-run
  mcptap connect --all
  mcptap connect gemini-cli --undo
  mcptap connect --all --undo --dry-run`,
		Args:              cobra.ArbitraryArgs,
		ValidArgsFunction: completeAgents,
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			*code, err = c.run(cmd.Context(), cmd.OutOrStdout(), args)
			return err
		},
	}
	f := cmd.Flags()
	f.StringVar(&c.scope, "scope", scopeUser, "user: in all your projects; project: in the current folder only")
	f.StringVar(&c.endpoint, "endpoint", cmp.Or(hook.Endpoint(os.Getenv), agents.DefaultEndpoint), "URL of the collector (env MCPTAP_ENDPOINT)")
	f.StringVar(&c.otlp, "otlp-endpoint", hook.OTLP(os.Getenv), "URL of the collector for OTLP over HTTP (default: port 4328 of the same host)")
	f.StringVar(&c.headers, "headers", "", "headers of hooks as NAME=VALUE,NAME=VALUE, such as those that tell tenants apart (env MCPTAP_HEADERS)")
	f.StringVar(&c.program, "mcptap", "", "path of mcptap to write into the settings (default: this program)")
	f.BoolVar(&c.all, "all", false, "every agent on this machine; with --undo, every agent that is connected")
	f.BoolVar(&c.dryRun, "dry-run", false, "change no file; of one agent, print the difference")
	f.BoolVar(&c.diff, "diff", false, "print the difference of each file")
	f.BoolVar(&c.undo, "undo", false, "restore the settings")
	f.BoolVar(&c.wrap, "wrap", false, "also start the agent's MCP servers through mcptap, as mcptap wrap does")
	f.BoolVar(&c.content, "content", false, "let the agent's own telemetry have prompts, answers and the content of tool calls")
	f.BoolVar(&c.force, "force", false, "replace settings that have other values")
	return cmd
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
	r.Target.Content, r.Target.Headers = c.content, cmp.Or(c.headers, hook.HeadersOf(os.Getenv))
	if _, err = hook.Headers(r.Target.Headers); err != nil {
		return r, fmt.Errorf("--headers or MCPTAP_HEADERS: %w", err)
	}
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
		r.Wrap = &settings.Wrapper{Program: r.Target.Program}
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

// programPath is absolute: agents have a search path of their own.
func programPath(named string) (string, error) {
	if named != "" {
		return named, nil
	}
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	if self, err = filepath.EvalSymlinks(self); err != nil {
		return "", err
	}
	return shortPath(self), nil
}
