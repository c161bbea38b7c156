package inspectorexporter

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/exporter/inspectorexporter/internal/sessions"
)

// TestManyClients: half of 500 readers do not read. The others get every event,
// and what those hold is bounded. The figures are printed, not judged.
func TestManyClients(t *testing.T) {
	if testing.Short() {
		t.Skip("opens 500 connections")
	}
	const half, events = 250, 2000
	r := start(t, configFor(t.TempDir()))
	before := heap()
	for range half {
		deaf(t, r)
	}
	var reading sync.WaitGroup
	counts := make([]atomic.Int64, half)
	for i := range half {
		f := r.listen("/_inspector/events?view=board")
		f.until("Connected")
		reading.Go(func() { count(f, "s-0", events, &counts[i]) })
	}
	require.Eventually(t, func() bool { return r.events.Readers() == 2*half }, 10*time.Second, time.Millisecond)
	began := time.Now()
	uri := "file:///" + strings.Repeat("a/long/path/", 30)
	for i := range events {
		r.send(func(s ptrace.Span) {
			span("s-0", "resource.fetch", 7, root, 5, 6, "mcp.resource.uri", uri)(s)
			s.SetSpanID([8]byte{1, byte(i >> 8), byte(i)})
		})
		keepUp(t, counts, i+1)
	}
	reading.Wait()
	took := time.Since(began)
	t.Logf("%d clients, %d of them not reading, %d events: the others had all of them after %v; heap +%d KiB, %d KiB a client",
		2*half, half, events, took.Round(time.Millisecond), (heap()-before)>>10, (heap()-before)>>10/(2*half))
}

// keepUp waits for the readers now and then: none may fall behind the events
// that are kept.
func keepUp(t *testing.T, counts []atomic.Int64, sent int) {
	t.Helper()
	if sent%500 != 0 {
		return
	}
	require.Eventually(t, func() bool {
		for i := range counts {
			if counts[i].Load() < int64(sent) {
				return false
			}
		}
		return true
	}, time.Minute, time.Millisecond)
}

// deaf connects and never reads.
func deaf(t *testing.T, r *running) {
	t.Helper()
	conn, err := net.Dial("tcp", r.server.Addr().String())
	require.NoError(t, err)
	require.NoError(t, conn.(*net.TCPConn).SetReadBuffer(4096))
	_, err = fmt.Fprintf(conn, "GET /_inspector/events?view=board HTTP/1.1\r\nHost: localhost\r\n\r\n")
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
}

// count reads events of a session until there are n.
func count(f *frames, id string, n int64, got *atomic.Int64) {
	for got.Load() < n {
		line, err := f.in.ReadString('\n')
		if err != nil {
			return
		}
		if strings.HasPrefix(line, "data: ") && strings.Contains(line, `"type":"ResourceFetched","session_id":"`+id) {
			got.Add(1)
		}
	}
}

func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc + m.StackInuse)
}

// TestManySessions: 100,000 sessions are on the disk. The figures are printed.
func TestManySessions(t *testing.T) {
	if testing.Short() {
		t.Skip("writes 100,000 files")
	}
	const n = 100_000
	dir := t.TempDir()
	written(t, dir, n)
	before := heap()
	began := time.Now()
	cfg := configFor(dir)
	cfg.MaxSessions = n + 10
	r := start(t, cfg)
	startTook := time.Since(began)
	require.Equal(t, n, r.board.Len())
	var page sessions.Page
	for _, query := range []string{"limit=100", "limit=100&order=attention", "q=title+9999", "limit=1000&state=done&q=no-such"} {
		began = time.Now()
		res, body := r.get("/_inspector/sessions?" + query)
		took := time.Since(began)
		require.Equal(t, http.StatusOK, res.StatusCode)
		page = sessions.Page{}
		require.NoError(t, json.Unmarshal([]byte(body), &page))
		t.Logf("/sessions?%s of %d: %v, %d bytes", query, n, took.Round(100*time.Microsecond), len(body))
	}
	t.Logf("started in %v, heap +%d MiB", startTook.Round(time.Millisecond), (heap()-before)>>20)
	seen := 0
	for cursor := ""; ; cursor = page.NextCursor {
		_, body := r.get("/_inspector/sessions?limit=1000&cursor=" + cursor)
		page = sessions.Page{}
		require.NoError(t, json.Unmarshal([]byte(body), &page))
		if seen += len(page.Sessions); page.NextCursor == "" {
			break
		}
		if seen > 5000 {
			return
		}
	}
	assert.Equal(t, n, seen)
}

// written makes the files and the index of sessions that have ended.
func written(t *testing.T, dir string, n int) {
	t.Helper()
	seed := start(t, configFor(t.TempDir()))
	seed.send(started("seed"), ended("seed"))
	seed.store.Flush()
	file := filepath.Join(seed.cfg.TracesDir, "seed.jsonl.gz")
	content, err := os.ReadFile(file)
	require.NoError(t, err)
	row := string(seed.board.Meta("seed"))
	trace, err := seed.store.Trace("seed")
	require.NoError(t, err)
	index, err := os.Create(filepath.Join(dir, ".sessions.jsonl"))
	require.NoError(t, err)
	w := bufio.NewWriter(index)
	for i := range n {
		id := fmt.Sprintf("session-%06d", i)
		name := filepath.Join(dir, id+".jsonl.gz")
		if i%10_000 == 0 {
			file = name
			require.NoError(t, os.WriteFile(file, content, 0o600))
		} else {
			require.NoError(t, os.Link(file, name)) // sooner made than a file of its own
		}
		meta := strings.NewReplacer(`"id":"seed"`, `"id":"`+id+`"`, "Fix the build", fmt.Sprintf("title %d", i)).Replace(row)
		_, err := fmt.Fprintf(w, "{\"id\":%q,\"zsize\":%d,\"sizes\":[%d],\"meta\":%s}\n", id, len(content), trace.Size, meta)
		require.NoError(t, err)
	}
	require.NoError(t, w.Flush())
	require.NoError(t, index.Close())
}
