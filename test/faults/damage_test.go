package faults

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-mcp/otelcol-mcp/test/harness"
)

var damages = flag.Int("damages", 20, "how many times each test of damaged files damages one and starts the collector")

// damaged is a collector whose files a test damages.
type damaged struct {
	*harness.Process
	dir, mcp, page, metrics, sink string
	queued                        int // spans that wait in its queue
}

// launch starts the collector, and returns when it is ready or has ended.
func (d *damaged) launch(t *testing.T) {
	t.Helper()
	config, err := filepath.Abs(filepath.Join("testdata", "damage.yaml"))
	require.NoError(t, err)
	d.mcp, d.page, d.metrics = harness.FreeAddress(t), harness.FreeAddress(t), harness.FreeAddress(t)
	d.Process = harness.Start(t, "otelcol-mcp", harness.Collector(t), []string{
		"STATE_DIR=" + d.dir, "SINK_ADDRESS=" + d.sink, "MCP_ADDRESS=" + d.mcp, "PAGE_ADDRESS=" + d.page,
		"METRICS_PORT=" + harness.PortOf(t, d.metrics),
	}, []string{"--config", config})
	harness.Eventually(t, "the collector neither starts nor ends", func() bool {
		return d.Ended() || d.Logged("Everything is ready.")
	})
}

func (d *damaged) start(t *testing.T) {
	t.Helper()
	d.launch(t)
	require.False(t, d.Ended(), "the collector ended early")
}

func (d *damaged) post(t *testing.T, session, message string) {
	t.Helper()
	body := fmt.Sprintf(`{"session":%q,"message":%s}`, session, message)
	response, err := http.Post("http://"+d.mcp+"/v1/observations", "application/json", strings.NewReader(body))
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	require.Equal(t, http.StatusAccepted, response.StatusCode)
}

// fill leaves open sessions and calls, a queue that could not be sent, and files
// of sessions that are open and of some that have ended.
func (d *damaged) fill(t *testing.T) {
	t.Helper()
	d.start(t)
	for i := range 60 {
		session := fmt.Sprint("session-", i)
		argument := strings.Repeat("x", rand.IntN(3000))
		for id := range 4 {
			d.post(t, session, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"tool-%d","arguments":{"a":%q}}}`, id, id, argument))
		}
		d.post(t, session, `{"jsonrpc":"2.0","id":1,"result":{"content":[]}}`)
	}
	d.queued = int(harness.Scrape(t, "http://"+d.metrics+"/metrics").Sum("otelcol_receiver_accepted_spans"))
	require.Positive(t, d.queued)
	d.Terminate(t)
}

// TestDamagedFiles damages one of the session files at a time. The collector starts each
// time, shows and delivers what comes and what its storage holds, and says what it set aside.
func TestDamagedFiles(t *testing.T) {
	first, rnd := filled(t)
	var sessions, unnoticed int
	for n := range *damages {
		t.Run(strconv.Itoa(n), func(t *testing.T) {
			d, sink := first.copied(t)
			t.Log(damageOne(t, rnd, d.dir, "sessions/[^.]*", "sessions/.*.jsonl"))
			d.start(t)
			d.assertWorks(t, sink)
			awaitDelivered(t, sink, "tool.call", "mcp.tool.name", "tool-2")
			harness.Eventually(t, "what was queued does not come", func() bool { return sink.Received().SpanCount() >= first.queued })
			s := int(harness.Scrape(t, "http://"+d.metrics+"/metrics").Sum("otelcol_mcp_inspector_exporter_corrupt_files"))
			if sessions += s; s == 0 {
				unnoticed++
			} else {
				assert.True(t, d.Logged("is damaged"))
			}
			d.Terminate(t)
		})
	}
	t.Logf("%d starts: %d session files damaged, %d starts in which nothing was noticed", *damages, sessions, unnoticed)
}

// TestDamagedStorage damages one of the files of file_storage at a time. The collector works,
// or it ends because of bbolt and works as soon as the storage's directory is gone.
func TestDamagedStorage(t *testing.T) {
	first, rnd := filled(t)
	var renamed, ended int
	for n := range *damages {
		t.Run(strconv.Itoa(n), func(t *testing.T) {
			d, sink := first.copied(t)
			t.Log(damageOne(t, rnd, d.dir, "storage/*"))
			d.launch(t)
			if !d.Ended() && !d.works(t, sink) {
				require.True(t, d.Ended(), "it neither works nor ends")
			}
			switch {
			case d.Ended():
				require.True(t, d.Logged("bbolt") || d.Logged("file size too small"), "it ends for another reason")
				ended++
				require.NoError(t, os.RemoveAll(filepath.Join(d.dir, "storage")))
				d.start(t)
				d.assertWorks(t, sink)
			case d.Logged("Database corruption detected"):
				renamed++
			}
		})
	}
	t.Logf("%d starts: %d with a new file, %d ended", *damages, renamed, ended)
}

// filled fills the files of a collector, and makes what damages copies of them.
func filled(t *testing.T) (*damaged, *rand.Rand) {
	t.Helper()
	if testing.Short() {
		t.Skip("NOT TESTED: the collector is started many times, and this is -short")
	}
	first := &damaged{dir: t.TempDir(), sink: harness.FreeAddress(t)} // where nobody listens
	first.fill(t)
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	return first, rand.New(rand.NewPCG(seed, 0))
}

// copied is a collector with copies of the files, and a sink of its own.
func (d *damaged) copied(t *testing.T) (*damaged, *harness.Sink) {
	t.Helper()
	dir, sink := t.TempDir(), harness.StartSink(t)
	require.NoError(t, os.CopyFS(dir, os.DirFS(d.dir)))
	return &damaged{dir: dir, sink: sink.Address}, sink
}

// assertWorks sends records of a new session and of one that may be restored.
func (d *damaged) assertWorks(t *testing.T, sink *harness.Sink) {
	t.Helper()
	d.post(t, "after", `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	d.post(t, "session-0", `{"jsonrpc":"2.0","id":2,"result":{"content":[]}}`)
	d.awaitShown(t, "after")
	awaitDelivered(t, sink, "session.start", "session.id", "after")
}

// works reports whether a new session is delivered before the collector ends.
func (d *damaged) works(t *testing.T, sink *harness.Sink) bool {
	t.Helper()
	response, err := http.Post("http://"+d.mcp+"/v1/observations", "application/json",
		strings.NewReader(`{"session":"after","message":{"jsonrpc":"2.0","method":"notifications/initialized"}}`))
	if err == nil {
		require.NoError(t, response.Body.Close())
	}
	harness.Eventually(t, "the collector neither delivers nor ends", func() bool {
		return d.Ended() || delivered(sink, "session.start", "session.id", "after")
	})
	return !d.Ended()
}

// awaitDelivered waits for a span with an attribute.
func awaitDelivered(t *testing.T, sink *harness.Sink, name, key, value string) {
	t.Helper()
	harness.Eventually(t, "no "+name+" of "+value+" comes", func() bool { return delivered(sink, name, key, value) })
}

func delivered(sink *harness.Sink, name, key, value string) bool {
	for _, r := range sink.Received().ResourceSpans().All() {
		for _, s := range r.ScopeSpans().All() {
			for _, span := range s.Spans().All() {
				if v, ok := span.Attributes().Get(key); ok && span.Name() == name && v.AsString() == value {
					return true
				}
			}
		}
	}
	return false
}

// awaitShown waits until the Inspector gateway has a session.
func (d *damaged) awaitShown(t *testing.T, id string) {
	t.Helper()
	harness.Eventually(t, "a new session is not shown", func() bool {
		return harness.HTTPOK("http://" + d.page + "/_inspector/trace/" + id)
	})
}

// damageOne changes one of the files as a disk would, and returns which and how.
func damageOne(t *testing.T, rnd *rand.Rand, dir string, patterns ...string) string {
	t.Helper()
	var files []string
	for _, pattern := range patterns {
		found, err := filepath.Glob(filepath.Join(dir, pattern))
		require.NoError(t, err)
		files = append(files, found...)
	}
	path := files[rnd.IntN(len(files))]
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NotEmpty(t, text)
	at := rnd.IntN(len(text))
	n := min(1+rnd.IntN(4096), len(text)-at)
	var how string
	switch rnd.IntN(6) {
	case 0:
		how, text = "cut", text[:at]
	case 1:
		how, text = "emptied", nil
	case 2:
		how = "zeros"
		clear(text[at : at+n])
	case 3:
		how = "a bit"
		text[at] ^= 1 << rnd.IntN(8)
	default:
		how = "random bytes"
		for i := range n {
			text[at+i] = byte(rnd.Int())
		}
	}
	require.NoError(t, os.WriteFile(path, text, 0o600))
	return fmt.Sprintf("%s: %s at %d, %d bytes", filepath.Base(path), how, at, n)
}
