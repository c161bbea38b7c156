package agents

import (
	"io"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-mcp/otelcol-mcp/test/agents/model"
	"github.com/otelcol-mcp/otelcol-mcp/test/harness"
)

// terminal is an agent that a person sits before.
type terminal struct {
	keys io.WriteCloser
	done chan error
}

// open starts the agent in a terminal of its own: script, of util-linux, makes one.
func (s *scene) open(t *testing.T, args ...string) *terminal {
	t.Helper()
	quoted := []string{s.agent.path(t)}
	for _, a := range args {
		quoted = append(quoted, "'"+a+"'")
	}
	cmd := exec.Command(harness.LookPath(t, "script"), "-qfec", "stty rows 50 cols 150; exec "+strings.Join(quoted, " "), "/dev/null")
	cmd.Dir, cmd.Env = s.project, append(s.env(), "TERM=xterm-256color")
	cmd.Stdout, cmd.Stderr = &s.output, &s.output
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.WaitDelay = 5 * time.Second
	keys, err := cmd.StdinPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	term := &terminal{keys: keys, done: make(chan error, 1)}
	group := cmd.Process.Pid
	late := time.AfterFunc(deadline, func() { _ = syscall.Kill(-group, syscall.SIGKILL) })
	go func() { term.done <- cmd.Wait() }()
	t.Cleanup(func() {
		late.Stop()
		_ = syscall.Kill(-group, syscall.SIGKILL)
	})
	return term
}

func (term *terminal) press(t *testing.T, keys string) {
	t.Helper()
	_, err := io.WriteString(term.keys, keys)
	require.NoError(t, err)
}

// clearLine, pressed before a command, takes away what is typed already: an answer
// that came after the question is part of the next prompt.
const clearLine = "\x15"

// leave types the command that ends the agent, and its last key until it has, or all
// of it if that begins with clearLine.
func (term *terminal) leave(t *testing.T, keys []string) {
	t.Helper()
	for _, k := range keys {
		term.press(t, k)
	}
	patience := time.After(harness.Patience)
	again := time.NewTicker(time.Second)
	defer again.Stop()
	for {
		select {
		case err := <-term.done:
			require.NoError(t, err)
			return
		case <-again.C:
			if !strings.HasPrefix(keys[0], clearLine) {
				keys = keys[len(keys)-1:]
			}
			_, _ = io.WriteString(term.keys, strings.Join(keys, ""))
		case <-patience:
			require.FailNow(t, "the agent does not leave")
		}
	}
}

// sitting is a session with a person before the agent, who allows one call and
// leaves.
type sitting struct {
	agent *agent
	call  model.Call // that needs an answer
	args  []string
	allow string // keys that answer the question
	leave []string
}

var sittings = []sitting{
	{
		agent: claudeCode, call: bash("touch allowed.txt", "Make a file"),
		args: []string{"--model", claudeModel, prompt}, allow: "\r", leave: []string{"/exit", "\r"},
	},
	{
		agent: codex, call: model.Call{Tool: "exec_command", Arguments: map[string]any{
			"cmd": "touch allowed.txt", "sandbox_permissions": "require_escalated", "justification": "Allow a file?",
		}},
		args: []string{"-m", "scripted", "-c", "approval_policy=on-request", "-s", "read-only", prompt}, allow: "y", leave: []string{clearLine + "/quit", "\r"},
	},
	{
		agent: geminiCLI, call: model.Call{Tool: "write_file", Arguments: map[string]any{"file_path": "allowed.txt", "content": "yes"}},
		args: []string{"-m", geminiModel, "-i", prompt}, allow: "\r", leave: []string{"/quit", "\r"},
	},
	{
		agent: copilotCLI, call: copilotBash("touch allowed.txt"),
		args: []string{"-i", prompt, "--disable-client-telemetry"}, allow: "\r", leave: []string{"/exit", "\r"},
	},
}

// TestPermission sits before agents: the board has to say that they wait for
// somebody, and no longer when they have their answer.
func TestPermission(t *testing.T) {
	for _, sit := range sittings {
		t.Run(sit.agent.name, func(t *testing.T) { sit.play(t) })
	}
}

func (sit sitting) play(t *testing.T) {
	a := *sit.agent
	a.path(t)
	a.scripts = func() []model.Script {
		return []model.Script{{Marker: marker, Turns: []model.Turn{{Calls: []model.Call{sit.call}}, {Text: "All is done."}}}}
	}
	s := stage(t, &a)
	c := startCollector(t)
	s.connect(t, c.base, c.otlp, modes[3])
	term := s.open(t, sit.args...)
	defer func() {
		if t.Failed() {
			t.Logf("the rows: %+v", c.rows(t))
			t.Logf("%q", s.output.String())
		}
	}()
	phase := func(want, state string) {
		t.Helper()
		harness.Eventually(t, "the board does not say "+want, func() bool {
			current, ok := c.inPhase(t, want)
			return ok && current.State == state
		})
	}
	phase("waiting_approval", "waiting")
	harness.Eventually(t, "the agent does not go on", func() bool {
		_, waits := c.inPhase(t, "waiting_approval")
		if waits { // the question may not be on the screen yet
			term.press(t, sit.allow)
			<-time.After(time.Second)
		}
		return !waits
	})
	phase("idle", "idle")
	term.leave(t, sit.leave)
	harness.Eventually(t, "the session does not end", func() bool {
		return slices.ContainsFunc(c.rows(t), func(r row) bool { return r.State == "done" && r.EndReason == "finished" })
	})
}

// inPhase finds the row of a session in that phase.
func (c *collector) inPhase(t *testing.T, phase string) (row, bool) {
	t.Helper()
	for _, r := range c.rows(t) {
		if r.Phase == phase {
			return r, true
		}
	}
	return row{}, false
}
