package component

import (
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
)

// Announcing returns a logger for what a person who starts the collector looks for, such as an
// address: its level is info also where that of the configuration is warn, which keeps it from
// being lost among the collector's own lines. Where only errors are wanted it says nothing.
func Announcing(logger *zap.Logger) *zap.Logger {
	return logger.WithOptions(zap.WrapCore(func(c zapcore.Core) zapcore.Core { return announcing{c} }))
}

type announcing struct{ zapcore.Core }

func (c announcing) Enabled(level zapcore.Level) bool {
	return c.Core.Enabled(level) || level == zapcore.InfoLevel && c.Core.Enabled(zapcore.WarnLevel)
}

func (c announcing) With(fields []zapcore.Field) zapcore.Core { return announcing{c.Core.With(fields)} }

func (c announcing) Check(e zapcore.Entry, ce *zapcore.CheckedEntry) *zapcore.CheckedEntry {
	if !c.Enabled(e.Level) {
		return ce
	}
	return ce.AddCore(e, c)
}
