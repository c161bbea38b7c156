//go:build unix

package stitch

import (
	"net"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// redisServer is a redis-server process that keeps nothing on disk, so it has
// forgotten everything when it is started again.
type redisServer struct {
	Addr string
	args []string
	cmd  *exec.Cmd
	tb   testing.TB
}

// startRedis starts a server on a free port of localhost. If redis-server is not
// installed, the test is skipped; on a build server it fails.
func startRedis(tb testing.TB, args ...string) *redisServer {
	tb.Helper()
	if _, err := exec.LookPath("redis-server"); err != nil {
		if os.Getenv("CI") == "true" {
			tb.Fatal("redis-server is missing: install Debian's redis-server")
		}
		tb.Skip("SKIPPED: redis-server is missing, so nothing that replicas share is tested; install Debian's redis-server")
	}
	free, err := net.Listen("tcp", "localhost:0")
	require.NoError(tb, err)
	s := &redisServer{Addr: free.Addr().String(), args: args, tb: tb}
	require.NoError(tb, free.Close())
	s.Run()
	tb.Cleanup(s.Kill)
	return s
}

// Run starts the server, or starts it again, and waits until it answers.
func (s *redisServer) Run() {
	s.tb.Helper()
	_, port, err := net.SplitHostPort(s.Addr)
	require.NoError(s.tb, err)
	args := append([]string{"--bind", "127.0.0.1", "--port", port, "--save", "", "--appendonly", "no", "--loglevel", "warning"}, s.args...)
	s.cmd = exec.Command("redis-server", args...)
	s.cmd.Dir = s.tb.TempDir()
	require.NoError(s.tb, s.cmd.Start())
	require.Eventually(s.tb, s.answers, 10*time.Second, time.Millisecond, "redis-server does not answer")
}

func (s *redisServer) answers() bool {
	conn, err := net.DialTimeout("tcp", s.Addr, time.Second)
	if err != nil {
		return false
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(time.Second))
	_, err = conn.Write([]byte("PING\r\n"))
	if err != nil {
		return false
	}
	// With a password set the answer is an error, which is an answer too.
	n, err := conn.Read(make([]byte, 1))
	return err == nil && n == 1
}

// Kill kills the server. It may be called twice.
func (s *redisServer) Kill() {
	if s.cmd == nil {
		return
	}
	_ = s.cmd.Process.Kill()
	_ = s.cmd.Wait()
	s.cmd = nil
}

// Stop suspends the server until Continue.
func (s *redisServer) Stop() { require.NoError(s.tb, s.cmd.Process.Signal(syscall.SIGSTOP)) }

// Continue resumes it.
func (s *redisServer) Continue() { require.NoError(s.tb, s.cmd.Process.Signal(syscall.SIGCONT)) }

// Running reports whether the server was started and not killed.
func (s *redisServer) Running() bool { return s.cmd != nil }
