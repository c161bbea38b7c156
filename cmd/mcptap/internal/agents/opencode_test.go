package agents

import (
	"bytes"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update-plugin", false, "write what the plugin posts as what is expected")

// posted is what the plugin posts of testdata/opencode.jsonl, which is what a real
// opencode called it with. It is what the decoder is tested against.
const posted = "../../../../internal/agent/opencode/testdata/session.hooks.jsonl"

// replayPlugin runs the plugin in Node.js, as opencode does in a runtime like it.
func replayPlugin(t *testing.T, mode string, env ...string) (stdout, stderr string) {
	t.Helper()
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("NOT TESTED: the plugin runs in Node.js, which is not installed")
	}
	plugin := filepath.Join(t.TempDir(), "otelcol-mcp.mjs")
	require.NoError(t, os.WriteFile(plugin, []byte(openCode), 0o600))
	cmd := exec.CommandContext(t.Context(), node, "testdata/replay.mjs", plugin, "testdata/opencode.jsonl", mode)
	cmd.Env = append(os.Environ(), env...)
	var out, diagnostics bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &diagnostics
	cmd.WaitDelay = 10 * time.Second
	require.NoError(t, cmd.Run(), diagnostics.String())
	return out.String(), diagnostics.String()
}

func TestOpenCodePluginPosts(t *testing.T) {
	got, urls := replayPlugin(t, "answer", "OTELCOL_MCP_URL=http://collector:1/", "OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:4328/")
	if *update {
		require.NoError(t, os.WriteFile(posted, []byte(got), 0o600))
	}
	want, err := os.ReadFile(posted)
	require.NoError(t, err)
	require.Equal(t, string(want), got)
	named := ""
	if runtime.GOOS == "linux" {
		named = "&process="
	}
	for url := range strings.Lines(urls) {
		require.True(t, strings.HasPrefix(url, "http://collector:1/v1/hooks/opencode?otel=traces"+named), url)
	}
}

// Spans are announced only if they go to the same collector.
func TestOpenCodePluginAnnounces(t *testing.T) {
	for env, want := range map[string]bool{
		"http://localhost:4328": true, "http://[::1]:4328/": true, "http://localhost:4318": false, "https://otlp.example.com": false,
		"localhost": false, "": false,
	} {
		_, urls := replayPlugin(t, "answer", "OTEL_EXPORTER_OTLP_ENDPOINT="+env)
		require.Equal(t, want, strings.Contains(urls, "?otel=traces"), env)
	}
	_, urls := replayPlugin(t, "answer", "OTEL_EXPORTER_OTLP_ENDPOINT=http://c", "MCPTAP_OTLP_ENDPOINT=http://c:80")
	require.Contains(t, urls, "?otel=traces")
}

// Headers that the environment says go along, and what is no header does no harm.
func TestOpenCodePluginSendsHeaders(t *testing.T) {
	_, out := replayPlugin(t, "answer", "MCPTAP_HEADERS=X-Organization-Id=acme%20GmbH,,x,X-Bad=%zz,X-User-Id=a=b,X-City=Z%C3%BCrich %E2%82%AC,X-Line=a%0Ab,Content-Type=text/plain")
	require.Contains(t, out, `headers {"X-Organization-Id":"acme GmbH","X-User-Id":"a=b","X-City":"`+"Z\u00c3\u00bcrich \u00e2\u0082\u00ac"+`"}`, "a character a byte of UTF-8")
}

// What comes together in a burst goes out in requests of a bounded size, in order
// and whole.
func TestOpenCodePluginBoundsRequests(t *testing.T) {
	got, urls := replayPlugin(t, "answer", "REPLAY_BURST=14")
	require.Contains(t, got, "burst-13")
	var sizes []int
	for line := range strings.Lines(urls) {
		if size, ok := strings.CutPrefix(line, "large "); ok {
			n, err := strconv.Atoi(strings.TrimSpace(size))
			require.NoError(t, err)
			require.LessOrEqual(t, n, 4<<20)
			sizes = append(sizes, n)
		}
	}
	require.Greater(t, len(sizes), 3, "14 MB")
	require.Less(t, len(sizes), 14, "still several events at once")
	last := -1
	for i := range 14 {
		at := strings.Index(got, "burst-"+strconv.Itoa(i)+"\"")
		require.Greater(t, at, last)
		last = at
	}
}

// What comes faster than it can be sent takes a bounded amount of memory: what does
// not fit is lost, and what fits arrives in order.
func TestOpenCodePluginBoundsQueue(t *testing.T) {
	got, _ := replayPlugin(t, "answer", "REPLAY_BURST=60")
	require.Equal(t, 16, strings.Count(got, `"burst-`), "of 16 MiB")
	require.Contains(t, got, "burst-15\"")
	require.NotContains(t, got, "burst-16\"")
}

// A collector that is busy is asked once more, and no more than that.
func TestOpenCodePluginRetries(t *testing.T) {
	want, _ := replayPlugin(t, "answer")
	for _, mode := range []string{"busy-503", "busy-429"} {
		got, _ := replayPlugin(t, mode)
		require.Equal(t, want, got, mode)
	}
	got, urls := replayPlugin(t, "always-503")
	require.Empty(t, got)
	require.Contains(t, urls, "asked at most twice")
	got, urls = replayPlugin(t, "always-400")
	require.Empty(t, got)
	require.Contains(t, urls, "asked at most once")
}

// What happened while there was no collector arrives when there is one: in order, and once.
func TestOpenCodePluginSendsLater(t *testing.T) {
	want, _ := replayPlugin(t, "answer")
	got, _ := replayPlugin(t, "later")
	require.Equal(t, want, got)
}

// Without a collector, or with one that does not answer, opencode goes on.
func TestOpenCodePluginAlone(t *testing.T) {
	for _, mode := range []string{"refuse", "hang"} {
		got, _ := replayPlugin(t, mode)
		require.Empty(t, got, mode)
	}
}
