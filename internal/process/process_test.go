package process

import (
	"os"
	"os/exec"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A process id is used again, a start time with it is not.
func TestStart(t *testing.T) {
	if runtime.GOOS != "linux" && runtime.GOOS != "darwin" && runtime.GOOS != "windows" {
		assert.Empty(t, Start(os.Getpid()))
		return
	}
	assert.NotEmpty(t, Start(os.Getpid()))
	assert.NotEqual(t, Start(os.Getpid()), Start(-1))
}

// Shells between a hook and its agent are skipped, and a process that was killed is not alive
// even before its parent asks how it ended.
func TestAgent(t *testing.T) {
	if runtime.GOOS != "linux" && runtime.GOOS != "darwin" {
		assert.Empty(t, Agent())
		return
	}
	if os.Getenv("PRINT_AGENT") != "" {
		_, _ = os.Stdout.WriteString(Agent() + "\n")
		return
	}
	mine := ID(os.Getpid())
	assert.True(t, Alive(mine))
	for _, other := range []string{"", "1", "x", mine + "0", "0" + mine[1:], name(os.Getpid(), "1")} {
		assert.False(t, Alive(other), other)
	}

	hook := exec.Command("sh", "-c", `sh -c '"$0" -test.run=TestAgent; true' "$0"; true`, os.Args[0])
	hook.Env = append(os.Environ(), "PRINT_AGENT=1")
	printed, err := hook.Output()
	require.NoError(t, err)
	assert.Contains(t, string(printed), mine+"\n")

	child := exec.Command("sleep", "1000")
	require.NoError(t, child.Start())
	killed := ID(child.Process.Pid)
	assert.True(t, Alive(killed))
	require.NoError(t, child.Process.Kill())
	assert.Eventually(t, func() bool { return !Alive(killed) }, aMinute, 1e6)
	_ = child.Wait()
	assert.False(t, Alive(killed))
}

const aMinute = 60e9
