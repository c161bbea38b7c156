//go:build unix

package main

import (
	"bytes"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Whatever is wrong, a hook ends well, in time, and prints nothing.
func TestHookDisturbsNobody(t *testing.T) {
	silent, err := net.Listen("tcp", "127.0.0.1:0") // it accepts and never answers
	require.NoError(t, err)
	defer silent.Close()
	for _, args := range [][]string{
		{"hook"},
		{"hook", "no-such-agent", "--endpoint", "::"},
		{"hook", "claude-code", "--endpoint", "http://127.0.0.1:1"},
		{"hook", "claude-code", "--endpoint", "http://" + silent.Addr().String()},
		{"hook", "codex", "--no-such-flag"},
		{"hook", "codex", "--help", "--no-such-flag"},
	} {
		cmd := mcptap(t, args...)
		var out bytes.Buffer
		cmd.Stdin, cmd.Stdout = strings.NewReader(`{"session_id":"s","hook_event_name":"Stop"}`), &out
		cmd.Env = append(cmd.Env, "HOME="+tempHome(t), "MCPTAP_ENDPOINT=http://127.0.0.1:1")
		require.NoError(t, cmd.Run(), args)
		assert.Empty(t, out.String())
		assert.Empty(t, cmd.Stderr.(*bytes.Buffer).String())
	}
}

// brokenInput breaks what reads it.
type brokenInput struct{}

func (brokenInput) Read([]byte) (int, error) { panic("broken") }

// A panic would exit with code 2, by which Claude Code blocks a tool.
func TestHookSurvivesPanic(t *testing.T) {
	cmd := mcptap(t)
	cmd.Env = append(cmd.Env, partEnv+"=broken-hook")
	out, err := cmd.Output()
	require.NoError(t, err)
	assert.Empty(t, out)
	assert.Empty(t, cmd.Stderr.(*bytes.Buffer).String())
}

// Nor does it wait for input that does not come.
func TestHookWithoutInput(t *testing.T) {
	in, never, err := os.Pipe()
	require.NoError(t, err)
	defer never.Close()
	cmd := mcptap(t, "hook", "claude-code", "--endpoint", "http://127.0.0.1:1")
	cmd.Env = append(cmd.Env, "HOME="+tempHome(t))
	cmd.Stdin = in
	require.NoError(t, cmd.Start())
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case err := <-ended:
		require.NoError(t, err)
	case <-time.After(time.Minute):
		_ = cmd.Process.Kill()
		t.Fatal("it still waits")
	}
}
