package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Help fits a terminal, with examples first.
func TestHelp(t *testing.T) {
	top, _ := root()
	top.InitDefaultCompletionCmd()
	for _, cmd := range append([]*cobra.Command{top}, top.Commands()...) {
		if cmd.Name() == "completion" || cmd.Name() == "help" {
			continue // which are cobra's
		}
		var b bytes.Buffer
		cmd.SetOut(&b)
		require.NoError(t, cmd.Help())
		for line := range strings.Lines(b.String()) {
			assert.LessOrEqual(t, len(line), 110, "%s: %s", cmd.Name(), line)
		}
		if cmd.Name() != "hook" {
			assert.Less(t, strings.Index(b.String(), "\nExamples:\n"), strings.Index(b.String(), "\nUsage:\n"), cmd.Name())
			assert.Contains(t, b.String(), "\nExamples:\n")
		}
	}
}

// Each shell has completions, and they know the agents.
func TestCompletions(t *testing.T) {
	run := func(args ...string) string {
		cmd, _ := root()
		var b bytes.Buffer
		cmd.SetOut(&b)
		cmd.SetArgs(args)
		require.NoError(t, cmd.Execute())
		return b.String()
	}
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		assert.Contains(t, run("completion", shell), "mcptap", shell)
	}
	for _, names := range []string{run("__complete", "connect", "cursor", ""), run("__complete", "connect", "cursor", "co")} {
		assert.Contains(t, names, "copilot\tCopilot CLI\n")
		assert.NotContains(t, names, "cursor", "it is there already")
	}
	assert.Contains(t, run("__complete", "hook", ""), "claude-code")
	assert.Contains(t, run("__complete", "sta"), "status")
}

// A person who starts a server at a terminal waits for something that never comes.
func TestWaitsForClient(t *testing.T) {
	folder := t.TempDir()
	file, err := os.Create(filepath.Join(folder, "file"))
	require.NoError(t, err)
	defer file.Close()
	assert.False(t, isTerminal(file))
	null, err := os.Open(os.DevNull)
	require.NoError(t, err)
	defer null.Close()
	assert.False(t, isTerminal(null))
	r, w, err := os.Pipe()
	require.NoError(t, err)
	defer r.Close()
	defer w.Close()
	assert.False(t, isTerminal(r))
	if terminal, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0); err == nil {
		defer terminal.Close()
		assert.True(t, isTerminal(terminal))
	}
}
