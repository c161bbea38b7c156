package tap

import (
	"bufio"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/test/harness"
)

// tapped is a program behind mcptap that a test speaks to line by line.
type tapped struct {
	*exec.Cmd
	in  io.WriteCloser
	out *bufio.Scanner
}

func startTapped(t *testing.T, endpoint string, flags []string, server ...string) *tapped {
	t.Helper()
	args := append([]string{"--endpoint", endpoint}, flags...)
	cmd := exec.Command(harness.Tap(t), append(append(args, "--"), server...)...)
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	return &tapped{cmd, in, bufio.NewScanner(out)}
}

func (p *tapped) call(t *testing.T, id int) {
	t.Helper()
	_, err := fmt.Fprintf(p.in, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"t","arguments":{"id":%[1]d}}}`+"\n", id)
	require.NoError(t, err)
	require.True(t, p.out.Scan())
	require.Contains(t, p.out.Text(), fmt.Sprintf(`"id":%d`, id))
}

// answers is a server in shell, which replies to every call at once. Nothing
// smaller can be had that is real.
const answers = `while read -r line; do id=${line#*'"id":'}; id=${id%%,*}; echo '{"jsonrpc":"2.0","id":'$id',"result":{"content":[]}}'; done`

func called(c *collector, id int) bool {
	return len(spansOf(c.sink.Received())[key{"outbound", strconv.Itoa(id)}]) > 0
}

// The collector dies and comes back: the pair goes on, and what was seen in
// between is told then.
func TestCollectorDiesAndReturns(t *testing.T) {
	c := startCollector(t)
	p := startTapped(t, c.endpoint, nil, "/bin/sh", "-c", answers)
	p.call(t, 1)
	harness.Eventually(t, "the first call has no span", func() bool { return called(c, 1) })
	c.Kill(t)
	p.call(t, 2)
	p.call(t, 3)
	c = startCollectorAt(t, c.address, c.sink)
	p.call(t, 4)
	for id := 1; id <= 4; id++ {
		harness.Eventually(t, fmt.Sprintf("call %d has no span", id), func() bool { return called(c, id) })
	}
	require.NoError(t, p.in.Close())
	require.NoError(t, p.Wait())
	assert.Equal(t, "closed", text(root(t, c), "mcp.session.end_reason"))
}

// The server crashes in the middle of a call.
func TestServerCrashes(t *testing.T) {
	c := startCollector(t)
	p := startTapped(t, c.endpoint, nil, "/bin/sh", "-c", "read -r line; kill -KILL $$")
	_, err := io.WriteString(p.in, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t"}}`+"\n")
	require.NoError(t, err)
	_ = p.Wait()
	assert.Equal(t, 128+9, p.ProcessState.ExitCode())
	ended := root(t, c)
	assert.Equal(t, "closed", text(ended, "mcp.session.end_reason"))
	assert.Equal(t, "137", text(ended, "process.exit.code"))
	assert.Equal(t, ptrace.StatusCodeError, ended.Status().Code())
	spans := spansOf(c.sink.Received())[key{"outbound", "1"}]
	require.Len(t, spans, 1)
	assert.Equal(t, "true", text(spans[0], "mcp.span.incomplete"))
}

// Hosts end their servers with a signal; that is no failure of the server.
func TestServerIsEnded(t *testing.T) {
	c := startCollector(t)
	p := startTapped(t, c.endpoint, nil, "/bin/sh", "-c", `read -r line; echo '{"jsonrpc":"2.0","id":1,"result":{"content":[]}}'; exec sleep 600`)
	_, err := io.WriteString(p.in, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t"}}`+"\n")
	require.NoError(t, err)
	harness.Eventually(t, "the call has no span", func() bool { return called(c, 1) })
	require.NoError(t, p.Process.Signal(syscall.SIGTERM))
	_ = p.Wait()
	assert.Equal(t, 128+15, p.ProcessState.ExitCode())
	ended := root(t, c)
	assert.Equal(t, "closed", text(ended, "mcp.session.end_reason"))
	assert.Empty(t, text(ended, "process.exit.code"))
	assert.Equal(t, ptrace.StatusCodeUnset, ended.Status().Code())
}

// With --file nothing is sent, and replay sends it later.
func TestReplay(t *testing.T) {
	c := startCollector(t)
	file := t.TempDir() + "/out.ndjson"
	server := exec.Command(harness.Tap(t), "--file", file, "--", "/bin/sh", "-c", `read -r line; echo '{"jsonrpc":"2.0","id":7,"result":{"content":[]}}'`)
	in, err := server.StdinPipe()
	require.NoError(t, err)
	require.NoError(t, server.Start())
	_, err = io.WriteString(in, `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"t"}}`+"\n")
	require.NoError(t, err)
	require.NoError(t, server.Wait())
	assert.Empty(t, every(c.sink.Received()))
	out, err := exec.Command(harness.Tap(t), "replay", "--endpoint", c.endpoint, file).CombinedOutput()
	require.NoError(t, err, "%s", out)
	assert.Contains(t, string(out), "3 records sent")
	root(t, c)
	assert.True(t, called(c, 7))
}
