package version

import (
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestDescribe(t *testing.T) {
	info := &debug.BuildInfo{
		Main: debug.Module{Version: "v1.2.3"},
		Settings: []debug.BuildSetting{
			{Key: "vcs.revision", Value: "0123456789abcdef"}, {Key: "vcs.time", Value: "2026-11-22T06:00:00Z"}, {Key: "vcs.modified", Value: "true"},
		},
	}
	assert.Equal(t, "v1.2.3, commit 0123456789ab (modified), 2026-11-22T06:00:00Z", describe("", "", "", info))
	assert.Equal(t, "0.1.0, commit fedcba, 2026-01-01T00:00:00Z", describe("0.1.0", "fedcba", "2026-01-01T00:00:00Z", nil))
	assert.Equal(t, "(unknown)", describe("", "", "", &debug.BuildInfo{}))
	assert.NotEmpty(t, String())
	assert.False(t, Stamped(), "a test is no release")
}
