package config

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/confmap/confmaptest"
)

func TestRead(t *testing.T) {
	text, err := Read("default")
	require.NoError(t, err)
	assert.Contains(t, string(text), "pipelines:")
}

// Every memory limiter collects garbage before it refuses for longer than a second. By default, garbage alone may make it
// refuse for ten.
func TestMemoryLimiters(t *testing.T) {
	here, err := filepath.Glob("*.yaml")
	require.NoError(t, err)
	scale, err := filepath.Glob("scale/*.yaml")
	require.NoError(t, err)
	for _, path := range append(here, scale...) {
		conf, err := confmaptest.LoadConf(path)
		require.NoError(t, err)
		for _, limiter := range []string{"processors::memory_limiter", "extensions::memory_limiter"} {
			if conf.IsSet(limiter) {
				assert.Equal(t, "1s", conf.Get(limiter+"::min_gc_interval_when_soft_limited"), "%s: %s", path, limiter)
			}
		}
	}
}

func TestReadUnknown(t *testing.T) {
	_, err := Read("nosuch")
	require.Error(t, err)
	for _, name := range Names() {
		assert.ErrorContains(t, err, name)
	}
}
