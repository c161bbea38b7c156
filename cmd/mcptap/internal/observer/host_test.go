package observer

import (
	"os"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
)

// All that one host starts names it alike, and the name does not give the process away.
func TestHostID(t *testing.T) {
	id := HostID()
	assert.Equal(t, id, HostID())
	assert.Regexp(t, "^h-[0-9a-f]{16}$", id)
}

// A process id is used again, a start time with it is not.
func TestStartOf(t *testing.T) {
	if runtime.GOOS != "linux" && runtime.GOOS != "darwin" && runtime.GOOS != "windows" {
		assert.Empty(t, startOf(os.Getpid()))
		return
	}
	assert.NotEmpty(t, startOf(os.Getpid()))
	assert.NotEqual(t, startOf(os.Getpid()), startOf(-1))
}
