//go:build unix

package main

import (
	"bufio"
	"bytes"
	"flag"
	"math/rand/v2"
	"net"
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
	"pgregory.net/rapid"
)

// Whatever a client writes, in whatever pieces, its server reads; and the other
// way round.
func TestBytesPassUnchanged(t *testing.T) {
	dir := t.TempDir()
	fewer(t)
	rapid.Check(t, func(rt *rapid.T) {
		text := drawStream(rt)
		flags := []string{"--file", filepath.Join(dir, "records"), "--max-message", "1000"}
		passes(t, rt, text, rapid.SliceOfN(rapid.IntRange(1, 100_000), 1, 20).Draw(rt, "pieces"), flags)
	})
}

// fewer makes do with fewer cases of a property: each starts three programs.
func fewer(t *testing.T) {
	t.Helper()
	checks := flag.Lookup("rapid.checks")
	before := checks.Value.String()
	require.NoError(t, checks.Value.Set("30"))
	t.Cleanup(func() { _ = checks.Value.Set(before) })
}

// Single frames up to 20 MB, the collector being away.
func TestLargeFramesPassUnchanged(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, size := range []int{1, 1<<20 + 1, 20_000_000} {
		frame := append(noise(random, size), '\n')
		passes(t, t, bytes.Repeat(frame, 2), []int{7, 65536, 1 << 20}, []string{"--endpoint", "http://" + nobody(t)})
	}
}

// drawStream is frames of any kind, the last perhaps without a line feed.
func drawStream(t *rapid.T) []byte {
	var all []byte
	for _, kind := range rapid.SliceOfN(rapid.IntRange(0, 4), 0, 30).Draw(t, "frames") {
		switch kind {
		case 0:
			all = append(all, rapid.SliceOf(rapid.Byte()).Draw(t, "bytes")...)
		case 1:
			all = append(all, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"`+rapid.String().Draw(t, "name")+`"}}`...)
		case 2:
			all = append(all, noise(rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1)), rapid.IntRange(1, 300_000).Draw(t, "size"))...)
		case 3:
			all = append(all, "{\"result\":\"\xff\xfe\"}\r"...)
		}
		all = append(all, '\n')
	}
	if rapid.Bool().Draw(t, "no last line feed") {
		all = bytes.TrimSuffix(all, []byte("\n"))
	}
	return all
}

// noise is a frame that looks like JSON where it is short.
func noise(random *rand.Rand, size int) []byte {
	const letters = `{}[]",:\abc0` + "\xff"
	frame := make([]byte, size)
	for i := range frame {
		frame[i] = letters[random.IntN(len(letters))]
	}
	return frame
}

// passes sends text in pieces of these sizes through mcptap to a server that
// sends it back.
func passes(t *testing.T, check require.TestingT, text []byte, pieces []int, flags []string) {
	t.Helper()
	kept := filepath.Join(t.TempDir(), "kept")
	cmd := tapped(t, "echo="+kept, flags...)
	in, err := cmd.StdinPipe()
	require.NoError(check, err)
	var back bytes.Buffer
	cmd.Stdout = &back
	require.NoError(check, cmd.Start())
	go func() {
		defer in.Close()
		for i, rest := 0, text; len(rest) > 0; i++ {
			n := min(pieces[i%len(pieces)], len(rest))
			if _, err := in.Write(rest[:n]); err != nil {
				return
			}
			rest = rest[n:]
		}
	}()
	require.NoError(check, cmd.Wait(), "%s", cmd.Stderr)
	got, err := os.ReadFile(kept)
	require.NoError(check, err)
	require.True(check, bytes.Equal(text, got), "the server got other bytes")
	require.True(check, bytes.Equal(text, back.Bytes()), "the client got other bytes")
}

// nobody is an address that nobody listens at.
func nobody(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	return l.Addr().String()
}

func TestExitCodes(t *testing.T) {
	for script, want := range map[string]int{
		"exit 0": 0, "exit 7": 7, "kill -TERM $$": 128 + 15, "kill -KILL $$": 128 + 9, "kill -SEGV $$": 128 + 11,
		"exec 0<&-; exit 5": 5, "exec 1>&-; exit 6": 6,
	} {
		cmd := mcptap(t, "--endpoint", "http://"+nobody(t), "--", "/bin/sh", "-c", script)
		_ = cmd.Run()
		assert.Equal(t, want, cmd.ProcessState.ExitCode(), script)
	}
	missing := mcptap(t, "--", "/no/such/program")
	_ = missing.Run()
	assert.Equal(t, 127, missing.ProcessState.ExitCode())
	forbidden := mcptap(t, "--", t.TempDir())
	_ = forbidden.Run()
	assert.Equal(t, 126, forbidden.ProcessState.ExitCode())
}

func TestStandardErrorPasses(t *testing.T) {
	cmd := mcptap(t, "--file", os.DevNull, "--", "/bin/sh", "-c", `printf 'one\377two' >&2`)
	require.NoError(t, cmd.Run())
	assert.Equal(t, "one\xfftwo", cmd.Stderr.(*bytes.Buffer).String())
}

// A server whose child holds its output open has ended all the same.
func TestGrandchildrenAreNotWaitedFor(t *testing.T) {
	cmd := mcptap(t, "--file", os.DevNull, "--", "/bin/sh", "-c", `sleep 600 2>/dev/null & echo $!`)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	pid, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	defer func() { _ = exec.Command("kill", strings.TrimSpace(pid)).Run() }()
	require.NoError(t, cmd.Wait())
}

func TestSignalsPass(t *testing.T) {
	if signal.Ignored(syscall.SIGINT) {
		t.Skip("NOT TESTED: whoever started the tests ignores SIGINT, as scripts do for what they start in the background")
	}
	cmd := tapped(t, "signals", "--file", os.DevNull)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	defer in.Close()
	require.NoError(t, cmd.Start())
	lines := bufio.NewScanner(out)
	require.True(t, lines.Scan())
	require.Equal(t, "ready", lines.Text())
	for _, s := range []syscall.Signal{syscall.SIGTERM, syscall.SIGUSR1, syscall.SIGHUP, syscall.SIGUSR2, syscall.SIGINT, syscall.SIGINT} {
		if signal.Ignored(s) {
			continue // as nohup does: it is not for mcptap to hear it
		}
		require.NoError(t, cmd.Process.Signal(s))
		require.True(t, lines.Scan(), "%s did not pass", s)
		assert.Equal(t, s.String(), lines.Text())
	}
	_ = cmd.Wait()
	assert.Equal(t, 3, cmd.ProcessState.ExitCode())
}

// When the client goes away the server's input ends, and what it writes fails
// as it would without us.
func TestClientDisappears(t *testing.T) {
	cmd := mcptap(t, "--file", os.DevNull, "--", "/bin/sh", "-c", `read line; while echo again; do :; done; exit 9`)
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	require.NoError(t, in.Close())
	require.NoError(t, out.Close())
	_ = cmd.Wait()
	code := cmd.ProcessState.ExitCode()
	assert.Contains(t, []int{9, 128 + 13}, code, "the shell sees EPIPE, or dies of SIGPIPE")
}

// Whoever kills mcptap kills the server too.
func TestKilled(t *testing.T) {
	if _, err := os.Stat("/proc/self/stat"); err != nil {
		t.Skip("NOT TESTED: only Linux kills a child with its parent")
	}
	cmd := mcptap(t, "--file", os.DevNull, "--", "/bin/sh", "-c", `echo $$; exec sleep 600`)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	defer in.Close()
	require.NoError(t, cmd.Start())
	pid, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	require.NoError(t, cmd.Process.Kill())
	_ = cmd.Wait()
	gone := func() bool {
		stat, err := os.ReadFile("/proc/" + strings.TrimSpace(pid) + "/stat")
		return err != nil || bytes.Contains(stat, []byte(") Z "))
	}
	require.Eventually(t, gone, time.Minute, 10*time.Millisecond)
}

// A collector that takes a connection and says nothing holds up nobody.
func TestSilentCollector(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	text := []byte(strings.Repeat(`{"jsonrpc":"2.0","method":"a"}`+"\n", 1000))
	passes(t, t, text, []int{1000}, []string{"--endpoint", "http://" + l.Addr().String(), "--queue", "4KiB"})
}
