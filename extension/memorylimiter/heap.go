package memorylimiter

import (
	"fmt"
	"math"
	"runtime/metrics"

	"go.opentelemetry.io/collector/extension/memorylimiterextension"
)

// heap tells whether the heap has passed the limiter's soft limit, at any time. The
// limiter itself looks once in a check interval; until then, a fast sender fills all the
// memory there is. What live is read from costs no pause, and is never more than what the
// limiter counts, so that nothing is refused which the limiter would not refuse if it
// looked now. Safe for concurrent use.
type heap struct {
	soft uint64        // bytes
	live func() uint64 // bytes that the last collection of garbage has found in use
}

// full reports whether requests must be refused.
func (h heap) full() bool { return h.live() >= h.soft }

// limitOf is the limiter's limit in bytes, which total, the memory of the container or
// else of the machine, may be needed for; as much as there can be, if it is not configured.
func limitOf(cfg *memorylimiterextension.Config, total func() (uint64, error)) (uint64, error) {
	switch {
	case cfg.MemoryLimitMiB > 0:
		return uint64(cfg.MemoryLimitMiB) << 20, nil
	case cfg.MemoryLimitPercentage > 0:
		memory, err := total()
		if err != nil {
			return 0, fmt.Errorf("limit_percentage: the memory of the container or of the machine is unknown: %w: set limit_mib", err)
		}
		return memory * uint64(cfg.MemoryLimitPercentage) / 100, nil
	}
	return math.MaxInt64, nil
}

// softLimit is where the limiter begins to refuse, of a limit in bytes
// (memorylimiter.newFixedMemUsageChecker in the collector).
func softLimit(cfg *memorylimiterextension.Config, limit uint64) uint64 {
	spike := uint64(cfg.MemorySpikeLimitMiB) << 20
	if cfg.MemoryLimitMiB == 0 && cfg.MemoryLimitPercentage > 0 {
		spike = limit / uint64(cfg.MemoryLimitPercentage) * uint64(cfg.MemorySpikePercentage)
	}
	if spike == 0 {
		spike = limit / 5
	}
	return limit - min(limit, spike)
}

// liveHeap reads the runtime's own account.
func liveHeap() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(sample)
	if sample[0].Value.Kind() != metrics.KindUint64 { // of a runtime that does not know it
		return 0
	}
	return sample[0].Value.Uint64()
}
