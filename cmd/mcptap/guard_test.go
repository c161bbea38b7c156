//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-mcp/otelcol-mcp/cmd/mcptap/internal/agents"
	"github.com/otelcol-mcp/otelcol-mcp/cmd/mcptap/internal/settings"
)

// hookCommands are the commands of an agent's hooks as connect writes them, each once.
func hookCommands(t *testing.T, agent string, target agents.Target) (all []string) {
	t.Helper()
	m := agents.Machine{Home: t.TempDir(), OS: "linux", Env: func(string) string { return "" }}
	for _, f := range agents.ByName(agent).Files(m, target) {
		for _, s := range f.Settings {
			text, err := settings.Marshal(s.Value)
			require.NoError(t, err)
			var v any
			require.NoError(t, json.Unmarshal(text, &v))
			all = append(all, shellCommands(v)...)
		}
	}
	return all
}

// shellCommands are what an agent gives to a shell on Unix.
func shellCommands(v any) (all []string) {
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			all = append(all, shellCommands(e)...)
		}
	case map[string]any:
		for key, e := range v {
			if command, ok := e.(string); ok && (key == "command" || key == "bash") {
				all = append(all, command)
			} else {
				all = append(all, shellCommands(e)...)
			}
		}
	}
	return all
}

// shells are those of this machine that agents run commands with.
func shells() (found []string) {
	for _, name := range []string{"sh", "dash", "bash", "zsh", "fish"} {
		if path, err := exec.LookPath(name); err == nil {
			found = append(found, path)
		}
	}
	return found
}

// failures are what can become of the program. Each makes it, and says how the hook's exit
// code is reported (a regular expression), "" if the hook does its work.
var failures = map[string]struct {
	program func(t *testing.T, folder string) string
	env     []string
	before  string // what the shell runs before
	code    string
}{
	"missing":    {program: func(_ *testing.T, folder string) string { return filepath.Join(folder, "none") }, code: "127"},
	"unreadable": {program: file(nil, 0o000), code: "126"},
	"cut":        {program: file([]byte("\x7fELF\x02\x01\x01"), 0o755), code: "126"},
	"a folder":   {program: func(_ *testing.T, folder string) string { return folder }, code: "126"},
	"GOMEMLIMIT": {program: itself, env: []string{"GOMEMLIMIT=4G"}},
	"GOGC":       {program: itself, env: []string{"GOGC=x", "GOMAXPROCS=x", "GOTRACEBACK=crash"}},
	"GODEBUG":    {program: itself, env: []string{"GODEBUG=fips140=only,inittrace=1,gctrace=1"}},
	"memory":     {program: itself, before: "ulimit -v 60000; ", code: "2|139"}, // the race detector's runtime crashes
	"panic":      {program: itself, env: []string{partEnv + "=panic"}, code: "2"},
	"prints":     {program: itself, env: []string{partEnv + "=printer"}, code: "2"},
	"quoted":     {program: link("it's a \"$HOME\" `x`")},
}

func file(text []byte, mode os.FileMode) func(*testing.T, string) string {
	return func(t *testing.T, folder string) string {
		t.Helper()
		path := filepath.Join(folder, "mcptap")
		require.NoError(t, os.WriteFile(path, text, mode))
		return path
	}
}

func itself(t *testing.T, _ string) string {
	t.Helper()
	return self(t)
}

func link(name string) func(*testing.T, string) string {
	return func(t *testing.T, folder string) string {
		t.Helper()
		path := filepath.Join(folder, name)
		require.NoError(t, os.Symlink(self(t), path))
		return path
	}
}

// Whatever becomes of the program, the hook of each agent ends with exit code 0 and prints
// nothing, in each shell; and what the input is still gets through if the program can run.
func TestHooksNeverBlock(t *testing.T) {
	var got atomic.Value // what came last; a hook that was given up may come late
	collector := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got.Store(string(body))
	}))
	defer collector.Close()
	for name, f := range failures {
		t.Run(name, func(t *testing.T) {
			if f.before != "" && runtime.GOOS != "linux" {
				return // where no shell limits the memory of a program
			}
			for i, agent := range []string{"claude-code", "codex", "gemini-cli", "cursor", "copilot"} {
				folder, state := t.TempDir(), t.TempDir()
				commands := hookCommands(t, agent, agents.Target{Program: f.program(t, folder), Endpoint: collector.URL, OTLP: collector.URL, State: state})
				require.NotEmpty(t, commands)
				for j, shell := range shells() {
					if i > 0 && j > 0 {
						break // agents differ in the name only
					}
					got.Store("")
					cmd := exec.Command(shell, "-c", f.before+commands[0])
					cmd.Env = append(append(os.Environ(), partEnv+"=mcptap", "HOME="+tempHome(t), "XDG_STATE_HOME="), f.env...)
					cmd.Stdin = strings.NewReader(`{"session_id":"s"}`)
					var out, errors bytes.Buffer
					cmd.Stdout, cmd.Stderr = &out, &errors
					require.NoError(t, cmd.Run(), "%s: %s", shell, commands[0])
					assert.Empty(t, out.String(), shell)
					assert.Empty(t, errors.String(), shell)
					code, _ := os.ReadFile(agents.FailedHook(state, agent))
					assert.Regexp(t, "^("+f.code+")$", strings.TrimSpace(string(code)), "%s %s", agent, shell)
					if f.code == "" {
						assert.JSONEq(t, `{"session_id":"s"}`, got.Load().(string), "%s %s", agent, shell)
					}
				}
			}
		})
	}
}

// All hooks of an agent are guarded alike.
func TestAllHooksAreGuarded(t *testing.T) {
	for _, a := range agents.All {
		commands := hookCommands(t, a.Name, agents.Target{Program: "/opt/bin/mcptap", Endpoint: agents.DefaultEndpoint, OTLP: agents.DefaultOTLP, State: "/s"})
		assert.Equal(t, a.Name == "opencode", len(commands) == 0, a.Name)
		for _, command := range commands {
			if a.Name == "copilot" {
				command = regexp.MustCompile(" --event [A-Z][A-Za-z]+$").ReplaceAllString(command, " --event SessionStart")
			}
			assert.Equal(t, commands[0], command)
			assert.True(t, a.IsOurs(command))
		}
	}
}

// A signal to the whole group, as by Ctrl-\ or by an agent that ends its hooks, is no
// exit code for the agent either.
func TestHookEndsWellBySignals(t *testing.T) {
	for _, signal := range []syscall.Signal{syscall.SIGQUIT, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP} {
		for _, shell := range shells() {
			commands := hookCommands(t, "claude-code", agents.Target{Program: self(t), Endpoint: agents.DefaultEndpoint, OTLP: agents.DefaultOTLP, State: t.TempDir()})
			cmd := exec.Command(shell, "-c", commands[0])
			cmd.Env = append(os.Environ(), partEnv+"=wait")
			cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
			var out bytes.Buffer
			cmd.Stdout, cmd.Stderr = &out, &out
			require.NoError(t, cmd.Start())
			time.Sleep(300 * time.Millisecond)
			require.NoError(t, syscall.Kill(-cmd.Process.Pid, signal))
			require.NoError(t, cmd.Wait(), "%s %s", shell, signal)
			assert.Empty(t, out.String())
		}
	}
}

// Without a folder for its exit code a hook ends well, too.
func TestHookWithoutState(t *testing.T) {
	commands := hookCommands(t, "codex", agents.Target{Program: "/no/such/mcptap", Endpoint: agents.DefaultEndpoint, OTLP: agents.DefaultOTLP, State: "/no/such/folder"})
	for _, shell := range shells() {
		out, err := exec.Command(shell, "-c", commands[0]).CombinedOutput()
		require.NoError(t, err)
		assert.Empty(t, string(out))
	}
}

// Hooks as an earlier version wrote them can block their agent: status names them, and the
// next connect renews them.
func TestEarlierHooksAreRenewed(t *testing.T) {
	home := newHome(t, tree{".cursor/x": ""})
	t.Setenv("PATH", home)
	url := collectorStub(t, `{"sessions":[]}`)
	where := []string{"--endpoint", url, "--otlp-endpoint", url}
	program := filepath.Join(home, "mcptap")
	require.NoError(t, os.WriteFile(program, nil, 0o600))
	connect := slices.Concat(where, []string{"cursor", "--mcptap", program})
	_, _ = connectAt(t, home, connect...)
	path := filepath.Join(home, ".cursor/hooks.json")
	written, err := os.ReadFile(path)
	require.NoError(t, err)
	commands := hookCommands(t, "cursor", agents.Target{Program: program, Endpoint: url, OTLP: url, State: filepath.Join(home, ".local/state/otelcol-mcp/mcptap")})
	now, err := json.Marshal(commands[0])
	require.NoError(t, err)
	earlier, err := json.Marshal(commands[0][strings.LastIndex(commands[0], program):])
	require.NoError(t, err)
	quoted := func(text []byte) string {
		return strings.NewReplacer(`\u003e`, ">", `\u0026`, "&").Replace(string(text))
	}
	old := strings.ReplaceAll(string(written), quoted(now), quoted(earlier))
	require.NotEqual(t, old, string(written))
	require.NoError(t, os.WriteFile(path, []byte(old), 0o600))

	out, code := statusAt(t, home, append(where, "--web-ui", url)...)
	assert.Equal(t, exitPartly, code)
	assert.Contains(t, out, "Cursor: its hooks are not as this version writes them: the next mcptap connect renews them\n")
	assert.Contains(t, out, "run: mcptap connect cursor\n")
	_, _ = connectAt(t, home, connect...)
	renewed, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, strings.Count(string(written), quoted(now)), strings.Count(string(renewed), quoted(now)))
	assert.NotContains(t, string(renewed), quoted(earlier))
}

// badCollectors are what may be at the collector's address.
func badCollectors(t *testing.T) map[string]string {
	t.Helper()
	serve := func(answer func(net.Conn)) string {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		require.NoError(t, err)
		t.Cleanup(func() { l.Close() })
		go func() {
			for {
				c, err := l.Accept()
				if err != nil {
					return
				}
				go answer(c)
			}
		}()
		return "http://" + l.Addr().String()
	}
	slowly := func(text string) func(net.Conn) {
		return func(c net.Conn) {
			for {
				for i := range text {
					if _, err := c.Write([]byte{text[i]}); err != nil {
						return
					}
					time.Sleep(50 * time.Millisecond)
				}
			}
		}
	}
	return map[string]string{
		"hangs":        serve(func(net.Conn) {}),
		"byte by byte": serve(slowly("HTTP/1.1 200 OK\r\nX: y\r\n")),
		"rubbish":      serve(func(c net.Conn) { _, _ = c.Write(bytes.Repeat([]byte("\x00rubbish"), 1<<16)); c.Close() }),
		"closes":       serve(func(c net.Conn) { c.Close() }),
		"is not there": "http://127.0.0.1:1",
	}
}

// A collector that does not answer costs its agent 400 ms once, and 60 ms for each hook
// after it: the test logs both, to which the start of its program is added, and holds that
// a session does not wait for each hook.
func TestHooksDoNotWait(t *testing.T) {
	for name, endpoint := range badCollectors(t) {
		t.Run(name, func(t *testing.T) {
			home := tempHome(t)
			run := func() time.Duration {
				cmd := mcptap(t, "hook", "claude-code", "--endpoint", endpoint)
				cmd.Stdin = strings.NewReader(`{"session_id":"s","hook_event_name":"Stop"}`)
				cmd.Env = append(cmd.Env, "HOME="+home, "XDG_STATE_HOME=")
				begun := time.Now()
				require.NoError(t, cmd.Run())
				return time.Since(begun)
			}
			first := run()
			var later []time.Duration
			for range 11 {
				later = append(later, run())
			}
			slices.Sort(later)
			t.Logf("first %s, later %s", first, later)
			total := first
			for _, one := range later {
				total += one
			}
			assert.Less(t, total-12*startOf(t), 3*time.Second, "in a whole session")
			waiting, err := filepath.Glob(filepath.Join(home, ".local/state/otelcol-mcp/mcptap/undelivered-*/*.item"))
			require.NoError(t, err)
			assert.Len(t, waiting, 12)
		})
	}
}

// startOf is how long this test's program takes to start and to end.
func startOf(t *testing.T) time.Duration {
	t.Helper()
	best := time.Hour
	for range 5 {
		cmd := mcptap(t, "--version")
		begun := time.Now()
		require.NoError(t, cmd.Run())
		best = min(best, time.Since(begun))
	}
	return best
}

// What could not be delivered arrives when the collector is back: with the times of its
// hooks, in their order, once, and without another hook.
func TestHooksArriveLater(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	address := l.Addr().String()
	require.NoError(t, l.Close())
	home := tempHome(t)
	for i := range 5 {
		cmd := mcptap(t, "hook", "claude-code", "--endpoint", "http://"+address)
		cmd.Stdin = strings.NewReader(fmt.Sprintf(`{"session_id":"s","n":%d}`, i))
		cmd.Env = append(cmd.Env, "HOME="+home, "XDG_STATE_HOME=", "MCPTAP_AUTHORIZATION=Bearer x")
		require.NoError(t, cmd.Run())
	}
	ended := time.Now()
	arrived := make(chan string, 100)
	l, err = net.Listen("tcp", address)
	require.NoError(t, err)
	server := &http.Server{Handler: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		at, _ := strconv.ParseInt(r.URL.Query().Get("time"), 10, 64)
		assert.True(t, time.Unix(0, at).Before(ended))
		assert.Equal(t, "Bearer x", r.Header.Get("Authorization"))
		arrived <- string(body)
	}), ReadHeaderTimeout: time.Minute}
	go func() { _ = server.Serve(l) }()
	defer server.Close()
	for i := range 5 {
		select {
		case text := <-arrived:
			assert.Equal(t, fmt.Sprintf(`{"session_id":"s","n":%d}`, i), text)
		case <-time.After(20 * time.Second):
			t.Fatal("it did not arrive")
		}
	}
	folder := filepath.Join(home, ".local/state/otelcol-mcp/mcptap")
	require.Eventually(t, func() bool {
		left, _ := filepath.Glob(filepath.Join(folder, "undelivered-*/*.*"))
		return len(left) == 0
	}, 10*time.Second, 20*time.Millisecond)
	assert.Empty(t, arrived, "once")
	_ = filepath.WalkDir(folder, func(path string, e os.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			text, _ := os.ReadFile(path)
			assert.NotContains(t, string(text), "Bearer x")
		}
		return nil
	})
}
