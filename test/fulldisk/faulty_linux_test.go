package fulldisk

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-mcp/otelcol-mcp/test/harness"
)

// faulty is a disk whose writes a test lets fail.
type faulty struct {
	disk
	mode string // a file that says how
}

// mountFaulty makes one with FUSE, which only root may do without help.
func mountFaulty(t *testing.T) faulty {
	t.Helper()
	if testing.Short() {
		t.Skip("left out with -short")
	}
	if os.Geteuid() != 0 {
		t.Skip("NOT TESTED: only root may mount a disk that fails")
	}
	if _, err := os.Stat("/dev/fuse"); err != nil {
		harness.Missing(t, "a disk that fails cannot be mounted: "+err.Error())
	}
	f := faulty{disk: disk{t.TempDir()}, mode: filepath.Join(t.TempDir(), "mode")}
	f.behave(t, "well")
	p := harness.Start(t, "faultfs", harness.Program(t, "faultfs"), nil, []string{"-from", t.TempDir(), "-at", f.folder, "-mode", f.mode})
	p.Ready(t, func() bool { return p.Logged("ready") })
	return f
}

func (f faulty) behave(t *testing.T, mode string) {
	t.Helper()
	require.NoError(t, os.WriteFile(f.mode, []byte(mode), 0o600))
}

func newFaultyPlant(t *testing.T) (*plant, faulty) {
	t.Helper()
	f := mountFaulty(t)
	p := &plant{disk: f.disk, sink: harness.StartSink(t), mcp: harness.FreeAddress(t)}
	p.start(t)
	return p, f
}

// said maps each way to fail to its words in the log.
var said = map[string]string{"read-only": "read-only file system", "full": "no space left on device", "broken": "input/output error"}

// A disk that cannot be written for a while costs nothing, whatever the reason.
func TestAFaultyDiskComesBack(t *testing.T) {
	for mode, text := range said {
		t.Run(mode, func(t *testing.T) {
			p, f := newFaultyPlant(t)
			p.sends(t, 0, calls/2, call)
			p.settle(t, calls/2)
			f.behave(t, mode)
			p.sends(t, calls/2, calls, call)
			harness.Eventually(t, "the storage does not fail", func() bool { return p.Logged(text) })
			f.behave(t, "well")
			p.settle(t, calls)
			p.Kill(t)
			p.start(t)
			p.sends(t, 0, calls, reply)
			p.Terminate(t)
			p.checkAnswered(t)
		})
	}
}

// A clean stop while the disk cannot be written shows every call that was accepted.
func TestACleanStopOnAFaultyDisk(t *testing.T) {
	for mode, text := range said {
		t.Run(mode, func(t *testing.T) {
			p, f := newFaultyPlant(t)
			p.sends(t, 0, calls/2, call)
			p.settle(t, calls/2)
			f.behave(t, mode)
			p.sends(t, calls/2, calls, call)
			harness.Eventually(t, "the storage does not fail", func() bool { return p.Logged(text) })
			p.Terminate(t)
			p.checkEnded(t)
		})
	}
}

// A slow disk delays nobody: what is accepted is stored behind.
func TestASlowDisk(t *testing.T) {
	p, f := newFaultyPlant(t)
	f.behave(t, "slow")
	p.sends(t, 0, calls, call)
	p.settle(t, calls)
	p.Kill(t)
	p.start(t)
	p.sends(t, 0, calls, reply)
	f.behave(t, "well")
	p.Terminate(t)
	p.checkAnswered(t)
}

// On a disk that is read-only from the start, the collector says so and does not
// run without the storage that it is told to use.
func TestStartOnAReadOnlyDisk(t *testing.T) {
	p, f := newFaultyPlant(t)
	p.sends(t, 0, calls, call)
	p.Terminate(t)
	f.behave(t, "read-only")
	t.Log(p.startsNot(t))
	f.behave(t, "well")
	p.start(t)
	p.sends(t, 0, calls, reply)
	p.Terminate(t)
	p.checkAnswered(t)
}

// checkAnswered wants each call once, with its reply.
func (p *plant) checkAnswered(t *testing.T) {
	t.Helper()
	spans, distinct := p.ended()
	assert.Len(t, spans, calls)
	assert.Equal(t, calls, distinct)
	for _, span := range spans {
		_, incomplete := span.Attributes().Get("mcp.span.incomplete")
		assert.False(t, incomplete)
	}
}
