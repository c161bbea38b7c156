package e2e

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

// patience bounds every wait. A slow machine must not make a test fail, and a
// passing test never waits that long.
const patience = 60 * time.Second

// process is a program that a test started, and all it wrote.
type process struct {
	name string
	cmd  *exec.Cmd
	log  *logBuffer
	done chan struct{} // closed when it has ended
	err  error         // how it ended; read after done
}

// startProcess runs a program until the test ends. What it wrote is shown if
// the test fails.
func startProcess(t *testing.T, name, path string, env, args []string) *process {
	t.Helper()
	p := &process{name: name, cmd: exec.Command(path, args...), log: &logBuffer{}, done: make(chan struct{})}
	p.cmd.Env = append(os.Environ(), env...)
	p.cmd.Stdout, p.cmd.Stderr = p.log, p.log
	p.cmd.WaitDelay = patience
	require.NoError(t, p.cmd.Start(), "start %s", name)
	go func() {
		p.err = p.cmd.Wait()
		close(p.done)
	}()
	t.Cleanup(func() { p.cleanUp(t) })
	return p
}

func (p *process) cleanUp(t *testing.T) {
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

// terminate asks the program to end and waits for it.
func (p *process) terminate(t *testing.T) {
	t.Helper()
	require.NoError(t, p.signal(syscall.SIGTERM))
	require.True(t, p.wait(), "%s does not end on SIGTERM", p.name)
	require.NoError(t, p.err, "%s ends with an error", p.name)
}

func (p *process) signal(s syscall.Signal) error {
	if err := p.cmd.Process.Signal(s); !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	return nil
}

func (p *process) wait() bool {
	select {
	case <-p.done:
		return true
	case <-time.After(patience):
		return false
	}
}

// ready waits until the program is up, and fails at once if it has ended instead.
func (p *process) ready(t *testing.T, up func() bool) {
	t.Helper()
	eventually(t, p.name+" is not ready", func() bool {
		select {
		case <-p.done:
			require.FailNow(t, p.name+" ended early", "%v", p.err)
		default:
		}
		return up()
	})
}

// eventually polls until the condition holds.
func eventually(t *testing.T, otherwise string, condition func() bool) {
	t.Helper()
	deadline := time.After(patience)
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

func (b *logBuffer) contains(s string) bool { return strings.Contains(b.String(), s) }
