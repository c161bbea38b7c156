package agents

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-mcp/otelcol-mcp/test/agents/model"
	"github.com/otelcol-mcp/otelcol-mcp/test/harness"
)

// deadline bounds one run of an agent. A run takes seconds; this is for a machine that
// has much else to do.
const deadline = 4 * time.Minute

// agent is one of the programs that the tests run.
type agent struct {
	name    string // as mcptap connect has it
	title   string // for people
	variant string // what else it does than the common session
	program string // in node_modules/.bin
	npm     string // name of the package
	// anonymous is set if nothing in its calls to servers says whose they are.
	anonymous bool
	// scripts are the model's answers.
	scripts func() []model.Script
	// configure writes the settings that have nothing to do with telemetry: the
	// model, the permissions, the MCP servers.
	configure func(t *testing.T, s *scene)
	// environment returns the variables that the program needs.
	environment func(s *scene) []string
	// runs are the command lines, one after another.
	runs func(s *scene) [][]string
	// before starts what has to run beside the program; nil: nothing.
	before func(t *testing.T, s *scene)
	// keep takes out of the settings what the mode does without.
	keep func(t *testing.T, s *scene, m mode)
	// stdin returns the program's input; nil: none.
	stdin func() string
}

func (a *agent) String() string {
	if a.variant != "" {
		return a.name + "-" + a.variant
	}
	return a.name
}

// scene is a home, a project, a model and two MCP servers for one session of an
// agent.
type scene struct {
	agent         *agent
	home, project string
	model         *model.Server
	toolserver    string
	httpURL       string
	extra         []string // environment of the mode
	mode          mode
	server        string // URL of what runs beside the agent
	output        screen
	before, after tree     // files, before and after mcptap connect
	connectArgs   []string // of mcptap connect
}

// screen holds what a program writes. It is safe for concurrent use.
type screen struct {
	mu  sync.Mutex
	all bytes.Buffer
}

func (o *screen) Write(data []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.all.Write(data)
}

func (o *screen) String() string { return o.from(0) }

func (o *screen) size() int { return len(o.String()) }

// from returns what was written behind the first n bytes.
func (o *screen) from(n int) string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return string(o.all.Bytes()[n:])
}

// marker is in the prompt of the main conversation, childMarker in that of its
// sub-agent.
const (
	marker      = "scripted-main-task"
	childMarker = "scripted-child-task"
	prompt      = "Please do the " + marker + " now."
)

// stage prepares a scene.
func stage(t *testing.T, a *agent) *scene {
	t.Helper()
	dir := t.TempDir()
	s := &scene{agent: a, home: filepath.Join(dir, "home"), project: filepath.Join(dir, "project")}
	require.NoError(t, os.MkdirAll(s.home, 0o755))
	require.NoError(t, os.MkdirAll(s.project, 0o755))
	s.write(t, filepath.Join(s.project, "notes.txt"), "The answer is 42.\n")
	s.toolserver = harness.Program(t, "agents/toolserver")
	var err error
	s.model, err = model.Start(harness.FreeAddress(t), a.scripts()...)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.model.Close()) })
	s.serveHTTP(t)
	a.configure(t, s)
	return s
}

// serveHTTP starts the MCP server that agents reach over HTTP.
func (s *scene) serveHTTP(t *testing.T) {
	t.Helper()
	address := harness.FreeAddress(t)
	s.httpURL = "http://" + address
	p := harness.Start(t, "toolserver", s.toolserver, nil, []string{"-http", address, "-name", "remote", "-seen", s.seenFile("remote")})
	p.Ready(t, func() bool { return harness.Listens(address) })
}

// tapHTTP puts mcptap http before the server that agents reach over HTTP.
func (s *scene) tapHTTP(t *testing.T, c *collector) {
	t.Helper()
	address := harness.FreeAddress(t)
	args := []string{"http", "--listen", address, "--target", s.httpURL, "--endpoint", c.base + "/v1/observations"}
	p := harness.Start(t, "mcptap http", harness.Tap(t), nil, args)
	p.Ready(t, func() bool { return harness.Listens(address) })
	s.httpURL = "http://" + address
	s.agent.configure(t, s)
}

// seenFile is where an MCP server writes the calls that it gets.
func (s *scene) seenFile(server string) string {
	return filepath.Join(filepath.Dir(s.home), server+".ndjson")
}

func (s *scene) write(t *testing.T, path, text string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
}

func (s *scene) writeJSON(t *testing.T, path string, v any) {
	t.Helper()
	data, err := json.MarshalIndent(v, "", "  ")
	require.NoError(t, err)
	s.write(t, path, string(data)+"\n")
}

// readJSON reads settings that exist, to add to them.
func (s *scene) readJSON(t *testing.T, path string) map[string]any {
	t.Helper()
	all := map[string]any{}
	data, err := os.ReadFile(path)
	if os.IsNotExist(err) {
		return all
	}
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(data, &all))
	return all
}

// stdioArgs is the command line of the MCP server that agents start themselves.
func (s *scene) stdioArgs() []string { return []string{"-name", "local", "-seen", s.seenFile("local")} }

// env is all that an agent gets of an environment: nothing of the user's, and no
// way to a network but loopback.
func (s *scene) env() []string {
	const nowhere = "http://127.0.0.1:9"
	env := []string{
		"PATH=" + filepath.Dir(node()) + ":" + os.Getenv("PATH"), "HOME=" + s.home, "TMPDIR=" + os.TempDir(), "LANG=C.UTF-8", "TERM=dumb",
		"XDG_CONFIG_HOME=" + filepath.Join(s.home, ".config"), "XDG_DATA_HOME=" + filepath.Join(s.home, ".local/share"),
		"XDG_STATE_HOME=" + filepath.Join(s.home, ".local/state"), "XDG_CACHE_HOME=" + filepath.Join(s.home, ".cache"),
		"HTTP_PROXY=" + nowhere, "HTTPS_PROXY=" + nowhere, "http_proxy=" + nowhere, "https_proxy=" + nowhere,
		"NO_PROXY=127.0.0.1,localhost", "no_proxy=127.0.0.1,localhost",
	}
	env = append(env, s.agent.environment(s)...)
	return append(env, s.extra...)
}

// play runs the agent to its end. What it started ends with it.
func (s *scene) play(t *testing.T) {
	t.Helper()
	if s.agent.before != nil {
		s.agent.before(t, s)
	}
	for _, args := range s.agent.runs(s) {
		s.run(t, args)
	}
}

// serve starts the agent's program as a server, which ends with the test.
func (s *scene) serve(t *testing.T, address string, args ...string) {
	t.Helper()
	cmd := exec.Command(s.agent.path(t), args...)
	cmd.Dir, cmd.Env = s.project, s.env()
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	require.NoError(t, cmd.Start())
	group := cmd.Process.Pid
	t.Cleanup(func() {
		_ = syscall.Kill(-group, syscall.SIGKILL)
		_ = cmd.Wait()
	})
	harness.Eventually(t, s.agent.name+" does not listen at "+address, func() bool { return harness.Listens(address) })
	s.server = "http://" + address
}

func (s *scene) run(t *testing.T, args []string) {
	t.Helper()
	cmd := exec.Command(s.agent.path(t), args...)
	cmd.Dir, cmd.Env = s.project, s.env()
	cmd.Stdout, cmd.Stderr = &s.output, &s.output
	if s.agent.stdin != nil {
		cmd.Stdin = strings.NewReader(s.agent.stdin())
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.WaitDelay = 5 * time.Second
	require.NoError(t, cmd.Start())
	group := cmd.Process.Pid
	late := time.AfterFunc(deadline, func() { _ = syscall.Kill(-group, syscall.SIGKILL) })
	err := cmd.Wait()
	inTime := late.Stop()
	_ = syscall.Kill(-group, syscall.SIGKILL)
	require.True(t, inTime, "%s did not end within %s\n%s", s.agent.name, deadline, &s.output)
	if err != nil {
		t.Logf("%s ends with %v", s.agent.name, err)
	}
}

// folder names the folder that npm installed the agents in. Without it no agent
// runs: they are large, and make agents sets it.
const folder = "AGENTS"

// path returns that of the agent's program, which npm brought.
func (a *agent) path(t *testing.T) string {
	t.Helper()
	dir := os.Getenv(folder)
	if dir == "" {
		t.Skip("make agents runs real agents")
	}
	absent, _ := os.ReadFile(filepath.Join(dir, "node_modules", ".absent")) // which install.sh writes
	if strings.Contains("\n"+string(absent), "\n"+a.npm+"@") {
		t.Skip("NOT RUN: the registry of npm lacks " + a.npm)
	}
	path := filepath.Join(dir, "node_modules", ".bin", a.program)
	if !harness.IsFile(path) {
		harness.Missing(t, a.program+" is not installed in "+dir)
	}
	return path
}

func node() string {
	path, err := exec.LookPath("node")
	if err != nil {
		return ""
	}
	return path
}
