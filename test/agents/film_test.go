package agents

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-mcp/otelcol-mcp/test/agents/model"
	"github.com/otelcol-mcp/otelcol-mcp/test/harness"
)

// The two tasks of the film. Claude Code asks before it pushes; the CI job of
// Codex never returns.
const (
	fixTask     = "Fix the flaky checkout test"
	releaseTask = "Release version 2.4.0"
)

// TestFilm records the moving picture of the README into the file that FILM
// names: two real agents, which mcptap connects, and the web UI in a browser. Only
// the model's answers are scripted, and a call is stuck sooner than by default.
func TestFilm(t *testing.T) {
	target := os.Getenv("FILM")
	if target == "" {
		t.Skip("make film records the moving picture")
	}
	c := startCollector(t, "yaml:receivers::mcp::call::stuck_after: 6s")
	fix, release := stage(t, &fixer), stage(t, &releaser)
	defer func() {
		if t.Failed() {
			t.Logf("the rows: %+v\n%q\n%q", c.rows(t), fix.output.String(), release.output.String())
		}
	}()
	f := startFilm(t, c, target)
	f.show(t, 2*time.Second, "command", "make run")
	fix.connect(t, c.base, c.otlp, modes[3])
	release.connect(t, c.base, c.otlp, modes[3])
	f.show(t, 2*time.Second, "command", "bin/mcptap connect --all")

	f.show(t, time.Second, "command", fmt.Sprintf("claude %q", fixTask))
	f.show(t, 0, "pause", "")
	claude := fix.open(t, "--model", claudeModel, "--permission-mode", "acceptEdits", fixTask, "--allowedTools", "Bash(./run-tests)")
	c.until(t, func(r row) bool { return r.Phase == "working" })
	f.show(t, 2*time.Second, "resume", "")
	works := c.until(t, func(r row) bool { return r.Phase == "working" && r.LLMCalls > 0 })
	f.show(t, 0, "open", works.ID, "note", "Watch it work: each turn, tool call and model call, with tokens and cost")
	c.until(t, func(r row) bool { return r.Phase == "waiting_approval" })
	f.show(t, 2*time.Second, "note", "It asks you whether it may push")
	f.show(t, 3*time.Second, "board", "", "note", "The board shows which agent waits for you")
	harness.Eventually(t, "Claude Code does not go on", func() bool {
		_, waits := c.inPhase(t, "waiting_approval")
		if waits { // the question may not be on the screen yet
			claude.press(t, "\r")
			<-time.After(time.Second)
		}
		return !waits
	})
	f.show(t, 0, "note", "You answer, and it goes on")
	c.until(t, func(r row) bool { return r.ID == works.ID && r.Phase == "idle" })
	f.show(t, 2*time.Second, "note", "You answer, and it goes on")

	f.show(t, time.Second, "command", fmt.Sprintf("codex exec %q", releaseTask))
	f.show(t, 0, "pause", "")
	codex := release.open(t, "exec", "--skip-git-repo-check", releaseTask)
	c.until(t, func(r row) bool { return r.ID != works.ID && r.Phase == "working" })
	f.show(t, 0, "resume", "")
	stuck := c.until(t, func(r row) bool { return r.State == "stalled" })
	f.show(t, 4*time.Second, "note", "A call to an MCP server does not return: the board shows it, and there is an alert for it")
	f.show(t, 5*time.Second, "open", stuck.ID, "select", "run_job", "note", "Which call, with which arguments, and since when")
	require.NoError(t, f.in.Close())
	claude.leave(t, []string{"/exit", "\r"})
	codex.press(t, "\x03")
	codex.ended(t)
	t.Log(f.says(t))
	require.NoError(t, f.cmd.Wait())
}

// ended waits until the agent has, however it does.
func (term *terminal) ended(t *testing.T) {
	t.Helper()
	select {
	case err := <-term.done:
		t.Logf("the agent ended: %v", err)
	case <-time.After(harness.Patience):
		require.FailNow(t, "the agent does not end")
	}
}

// turn is an answer after some thinking, with tokens as a session of this size has.
func turn(after time.Duration, n int64, text string, calls ...model.Call) model.Turn {
	return model.Turn{
		After: after, Text: text, Calls: calls,
		Usage: model.Usage{Input: 21_000 + 2_300*n, CacheRead: 19_000 + 2_100*n, CacheWrite: 900, Output: 240 + 90*n},
	}
}

var fixer = agent{
	name: "claude-code", program: "claude", environment: claudeEnvironment, keep: keepClaude,
	configure: func(t *testing.T, s *scene) {
		s.shop(t)
		configureClaude(t, s)
	},
	scripts: func() []model.Script {
		second := time.Second
		edit := model.Call{Tool: "Edit", Arguments: map[string]any{
			"file_path": "checkout_test.go", "old_string": "time.Sleep(time.Second)", "new_string": "waitFor(t, paid)",
		}}
		read := model.Call{Tool: "Read", Arguments: map[string]any{"file_path": "checkout_test.go"}}
		return []model.Script{{Marker: fixTask, Turns: []model.Turn{
			turn(2*second, 0, "I look at the test first.", read, bash("git log --oneline -5", "Recent changes")),
			turn(2*second, 1, "It sleeps where it should wait.", bash("./run-tests", "Run the tests")),
			turn(2*second, 2, "As expected, it fails at times.", edit),
			turn(2*second, 3, "", bash("./run-tests", "Run the tests again")),
			turn(2*second, 4, "All tests pass.", bash("git push origin fix-checkout", "Push the branch")),
			turn(2*second, 5, "The test waits for the payment now, and the branch is pushed."),
		}}}
	},
}

var releaser = agent{
	name: "codex", program: "codex", environment: codex.environment, keep: keepCodex,
	configure: func(t *testing.T, s *scene) {
		s.shop(t)
		codex.configure(t, s)
		file, err := os.OpenFile(filepath.Join(s.home, ".codex", "config.toml"), os.O_APPEND|os.O_WRONLY, 0)
		require.NoError(t, err)
		_, err = fmt.Fprintf(file, "\n[mcp_servers.ci]\ncommand = %q\nargs = [\"-name\", \"ci\", \"-hang\", \"run_job\", \"-seen\", %q]\n", s.toolserver, s.seenFile("ci"))
		require.NoError(t, err)
		require.NoError(t, file.Close())
	},
	scripts: func() []model.Script {
		second := time.Second
		job := model.Call{Tool: "run_job", Namespace: "mcp__ci", Arguments: map[string]any{"job": "release", "version": "2.4.0"}}
		return []model.Script{{Marker: releaseTask, Turns: []model.Turn{
			turn(2*second, 3, "I check what is in it.", shell("git log --oneline -3"), shell("./run-tests")),
			turn(2*second, 4, "The job builds it.", job),
			turn(second, 5, "Done."),
		}}}
	},
}

// shop makes the project that both work in: a repository with a remote.
func (s *scene) shop(t *testing.T) {
	t.Helper()
	base := filepath.Dir(s.home)
	s.project = filepath.Join(base, "shop")
	s.write(t, filepath.Join(s.project, "checkout_test.go"), "package shop\n\nfunc TestCheckout(t *testing.T) {\n\tpay(t)\n\ttime.Sleep(time.Second)\n\tshipped(t)\n}\n")
	s.write(t, filepath.Join(s.project, "run-tests"), "#!/bin/sh\nsleep 2\nif grep -q Sleep checkout_test.go; then echo '--- FAIL: TestCheckout'; exit 1; fi\necho 'ok  shop  1.9s'\n")
	require.NoError(t, os.Chmod(filepath.Join(s.project, "run-tests"), 0o755))
	for _, args := range [][]string{
		{"init", "-q", "--bare", filepath.Join(base, "shop.git")},
		{"init", "-q", "-b", "fix-checkout", s.project},
		{"-C", s.project, "add", "."},
		{"-C", s.project, "-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-q", "-m", "Add the checkout"},
		{"-C", s.project, "remote", "add", "origin", filepath.Join(base, "shop.git")},
	} {
		output, err := exec.CommandContext(t.Context(), harness.LookPath(t, "git"), args...).CombinedOutput()
		require.NoError(t, err, "git %s: %s", args, output)
	}
}

// until waits for a row of the board.
func (c *collector) until(t *testing.T, is func(row) bool) (found row) {
	t.Helper()
	harness.Eventually(t, "the board does not show it", func() bool {
		for _, r := range c.rows(t) {
			if is(r) {
				found = r
				return true
			}
		}
		return false
	})
	return found
}

// film is test/page/film.mjs, which films the web UI.
type film struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Scanner
}

// says is the next line that it writes.
func (f *film) says(t *testing.T) string {
	t.Helper()
	require.True(t, f.out.Scan(), "it has ended")
	return f.out.Text()
}

func startFilm(t *testing.T, c *collector, target string) *film {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), harness.LookPath(t, "node"), filepath.Join(harness.Root, "test", "page", "film.mjs"), target)
	cmd.Env = append(os.Environ(), "PAGE="+c.gateway+"/_inspector/ui")
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	f := &film{cmd, in, bufio.NewScanner(out)}
	f.says(t)
	return f
}

// show sends pairs of what to do and its text, waits until each is on film, and gives
// viewers the time to see it.
func (f *film) show(t *testing.T, hold time.Duration, pairs ...string) {
	t.Helper()
	for i := 0; i < len(pairs); i += 2 {
		line, err := json.Marshal(map[string]string{"do": pairs[i], "text": pairs[i+1]})
		require.NoError(t, err)
		_, err = f.in.Write(append(line, '\n'))
		require.NoError(t, err)
		f.says(t)
	}
	<-time.After(hold)
}
