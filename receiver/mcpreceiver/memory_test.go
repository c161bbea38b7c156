package mcpreceiver

import (
	"math"
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestAvailableMemory(t *testing.T) {
	const none = 1<<63 - 1
	of := func(limit uint64, err error) func() (uint64, error) {
		return func() (uint64, error) { return limit, err }
	}
	assert.EqualValues(t, 100, availableMemory(100, of(200, nil), of(300, nil)), "GOMEMLIMIT")
	assert.EqualValues(t, 200, availableMemory(none, of(200, nil), of(300, nil)), "the container")
	assert.EqualValues(t, 300, availableMemory(none, of(0, assert.AnError), of(300, nil)), "the machine")
	assert.EqualValues(t, 300, availableMemory(none, of(1<<63, nil), of(300, nil)), "a container without limit")
	assert.EqualValues(t, unknownMemory, availableMemory(none, of(0, assert.AnError)))
}

// What is not configured is a share of what the process may use; what is, holds.
func TestSharesOfMemory(t *testing.T) {
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(-1))
	c := defaultSettings()
	debug.SetMemoryLimit(320 << 20)
	assert.EqualValues(t, 80<<20, c.inFlightBytes())
	assert.EqualValues(t, 10<<20, c.openBytes())
	assert.EqualValues(t, 10<<20, c.sessionOptions(nil).MaxOpenBytes)
	debug.SetMemoryLimit(math.MaxInt64)
	assert.LessOrEqual(t, c.openBytes(), int64(openBytesMax))
	assert.Positive(t, c.openBytes())
	c.Limits.InFlightBytes, c.Call.MaxOpenBytes = 7, 8
	assert.EqualValues(t, 7, c.inFlightBytes())
	assert.EqualValues(t, 8, c.openBytes())
}
