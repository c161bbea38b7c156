package main

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/otelcol-mcp/otelcol-mcp/cmd/mcptap/internal/observer"
	"github.com/otelcol-mcp/otelcol-mcp/internal/record"
)

// mistaken is a sink that panics.
type mistaken struct{}

func (mistaken) Add(*record.Record, []byte) { panic("mistake") }
func (mistaken) Dropped(int64)              {}

// A mistake of ours costs the records, not the session.
func TestMistakeIsSurvived(t *testing.T) {
	w := watched(observer.Options{MaxMessage: 1000}, mistaken{})
	see := w.see(observer.FromClient)
	line := []byte(`{"method":"a"}` + "\n")
	see(1, line)
	<-w.done
	for range 2 * spoolBytes / len(line) {
		see(2, line)
	}
	w.end(0, false)
	assert.True(t, w.broken)
}

func TestSizes(t *testing.T) {
	for text, want := range map[string]int{"1": 1, "512KiB": 512 << 10, "1MiB": 1 << 20, "2GiB": 2 << 30} {
		var s size
		assert.NoError(t, s.Set(text))
		assert.Equal(t, want, int(s))
		assert.Equal(t, text, s.String())
	}
	for _, text := range []string{"", "0", "-1", "1MB", "x", "99999999999999999", "1 MiB"} {
		var s size
		assert.Error(t, s.Set(text), text)
	}
}

// What cannot be is said before a server is started.
func TestUsage(t *testing.T) {
	for want, args := range map[string][]string{
		"no server to start":        {},
		"as in mcptap -- npx":       {"--server", "x", "--"},
		"neither mcp nor acp":       {"--protocol", "x", "--", "true"},
		"--propagate is for MCP":    {"--protocol", "acp", "--propagate", "--", "true"},
		"--endpoint":                {"--endpoint", "localhost", "--", "true"},
		"unknown flag":              {"--nonsense", "--", "true"},
		"is no size":                {"--queue", "much", "--", "true"},
		"no such file":              {"--file", "/no/such/folder/file", "--", "true"},
		"--target":                  {"http", "--target", "x"},
		"required flag":             {"http"},
		"accepts 1 arg":             {"wrap"},
		"not JSON":                  {"wrap", "/dev/null"},
		"/no/such: no such file or": {"replay", "/no/such"},
	} {
		cmd := mcptap(t, args...)
		_ = cmd.Run()
		assert.Equal(t, exitUsage, cmd.ProcessState.ExitCode(), args)
		assert.Contains(t, cmd.Stderr.(*bytes.Buffer).String(), want)
	}
}
