//go:build unix

package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-mcp/otelcol-mcp/cmd/mcptap/internal/observer"
	"github.com/otelcol-mcp/otelcol-mcp/internal/observation"
)

// mistaken is a sink that panics.
type mistaken struct{}

func (mistaken) Add(*observation.Record, []byte)    { panic("mistake") }
func (mistaken) Dropped(*observation.Record, int64) {}

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

// A word that is nearly a command runs no program, unless it is behind --; what is meant is
// named.
func TestMisspelt(t *testing.T) {
	folder := t.TempDir()
	for _, name := range []string{"stat", "conect", "version", "echoes"} {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte("#!/bin/sh\ntouch "+folder+"/ran\n"), 0o700))
	}
	t.Setenv("PATH", folder+":"+os.Getenv("PATH"))
	for want, args := range map[string][]string{
		"do you mean mcptap status? To run a program of that name: mcptap -- stat\n": {"stat"},
		"do you mean mcptap connect?":                      {"conect", "claude-code"},
		"do you mean mcptap --version?":                    {"version"},
		"do you mean claude-code?":                         {"connect", "claud-code"},
		"do you mean gemini?":                              {"connect", "gemni"},
		"use claude-code, codex, ":                         {"connect", "something"},
		"unknown flag: --endpont; do you mean --endpoint?": {"status", "--endpont", "x"},
		"unknown flag: --dryrun; do you mean --dry-run?":   {"connect", "--dryrun", "codex"},
	} {
		cmd := mcptap(t, args...)
		_ = cmd.Run()
		assert.Equal(t, exitUsage, cmd.ProcessState.ExitCode(), args)
		assert.Contains(t, cmd.Stderr.(*bytes.Buffer).String(), want)
		assert.NoFileExists(t, folder+"/ran", args)
	}
	for _, args := range [][]string{{"--", "stat"}, {"echoes"}} {
		cmd := mcptap(t, append([]string{"--file", os.DevNull}, args...)...)
		require.NoError(t, cmd.Run())
		assert.FileExists(t, folder+"/ran", args)
		require.NoError(t, os.Remove(folder+"/ran"))
	}
	cmd := mcptap(t, "--", "/no/such/server")
	_ = cmd.Run()
	assert.Equal(t, 127, cmd.ProcessState.ExitCode(), "as a shell says it")
	assert.NotContains(t, cmd.Stderr.(*bytes.Buffer).String(), "do you mean")
}

// What cannot be is said before a server is started.
func TestUsage(t *testing.T) {
	for want, args := range map[string][]string{
		"nothing to do: connect": {},
		"as in mcptap -- npx":    {"--server", "x", "--"},
		"neither mcp nor acp":    {"--protocol", "x", "--", "true"},
		"--propagate is for MCP": {"--protocol", "acp", "--propagate", "--", "true"},
		"--endpoint":             {"--endpoint", "localhost", "--", "true"},
		"unknown flag":           {"--nonsense", "--", "true"},
		"is not a size":          {"--queue", "much", "--", "true"},
		"no such file":           {"--file", "/no/such/folder/file", "--", "true"},
		"--target":               {"http", "--target", "x"},
		"name the server: mcptap http --target http://localhost:3001/mcp":                 {"http"},
		"name the client's configuration: mcptap wrap FILE, as in mcptap wrap .mcp.json":  {"wrap"},
		"mcptap wrap changes one FILE at a time, not 2":                                   {"wrap", "a", "b"},
		"name the file that mcptap --file wrote: mcptap replay FILE, as in mcptap replay": {"replay"},
		"mcptap replay sends one FILE at a time, not 2":                                   {"replay", "a", "b"},
		"it is not a regular file":                                                        {"wrap", "/dev/null"},
		"/no/such: no such file or":                                                       {"replay", "/no/such"},
		"mcptap: /no/such: no such file or directory":                                     {"wrap", "/no/such"},
	} {
		cmd := mcptap(t, args...)
		_ = cmd.Run()
		assert.Equal(t, exitUsage, cmd.ProcessState.ExitCode(), args)
		assert.Contains(t, cmd.Stderr.(*bytes.Buffer).String(), want)
	}
}

// Without a collector replay ends, with advice.
func TestReplayWithoutCollector(t *testing.T) {
	file := filepath.Join(t.TempDir(), "out.ndjson")
	require.NoError(t, os.WriteFile(file, []byte(`{"time":1771516800000000001,"session":"s","message":{"jsonrpc":"2.0","method":"a"}}`), 0o600))
	cmd := mcptap(t, "replay", "--wait", "0", "--endpoint", "http://"+nobody(t), file)
	_ = cmd.Run()
	assert.Equal(t, 1, cmd.ProcessState.ExitCode())
	said := cmd.Stderr.(*bytes.Buffer).String()
	assert.Contains(t, said, "start the collector, or set --endpoint; then, for the rest: mcptap replay --from 1 "+file)
	assert.Contains(t, said, "mcptap: 0 records sent")
}

// A file of records that was cut off is written on in a line of its own.
func TestTornFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "out.ndjson")
	require.NoError(t, os.WriteFile(file, []byte(`{"time":1`), 0o600))
	require.NoError(t, mcptap(t, "--file", file, "--", "/bin/true").Run())
	require.NoError(t, mcptap(t, "--file", file, "--", "/bin/true").Run())
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	lines := strings.Split(string(text), "\n")
	require.Len(t, lines, 4)
	for i, want := range []string{`^{"time":1$`, `^{"time":.*}$`, `^{"time":.*}$`, `^$`} {
		assert.Regexp(t, want, lines[i])
	}
}

// A file that does not end with records, as after a crash of the machine, is set
// aside; the tap starts with an empty one.
func TestDamagedFileIsSetAside(t *testing.T) {
	record := `{"time":1771516800000000001,"session":"s","message":{"jsonrpc":"2.0","method":"a"}}` + "\n"
	for name, damaged := range map[string]string{
		"nulls":          record + strings.Repeat("\x00", 5000),
		"nulls and line": record + strings.Repeat("\x00", 5000) + "\n",
		"nulls and torn": record + strings.Repeat("\x00", 5000) + "\n" + `{"time":1`,
		"cut line":       record + record[20:],
		"no records":     "my notes\n",
		"long":           record + strings.Repeat("x", 3<<20) + "\n",
		"endless":        strings.Repeat("x", 20<<20),
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "out.ndjson")
			require.NoError(t, os.WriteFile(file, []byte(damaged), 0o600))
			cmd := mcptap(t, "--file", file, "--", "/bin/true")
			require.NoError(t, cmd.Run())
			aside, err := filepath.Glob(file + ".corrupt-*")
			require.NoError(t, err)
			require.Len(t, aside, 1)
			text, err := os.ReadFile(aside[0])
			require.NoError(t, err)
			assert.Equal(t, damaged, string(text))
			assert.Contains(t, cmd.Stderr.(*bytes.Buffer).String(), "mcptap: "+file+" is damaged: moved to "+aside[0]+", starting an empty one\n")
			text, err = os.ReadFile(file)
			require.NoError(t, err)
			assert.Regexp(t, `^{"time":.*}\n$`, string(text))
		})
	}
	large := strings.Replace(record, `"a"`, `"`+strings.Repeat("a", 3<<20)+`"`, 1)
	for name, good := range map[string]string{
		"empty": "", "blank lines": "\n\n", "records": record + record, "torn": record + record[:30], "only torn": record[:30], "large": large,
		"blank line behind": record + "\n \n",
	} {
		file := filepath.Join(t.TempDir(), "out.ndjson")
		require.NoError(t, os.WriteFile(file, []byte(good), 0o600))
		require.NoError(t, mcptap(t, "--file", file, "--", "/bin/true").Run(), name)
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		assert.True(t, strings.HasPrefix(string(text), good), name)
		aside, err := filepath.Glob(file + ".corrupt-*")
		require.NoError(t, err)
		assert.Empty(t, aside, name)
	}
}

// The server gets our environment, but not what lets one write to the collector.
func TestServerDoesNotLearnTheAuthorization(t *testing.T) {
	cmd := mcptap(t, "--file", os.DevNull, "--", "/usr/bin/env")
	cmd.Env = append(cmd.Env, authorizationEnv+"=Bearer secret", "MCPTAP_TEST_OTHER=seen")
	out, err := cmd.Output()
	require.NoError(t, err)
	assert.Contains(t, string(out), "MCPTAP_TEST_OTHER=seen\n")
	assert.NotContains(t, string(out), "Bearer secret")
}

// The agent's own session is in each record: from the environment, as Claude Code
// sets it, or by name.
func TestAgentSession(t *testing.T) {
	for name, want := range map[string]string{"environment": "from-env", "flag": "by-name"} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			flags := []string{"--file", filepath.Join(dir, "out")}
			if name == "flag" {
				flags = append(flags, "--agent-session", want)
			}
			cmd := tapped(t, "echo="+filepath.Join(dir, "in"), flags...)
			cmd.Env = append(cmd.Env, agentSessionEnv+"=from-env")
			cmd.Stdin = strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"ping"}` + "\n")
			require.NoError(t, cmd.Run())
			records, err := os.ReadFile(filepath.Join(dir, "out"))
			require.NoError(t, err)
			for line := range strings.Lines(string(records)) {
				assert.Contains(t, line, `"agent_session":"`+want+`"`)
			}
			assert.NotEmpty(t, records)
		})
	}
}
