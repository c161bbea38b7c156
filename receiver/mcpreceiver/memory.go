package mcpreceiver

import (
	"math"
	"runtime/debug"

	"github.com/KimMachineGun/automemlimit/memlimit"
)

// bodyShare is the part of the memory that bodies in flight may take by default:
// a byte of a body takes up to four, see [body.Budget].
const bodyShare = 4

// unknownMemory is assumed where the system does not say how much it has.
const unknownMemory = 1 << 30

// inFlightBytes is what is configured, or a share of the memory there is.
func inFlightBytes(configured int64) int64 {
	if configured > 0 {
		return configured
	}
	return availableMemory(debug.SetMemoryLimit(-1), memlimit.FromCgroup, memlimit.FromSystem) / bodyShare
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
