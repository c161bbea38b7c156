// Package gomemlimitconverter is a confmap.Converter that leaves the configuration as it is and sets
// Go's memory limit by it, so that the garbage collector works harder before the memory limiter has to
// refuse, and before the kernel kills.
package gomemlimitconverter // import "github.com/otelcol-mcp/otelcol-mcp/confmap/gomemlimitconverter"

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/KimMachineGun/automemlimit/memlimit"
	"go.opentelemetry.io/collector/confmap"
	"go.uber.org/zap"
)

// limiterType is the type of both the processor and the extension.
const limiterType = "memory_limiter"

// What is left for memory that Go does not count, as that of the program itself: a tenth, but below a
// memory limiter's limit no more than that takes. Its own threshold (spike_limit_mib) is a bit below
// its limit, and has to be reached before the garbage collector does nothing else.
const (
	rest    = 10
	restMax = 32 << 20
)

type converter struct {
	logger    *zap.Logger
	container memlimit.Provider
	machine   memlimit.Provider
}

// NewFactory returns the factory of the converter. It sets GOMEMLIMIT to a bit less than the least of
// the container's memory and the hard limits (limit_mib, limit_percentage) of the configuration's
// memory limiters. The variable GOMEMLIMIT wins if it is set, and AUTOMEMLIMIT=off turns this off.
func NewFactory() confmap.ConverterFactory {
	return confmap.NewConverterFactory(func(set confmap.ConverterSettings) confmap.Converter {
		return &converter{set.Logger, memlimit.FromCgroup, memlimit.FromSystem}
	})
}

// Convert implements confmap.Converter.
func (c *converter) Convert(_ context.Context, conf *confmap.Conf) error {
	_, err := memlimit.SetGoMemLimitWithOpts(
		memlimit.WithProvider(func() (uint64, error) { return c.least(conf) }),
		memlimit.WithRatio(1))
	if err != nil {
		c.logger.Warn("GOMEMLIMIT is not set: the memory of the container or of the machine is unknown", zap.Error(err))
	}
	return nil
}

// least is the least limit there is, else memlimit.ErrNoLimit.
func (c *converter) least(conf *confmap.Conf) (uint64, error) {
	least := uint64(math.MaxUint64)
	if container, err := c.container(); err == nil {
		least = container - container/rest
	}
	var errs error
	for _, kind := range []string{"extensions", "processors"} {
		limit, err := c.ofLimiters(conf, kind)
		errs = errors.Join(errs, err)
		least = min(least, limit)
	}
	if least == math.MaxUint64 {
		return 0, errors.Join(memlimit.ErrNoLimit, errs)
	}
	return least, nil
}

// ofLimiters is the least limit of the memory limiters among the processors or
// extensions. What the collector itself will refuse is left to it.
func (c *converter) ofLimiters(conf *confmap.Conf, kind string) (uint64, error) {
	least := uint64(math.MaxUint64)
	components, err := conf.Sub(kind)
	if err != nil {
		return least, nil //nolint:nilerr // not a map: the collector says so
	}
	for id := range components.ToStringMap() {
		if name, _, _ := strings.Cut(id, "/"); name != limiterType {
			continue
		}
		limit, err := c.ofLimiter(components, id)
		if err != nil {
			return least, fmt.Errorf("%s::%s: %w", kind, id, err)
		}
		if limit > 0 {
			least = min(least, limit-min(limit/rest, restMax))
		}
	}
	return least, nil
}

// ofLimiter is the limit of one memory limiter in bytes, 0 if it has none.
func (c *converter) ofLimiter(components *confmap.Conf, id string) (uint64, error) {
	var settings struct {
		MiB     uint32 `mapstructure:"limit_mib"`
		Percent uint32 `mapstructure:"limit_percentage"`
	}
	conf, err := components.Sub(id)
	if err != nil {
		return 0, nil //nolint:nilerr // not a map: the collector says so
	}
	if conf.Unmarshal(&settings, confmap.WithIgnoreUnused()) != nil {
		return 0, nil
	}
	if settings.MiB > 0 || settings.Percent == 0 {
		return uint64(settings.MiB) << 20, nil
	}
	memory, err := memlimit.ApplyFallback(c.container, c.machine)()
	return memory * uint64(settings.Percent) / 100, err
}
