//go:build unix

package main

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The test binary plays the parts: mcptap itself, and servers of all manners.
const partEnv = "MCPTAP_TEST_PART"

func TestMain(m *testing.M) {
	switch part := os.Getenv(partEnv); part {
	case "":
		os.Exit(m.Run())
	case "mcptap":
		if !isHook(os.Args) { // which starts itself
			_ = os.Unsetenv(partEnv)
		}
		main()
	default:
		server(part)
	}
}

// server behaves as its name says.
func server(part string) {
	name, argument, _ := strings.Cut(part, "=")
	switch name {
	case "echo": // keeps a copy of what it got
		kept, err := os.Create(argument)
		if err != nil {
			panic(err)
		}
		if _, err = io.Copy(os.Stdout, io.TeeReader(os.Stdin, kept)); err != nil {
			panic(err)
		}
	case "signals": // says which it gets, and ends with the second SIGINT
		got := make(chan os.Signal, 8)
		signal.Notify(got, syscall.SIGHUP, syscall.SIGINT, syscall.SIGTERM, syscall.SIGUSR1, syscall.SIGUSR2)
		_, _ = os.Stdout.WriteString("ready\n")
		for interrupts := 0; interrupts < 2; {
			s := <-got
			_, _ = os.Stdout.WriteString(s.String() + "\n")
			if s == syscall.SIGINT {
				interrupts++
			}
		}
		os.Exit(3)
	case "panic": // in another goroutine, which nothing recovers
		go func() { panic("mistake") }()
		select {}
	case "printer":
		_, _ = os.Stdout.WriteString(`{"decision":"block"}`)
		_, _ = os.Stderr.WriteString("no")
		os.Exit(2)
	case "wait":
		time.Sleep(2 * time.Second)
	case "broken-hook":
		runHook([]string{"claude-code"}, brokenInput{})
	}
}

func self(t *testing.T) string {
	t.Helper()
	path, err := os.Executable()
	require.NoError(t, err)
	return path
}

// tempHome is a folder in which what hooks start may still write when the test has ended.
func tempHome(t *testing.T) string {
	t.Helper()
	home, err := os.MkdirTemp("", "mcptap-home-") //nolint:usetesting // t.TempDir fails if something is written while it is removed
	require.NoError(t, err)
	t.Cleanup(func() {
		assert.Eventually(t, func() bool { return os.RemoveAll(home) == nil }, time.Minute, 50*time.Millisecond)
	})
	if home, err = filepath.EvalSymlinks(home); err != nil {
		t.Fatal(err)
	}
	return home
}

// mcptap is a command that runs mcptap with these arguments.
func mcptap(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(self(t), args...)
	cmd.Env = append(os.Environ(), partEnv+"=mcptap", "GORACE=atexit_sleep_ms=0")
	cmd.Stderr = &bytes.Buffer{}
	cmd.WaitDelay = time.Minute
	return cmd
}

// tapped is a command that runs a part behind mcptap.
func tapped(t *testing.T, part string, flags ...string) *exec.Cmd {
	t.Helper()
	return mcptap(t, append(flags, "--", "/usr/bin/env", partEnv+"="+part, self(t))...)
}
