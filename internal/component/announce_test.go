package component

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"
)

// Where the level is warn, info is logged, and nothing below it. Where it is error, neither is.
func TestAnnouncing(t *testing.T) {
	for level, want := range map[zapcore.Level][]string{
		zapcore.DebugLevel: {"debug", "info", "warn"},
		zapcore.InfoLevel:  {"info", "warn"},
		zapcore.WarnLevel:  {"info", "warn"},
		zapcore.ErrorLevel: nil,
	} {
		core, seen := observer.New(level)
		logger := Announcing(zap.New(core)).With(zap.String("key", "value"))
		logger.Debug("debug")
		logger.Info("info")
		logger.Warn("warn")
		var got []string
		for _, entry := range seen.All() {
			got = append(got, entry.Message)
			assert.Equal(t, "value", entry.ContextMap()["key"])
		}
		assert.Equal(t, want, got, level.String())
	}
}
