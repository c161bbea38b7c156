package mcpreceiver

import (
	"math"
	"runtime/debug"

	"github.com/KimMachineGun/automemlimit/memlimit"
)

// Shares of the memory that may be taken by default. A byte of a body in flight takes
// up to four. What is held for open calls is a limit of its own beside the same for
// sessions; both may be twice as much while pipelines refuse. What is held is stored
// besides, in a file that is mapped into memory and several times as large, and is
// reported when it ends.
const (
	bodyShare = 4
	openShare = 32
)

// openBytesMax bounds what is held by default, however large the machine is.
const openBytesMax = 256 << 20

// unknownMemory is assumed where the system does not say how much it has.
const unknownMemory = 1 << 30

// inFlightBytes returns how many bytes of bodies all requests may hold together: what is
// configured, or a share of the memory there is.
func (c *Settings) inFlightBytes() int64 {
	if c.Limits.InFlightBytes > 0 {
		return c.Limits.InFlightBytes
	}
	return processMemory() / bodyShare
}

// openBytes returns how many bytes of payload may be held for open calls: what is
// configured, or a share of the memory there is.
func (c *Settings) openBytes() int64 {
	if c.Call.MaxOpenBytes > 0 {
		return c.Call.MaxOpenBytes
	}
	return min(processMemory()/openShare, openBytesMax)
}

// processMemory returns how many bytes the process may take. It is known once the configuration
// was converted, which sets GOMEMLIMIT.
func processMemory() int64 {
	return availableMemory(debug.SetMemoryLimit(-1), memlimit.FromCgroup, memlimit.FromSystem)
}

// availableMemory is the least of what Go's runtime (GOMEMLIMIT), the container
// and the machine allow. Limits that are not known do not count.
func availableMemory(goLimit int64, others ...memlimit.Provider) int64 {
	available := goLimit
	for _, other := range others {
		if limit, err := other(); err == nil && limit > 0 {
			available = min(available, int64(min(limit, math.MaxInt64)))
		}
	}
	if available == math.MaxInt64 {
		return unknownMemory
	}
	return available
}
