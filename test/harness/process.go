package harness

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Patience bounds every wait. A slow machine must not make a test fail, and a
// passing test never waits that long.
const Patience = 60 * time.Second

// Process is a program that a test started, and all it wrote.
type Process struct {
	name string
	cmd  *exec.Cmd
	log  *logBuffer
	done chan struct{} // closed when it has ended
	err  error         // how it ended; read after done
}

// Start runs a program until the test ends. What it wrote is shown if
// the test fails.
func Start(t *testing.T, name, path string, env, args []string) *Process {
	t.Helper()
	p := &Process{name: name, cmd: exec.Command(path, args...), log: &logBuffer{}, done: make(chan struct{})}
	p.cmd.Env = append(os.Environ(), env...)
	p.cmd.Stdout, p.cmd.Stderr = p.log, p.log
	p.cmd.WaitDelay = Patience
	require.NoError(t, p.cmd.Start(), "start %s", name)
	go func() {
		p.err = p.cmd.Wait()
		close(p.done)
	}()
	t.Cleanup(func() { p.cleanUp(t) })
	return p
}

func (p *Process) cleanUp(t *testing.T) {
	if err := p.signal(syscall.SIGTERM); err != nil {
		t.Errorf("end %s: %v", p.name, err)
	}
	if !p.wait() {
		t.Errorf("%s does not end on SIGTERM", p.name)
		_ = p.signal(syscall.SIGKILL)
		<-p.done
	}
	if t.Failed() {
		t.Logf("log of %s:\n%s", p.name, p.log)
	}
}

// Terminate asks the program to end and waits for it.
func (p *Process) Terminate(t *testing.T) {
	t.Helper()
	require.NoError(t, p.signal(syscall.SIGTERM))
	require.True(t, p.wait(), "%s does not end on SIGTERM", p.name)
	require.NoError(t, p.err, "%s ends with an error", p.name)
}

// Kill ends the program as a crash would, and waits for it.
func (p *Process) Kill(t *testing.T) {
	t.Helper()
	require.NoError(t, p.signal(syscall.SIGKILL))
	require.True(t, p.wait(), "%s does not end on SIGKILL", p.name)
}

// Wait waits until the program ends by itself, which must be well.
func (p *Process) Wait(t *testing.T) {
	t.Helper()
	require.True(t, p.wait(), "%s does not end", p.name)
	require.NoError(t, p.err, "%s ends with an error", p.name)
}

// Ended reports whether the program has ended.
func (p *Process) Ended() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

// ID is the program's in the system.
func (p *Process) ID() int { return p.cmd.Process.Pid }

// Logged tells whether the program has written this.
func (p *Process) Logged(text string) bool { return strings.Contains(p.log.String(), text) }

// Output is all that the program wrote so far.
func (p *Process) Output() string { return p.log.String() }

func (p *Process) signal(s syscall.Signal) error {
	if err := p.cmd.Process.Signal(s); !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	return nil
}

func (p *Process) wait() bool {
	select {
	case <-p.done:
		return true
	case <-time.After(Patience):
		return false
	}
}

// Ready waits until the program is up, and fails at once if it has ended instead.
func (p *Process) Ready(t *testing.T, up func() bool) {
	t.Helper()
	Eventually(t, p.name+" is not ready", func() bool {
		select {
		case <-p.done:
			require.FailNow(t, p.name+" ended early", "%v", p.err)
		default:
		}
		return up()
	})
}

// Eventually polls until the condition holds.
func Eventually(t *testing.T, otherwise string, condition func() bool) {
	t.Helper()
	deadline := time.After(Patience)
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for !condition() {
		select {
		case <-tick.C:
		case <-deadline:
			require.FailNow(t, otherwise)
		}
	}
}

// logBuffer collects output while others read it.
type logBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *logBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *logBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}
