package gomemlimitconverter

import (
	"errors"
	"math"
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/confmap"
	"go.uber.org/zap"
)

func of(limit uint64) func() (uint64, error) {
	return func() (uint64, error) { return limit, nil }
}

func none() (uint64, error) { return 0, errors.New("no limit") }

// convert returns the limit that is set afterwards; none before.
func convert(t *testing.T, text string, container, machine func() (uint64, error)) int64 {
	t.Helper()
	before := debug.SetMemoryLimit(math.MaxInt64)
	defer debug.SetMemoryLimit(before)
	retrieved, err := confmap.NewRetrievedFromYAML([]byte(text))
	require.NoError(t, err)
	conf, err := retrieved.AsConf()
	require.NoError(t, err)
	want := conf.ToStringMap()
	require.NoError(t, (&converter{zap.NewNop(), container, machine}).Convert(t.Context(), conf))
	assert.Equal(t, want, conf.ToStringMap(), "the configuration stays as it is")
	return debug.SetMemoryLimit(-1)
}

func TestConvert(t *testing.T) {
	const mib, unlimited = 1 << 20, math.MaxInt64
	for _, tt := range []struct {
		name, text string
		container  func() (uint64, error)
		want       int64
	}{
		{"nothing", "receivers: {mcp:}", none, unlimited},
		{"the container", "receivers: {mcp:}", of(1000), 900},
		{"a processor", "processors: {memory_limiter: {check_interval: 1s, limit_mib: 100}}", none, 90 * mib},
		{"an extension", "extensions: {memory_limiter: {check_interval: 1s, limit_mib: 100}}", none, 90 * mib},
		{"the least", "processors: {memory_limiter/a: {limit_mib: 200}, memory_limiter/b: {limit_mib: 100}, mcp: {limit_mib: 1}}", of(500 * mib), 90 * mib},
		{"the container is the least", "processors: {memory_limiter: {limit_mib: 100}}", of(10 * mib), 9 * mib},
		{"a large one", "processors: {memory_limiter: {limit_mib: 1000}}", none, 968 * mib},
		{"a share of the container", "processors: {memory_limiter: {limit_percentage: 50}}", of(1000), 450},
		{"a share of the machine", "processors: {memory_limiter: {limit_percentage: 50}}", none, 900},
		{"MiB win", "processors: {memory_limiter: {limit_percentage: 50, limit_mib: 100}}", none, 90 * mib},
		{"no limit", "processors: {memory_limiter: {check_interval: 1s}}", none, unlimited},
		{"what the collector refuses", "processors: {memory_limiter: {limit_mib: lots}}", none, unlimited},
		{"no settings", "processors: {memory_limiter:}", none, unlimited},
		{"no map", "processors: 7", none, unlimited},
	} {
		t.Run(tt.name, func(t *testing.T) {
			assert.Equal(t, tt.want, convert(t, tt.text, tt.container, of(2000)))
		})
	}
}

func TestUnknownMemory(t *testing.T) {
	assert.EqualValues(t, math.MaxInt64, convert(t, "processors: {memory_limiter: {limit_percentage: 50}}", none, none))
}

func TestTheUserWins(t *testing.T) {
	const text = "processors: {memory_limiter: {limit_mib: 100}}"
	t.Run("GOMEMLIMIT", func(t *testing.T) {
		t.Setenv("GOMEMLIMIT", "1GiB")
		assert.EqualValues(t, math.MaxInt64, convert(t, text, none, none), "left to Go's runtime")
	})
	t.Run("AUTOMEMLIMIT", func(t *testing.T) {
		t.Setenv("AUTOMEMLIMIT", "off")
		assert.EqualValues(t, math.MaxInt64, convert(t, text, none, none))
	})
}

func TestFactory(t *testing.T) {
	require.NotNil(t, NewFactory().Create(confmap.ConverterSettings{Logger: zap.NewNop()}))
}
