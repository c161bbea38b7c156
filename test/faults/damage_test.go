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

var damages = flag.Int("damages", 20, "how many times TestDamagedFiles damages a file and starts the collector")

// damaged is a collector whose files a test damages.
type damaged struct {
	*harness.Process
	dir, mcp, page, metrics, sink string
	queued                        int // spans that wait in its queue
}

func (d *damaged) start(t *testing.T) {
	t.Helper()
	config, err := filepath.Abs(filepath.Join("testdata", "damage.yaml"))
	require.NoError(t, err)
	d.mcp, d.page, d.metrics = harness.FreeAddress(t), harness.FreeAddress(t), harness.FreeAddress(t)
	d.Process = harness.Start(t, "otelcol-mcp", harness.Collector(t), []string{
		"STATE_DIR=" + d.dir, "SINK_ADDRESS=" + d.sink, "MCP_ADDRESS=" + d.mcp, "PAGE_ADDRESS=" + d.page,
		"METRICS_PORT=" + harness.PortOf(t, d.metrics),
	}, []string{"--config", config})
	d.Ready(t, func() bool { return d.Logged("Everything is ready.") })
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

// TestDamagedFiles damages one of all the files at a time. The collector starts
// each time, accepts and delivers what comes and what the other files hold, and
// says what it set aside.
func TestDamagedFiles(t *testing.T) {
	if testing.Short() {
		t.Skip("NOT TESTED: the collector is started many times, and this is -short")
	}
	first := &damaged{dir: t.TempDir(), sink: harness.FreeAddress(t)} // where nobody listens
	first.fill(t)
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rnd := rand.New(rand.NewPCG(seed, 0))
	var aside, values, sessions, unnoticed int
	for n := range *damages {
		t.Run(strconv.Itoa(n), func(t *testing.T) {
			dir := t.TempDir()
			require.NoError(t, os.CopyFS(dir, os.DirFS(first.dir)))
			file, how := damageOne(t, rnd, dir)
			t.Log(file, how)
			sink := harness.StartSink(t)
			d := &damaged{dir: dir, sink: sink.Address}
			d.start(t)
			d.post(t, "after", `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
			d.post(t, "session-0", `{"jsonrpc":"2.0","id":2,"result":{"content":[]}}`)
			d.awaitShown(t, "after")
			awaitDelivered(t, sink, "session.start", "session.id", "after")
			if !strings.HasPrefix(file, "receiver_") {
				awaitDelivered(t, sink, "tool.call", "mcp.tool.name", "tool-2")
			}
			if !strings.HasPrefix(file, "exporter_") {
				harness.Eventually(t, "what was queued does not come", func() bool { return sink.Received().SpanCount() >= first.queued })
			}
			a, v, s := d.assertSaid(t)
			aside, values, sessions = aside+a, values+v, sessions+s
			if a+v+s == 0 {
				unnoticed++
			}
			d.Terminate(t)
		})
	}
	t.Logf("%d starts: %d files set aside, %d values lost, %d session files damaged, %d starts in which nothing was noticed",
		*damages, aside, values, sessions, unnoticed)
}

// awaitDelivered waits for a span with an attribute.
func awaitDelivered(t *testing.T, sink *harness.Sink, name, key, value string) {
	t.Helper()
	harness.Eventually(t, "no "+name+" of "+value+" comes", func() bool {
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
	})
}

// awaitShown waits until the Inspector gateway has a session.
func (d *damaged) awaitShown(t *testing.T, id string) {
	t.Helper()
	harness.Eventually(t, "a new session is not shown", func() bool {
		return harness.HTTPOK("http://" + d.page + "/_inspector/trace/" + id)
	})
}

// assertSaid compares what the disk has with what was said of it.
func (d *damaged) assertSaid(t *testing.T) (aside, values, sessions int) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(d.dir, func(path string, _ os.DirEntry, err error) error {
		if strings.Contains(path, ".corrupt-") {
			aside++
			assert.True(t, d.Logged(path), "%s is not in the log", path)
		}
		return err
	}))
	own := harness.Scrape(t, "http://"+d.metrics+"/metrics")
	assert.InDelta(t, aside, own.Sum("otelcol_checked_file_storage_corrupt_files"), 0, "counted")
	values = int(own.Sum("otelcol_checked_file_storage_corrupt_values"))
	sessions = int(own.Sum("otelcol_mcp_inspector_exporter_corrupt_files"))
	if aside+values+sessions > 0 {
		assert.True(t, d.Logged("is damaged"))
	}
	return aside, values, sessions
}

// damageOne changes one file as a disk would, and says which and how.
func damageOne(t *testing.T, rnd *rand.Rand, dir string) (file, how string) {
	t.Helper()
	var files []string
	for _, pattern := range []string{"storage/*", "sessions/[^.]*", "sessions/.*.jsonl"} {
		found, err := filepath.Glob(filepath.Join(dir, pattern))
		require.NoError(t, err)
		if pattern == "sessions/[^.]*" {
			found = found[:min(2, len(found))] // as often as those of the storage
		}
		files = append(files, found...)
	}
	path := files[rnd.IntN(len(files))]
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NotEmpty(t, text)
	at := rnd.IntN(len(text))
	n := min(1+rnd.IntN(4096), len(text)-at)
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
	return filepath.Base(path), fmt.Sprintf("%s at %d, %d bytes", how, at, n)
}
