package tap

import (
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-mcp/otelcol-mcp/test/harness"
)

// recordEnv makes this program a recorder: it runs the command in its
// arguments and keeps what goes in and out in files of this name.
const recordEnv = "TAP_TEST_RECORD"

func TestMain(m *testing.M) {
	if to := os.Getenv(recordEnv); to != "" {
		_ = os.Unsetenv(recordEnv)
		os.Exit(recordPipes(to, os.Args[1:]))
	}
	flag.Parse()
	if testing.Short() {
		fmt.Println("end-to-end tests are left out with -short")
		return
	}
	os.Exit(m.Run())
}

func recordPipes(to string, command []string) int {
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Stderr = os.Stderr
	in, errIn := cmd.StdinPipe()
	out, errOut := cmd.StdoutPipe()
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM)
	if errIn != nil || errOut != nil || cmd.Start() != nil {
		return 100
	}
	go func() {
		for s := range signals {
			_ = cmd.Process.Signal(s)
		}
	}()
	go func() {
		_, _ = io.Copy(io.MultiWriter(create(to+".in"), in), os.Stdin)
		_ = in.Close()
	}()
	_, _ = io.Copy(io.MultiWriter(create(to+".out"), os.Stdout), out)
	_ = cmd.Wait()
	return cmd.ProcessState.ExitCode()
}

func create(path string) *os.File {
	f, err := os.Create(path)
	if err != nil {
		panic(err)
	}
	return f
}

// recorded is a command whose bytes are kept.
func recorded(t *testing.T, to string, command ...string) []string {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	return append([]string{"/usr/bin/env", recordEnv + "=" + to, self}, command...)
}

// stack is a server behind mcptap, with a recorder on either side of it.
type stack struct {
	dir     string
	command []string // for the client to start
}

func newStack(t *testing.T, c *collector, flags []string, server ...string) stack {
	t.Helper()
	dir := t.TempDir()
	inner := recorded(t, filepath.Join(dir, "server"), server...)
	tap := append([]string{harness.Tap(t), "--endpoint", c.endpoint}, flags...)
	return stack{dir, recorded(t, filepath.Join(dir, "client"), append(append(tap, "--"), inner...)...)}
}

// same checks that both sides of mcptap saw the same bytes, and is what the
// client wrote and read.
func (s stack) same(t *testing.T) (in, out []byte) {
	t.Helper()
	for _, way := range []string{".in", ".out"} {
		atClient, atServer := s.read(t, "client"+way), s.read(t, "server"+way)
		require.NotEmpty(t, atClient, way)
		require.Equal(t, string(atClient), string(atServer), way)
	}
	return s.read(t, "client.in"), s.read(t, "client.out")
}

func (s stack) read(t *testing.T, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(s.dir, name))
	require.NoError(t, err)
	return text
}

// collector is a running otelcol-mcp that exports into a sink.
type collector struct {
	*harness.Process
	sink     *harness.Sink
	address  string
	endpoint string
}

func startCollector(t *testing.T) *collector {
	t.Helper()
	return startCollectorAt(t, harness.FreeAddress(t), harness.StartSink(t))
}

func startCollectorAt(t *testing.T, address string, sink *harness.Sink) *collector {
	t.Helper()
	config, err := filepath.Abs("testdata/sink.yaml")
	require.NoError(t, err)
	c := &collector{sink: sink, address: address, endpoint: "http://" + address + "/v1/observations"}
	env := []string{"MCP_ADDRESS=" + address, "SINK_ADDRESS=" + sink.Address, "METRICS_PORT=" + harness.PortOf(t, harness.FreeAddress(t))}
	c.Process = harness.Start(t, "otelcol-mcp", harness.Collector(t), env, []string{"--config", config})
	c.Ready(t, func() bool { return c.Logged("Everything is ready.") })
	return c
}

// peers is the folder of the npm packages.
func peers(t *testing.T) (node, dir string) {
	t.Helper()
	dir = filepath.Join(harness.Root, "test", "peers")
	if !harness.IsFile(filepath.Join(dir, "node_modules", ".package-lock.json")) {
		harness.Missing(t, "the npm packages are not installed: npm ci --prefix test/peers")
	}
	return harness.LookPath(t, "node"), dir
}

// everything is the script of the everything server.
func everything(dir string) string {
	return filepath.Join(dir, "node_modules", "@modelcontextprotocol", "server-everything", "dist", "index.js")
}

// client runs a client to its end, which must be good.
func client(t *testing.T, dir string, command ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), command[0], command[1:]...)
	cmd.Dir = dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "GREETING=hello", "TZ=UTC"}
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
}
