package checkedstorage

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/open-telemetry/opentelemetry-collector-contrib/extension/storage/filestorage"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/confmap"
)

func load(t *testing.T, text string) *Config {
	t.Helper()
	retrieved, err := confmap.NewRetrievedFromYAML([]byte(text))
	require.NoError(t, err)
	conf, err := retrieved.AsConf()
	require.NoError(t, err)
	cfg := createDefaultConfig().(*Config)
	require.NoError(t, conf.Unmarshal(cfg))
	return cfg
}

// The keys of file_storage mean the same.
func TestConfig(t *testing.T) {
	cfg := load(t, `{directory: ., timeout: 5s, fsync: true, recreate: false, check_timeout: 3m, compaction: {on_start: true, directory: .}}`)
	want := *filestorage.NewFactory().CreateDefaultConfig().(*filestorage.Config)
	want.Directory, want.Timeout, want.FSync = ".", 5*time.Second, true
	want.Compaction.OnStart, want.Compaction.Directory = true, "."
	assert.Equal(t, &Config{Config: want, CheckTimeout: 3 * time.Minute}, cfg)
	require.NoError(t, confmap.Validate(cfg))

	def := createDefaultConfig().(*Config)
	assert.True(t, def.Recreate)
	assert.Equal(t, time.Minute, def.CheckTimeout)
}

func TestInvalidConfig(t *testing.T) {
	for text, want := range map[string]string{
		`{directory: ., check_timeout: -1s}`:                               "check_timeout must not be negative",
		`{directory: ` + filepath.Join(t.TempDir(), "none") + `}`:          "directory must exist",
		`{directory: ., create_directory: true, directory_permissions: x}`: "directory_permissions",
	} {
		err := confmap.Validate(load(t, text))
		require.ErrorContains(t, err, want)
		assert.Equal(t, 1, strings.Count(err.Error(), want), "once")
	}
}
