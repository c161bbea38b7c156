package inspectorexporter

import (
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/pdatatest/ptracetest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/testdata"

	"github.com/otelcol-mcp/otelcol-mcp/internal/inspectorwire"
)

const path = "/_inspector/trace/s-1"

func TestTrace(t *testing.T) {
	r := start(t, configFor(t.TempDir()))
	r.send(started("s-1"), span("s-1", "tool.call", call, root, 1, 3))
	res, whole := r.get(path)
	assert.Equal(t, http.StatusOK, res.StatusCode)
	assert.Equal(t, "application/x-ndjson", res.Header.Get("Content-Type"))
	assert.Equal(t, "bytes", res.Header.Get("Accept-Ranges"))
	assert.Equal(t, strconv.Itoa(len(whole)), res.Header.Get("Content-Length"))
	assert.Equal(t, 3, strings.Count(whole, "\n"))
	tag := res.Header.Get("ETag")
	assert.True(t, strings.HasPrefix(tag, `W/"`), tag)

	r.store.Flush()
	res, zipped := r.get(path, "Accept-Encoding", "br, gzip;q=0.5")
	assert.Equal(t, "gzip", res.Header.Get("Content-Encoding"))
	z, err := gzip.NewReader(strings.NewReader(zipped))
	require.NoError(t, err)
	text, err := io.ReadAll(z)
	require.NoError(t, err)
	assert.Equal(t, whole, string(text))

	for _, match := range []string{tag, strings.TrimPrefix(tag, "W/"), `"x", ` + tag, "*"} {
		res, body := r.get(path, "If-None-Match", match)
		assert.Equal(t, http.StatusNotModified, res.StatusCode, match)
		assert.Empty(t, body)
		assert.Equal(t, tag, res.Header.Get("ETag"))
	}
	r.send(ended("s-1"))
	res, longer := r.get(path, "If-None-Match", tag)
	assert.Equal(t, http.StatusOK, res.StatusCode)
	assert.NotEqual(t, tag, res.Header.Get("ETag"))
	assert.True(t, strings.HasPrefix(longer, whole), "a trace only grows")

	res = r.do(http.MethodHead, path)
	require.NoError(t, res.Body.Close())
	assert.Equal(t, int64(len(longer)), res.ContentLength)

	res, zipped = r.get(path + "?download=1")
	assert.Equal(t, `attachment; filename="s-1.jsonl.gz"`, res.Header.Get("Content-Disposition"))
	assert.Equal(t, "application/gzip", res.Header.Get("Content-Type"))
	assert.Empty(t, res.Header.Get("Content-Encoding"))
	assert.Equal(t, "\x1f\x8b", zipped[:2])
}

func TestRange(t *testing.T) {
	r := start(t, configFor(t.TempDir()))
	r.send(started("s-1"))
	r.store.Flush()
	r.send(span("s-1", "tool.call", call, root, 1, 3))
	_, whole := r.get(path)
	n := len(whole)
	size := strconv.Itoa(n)
	for header, want := range map[string]string{
		"bytes=0-0":                           whole[:1],
		"bytes=5-9":                           whole[5:10],
		"bytes=5-":                            whole[5:],
		"bytes=-7":                            whole[n-7:],
		"bytes=0-99999999":                    whole,
		"bytes=-99999999":                     whole,
		"bytes=0-99999999999999999999":        whole,
		"bytes=" + strconv.Itoa(n-1) + "-":    whole[n-1:],
		"bytes= 3-4":                          whole[3:5],
		"bytes=-9999999999999999999999999999": whole,
	} {
		res, got := r.get(path, "Range", header, "Accept-Encoding", "gzip")
		require.Equal(t, http.StatusPartialContent, res.StatusCode, header)
		assert.Equal(t, want, got, header)
		var from, to, total int
		_, err := fmt.Sscanf(res.Header.Get("Content-Range"), "bytes %d-%d/%d", &from, &to, &total)
		require.NoError(t, err)
		assert.Equal(t, want, whole[from:to+1], header)
		assert.Equal(t, n, total, header)
		assert.Empty(t, res.Header.Get("Content-Encoding"), header)
	}
	for _, header := range []string{"bytes=" + size + "-", "bytes=99999999999999999999-", "bytes=-0"} {
		res, _ := r.get(path, "Range", header)
		assert.Equal(t, http.StatusRequestedRangeNotSatisfiable, res.StatusCode, header)
		assert.Equal(t, "bytes */"+size, res.Header.Get("Content-Range"), header)
	}
	for _, header := range []string{"", "bytes=", "bytes=-", "bytes=5-3", "bytes=a-b", "bytes=0-1,3-4", "lines=0-1", "bytes=+1-2", "bytes=0x1-"} {
		res, got := r.get(path, "Range", header)
		assert.Equal(t, http.StatusOK, res.StatusCode, header)
		assert.Equal(t, whole, got, header)
	}
	res, got := r.get(path, "Range", "bytes=0-0", "If-Range", res(r).Header.Get("ETag"))
	assert.Equal(t, http.StatusOK, res.StatusCode, "a weak tag matches nothing")
	assert.Equal(t, whole, got)
}

func res(r *running) *http.Response {
	out, _ := r.get(path)
	return out
}

// TestRoundTrip: what is written is read back as equal spans.
func TestRoundTrip(t *testing.T) {
	dir := t.TempDir()
	r := start(t, configFor(dir))
	td := testdata.GenerateTraces(10)
	for _, rs := range td.ResourceSpans().All() {
		rs.Resource().Attributes().PutStr("session.id", "s-1")
		for _, ss := range rs.ScopeSpans().All() {
			for i, s := range ss.Spans().All() {
				s.SetTraceID([16]byte{1})
				s.SetSpanID([8]byte{byte(i + 1)})
				s.Attributes().PutEmptyBytes("raw").FromRaw([]byte{0, 255})
			}
		}
	}
	want := ptrace.NewTraces()
	td.CopyTo(want)
	require.NoError(t, r.traces(t.Context(), td))
	require.NoError(t, ptracetest.CompareTraces(want, td), "what others get is untouched")
	r.store.Flush()
	_, lines := r.get(path)
	got := inspectorwire.NewSpans("")
	for line := range strings.Lines(lines) {
		_, err := got.Add([]byte(line))
		require.NoError(t, err)
	}
	require.NoError(t, ptracetest.CompareTraces(want, got.Traces(), ptracetest.IgnoreSpansOrder()))
	own := inspectorwire.NewSpans(inspectorwire.ProcessWriter())
	for line := range strings.Lines(lines) {
		verdict, err := own.Add([]byte(line))
		require.NoError(t, err)
		assert.Equal(t, inspectorwire.Own, verdict, "our own reader leaves out what we wrote")
	}
}

func TestRestored(t *testing.T) {
	dir := t.TempDir()
	r := start(t, configFor(dir))
	r.send(started("done"), ended("done"), started("open"), span("open", "signal.start", 6, wait, 4, 4, "mcp.signal.name", "approve"))
	done, open := r.row("done"), r.row("open")
	open["restored"] = true // nothing has been heard of it yet
	_, lines := r.get("/_inspector/trace/done")
	r.close()

	r = start(t, configFor(dir))
	for _, before := range []map[string]any{done, open} {
		after := r.row(before["id"].(string))
		delete(before, "trace_epoch")
		delete(after, "trace_epoch")
		delete(before, "last_seen") // when it came, or when it says that it was
		delete(after, "last_seen")
		assert.Equal(t, before, after)
	}
	_, again := r.get("/_inspector/trace/done")
	assert.Equal(t, lines, again)
	f := r.listen("/_inspector/events", "Last-Event-ID", "0")
	assert.Equal(t, "gap", f.next().data["replay"])
	r.send(span("open", "signal.wait", wait, root, 4, 9))
	assert.Equal(t, "SignalReceived", f.next().data["type"], "no session started anew")
	_, health := r.get("/_inspector/health")
	assert.Contains(t, health, `"sessions":2`)
}

// FuzzRange: no header makes a range that is not within the trace.
func FuzzRange(f *testing.F) {
	for _, header := range []string{"bytes=0-0", "bytes=-7", "bytes=5-", "bytes=9-3", "bytes=99999999999999999999-", "bytes=0-1,2-3"} {
		f.Add(header, int64(1000))
	}
	f.Fuzz(func(t *testing.T, header string, size int64) {
		if size < 0 || size > 1<<50 {
			return
		}
		r := &http.Request{Header: http.Header{"Range": {header}}}
		from, to, ok := byteRange(r, size)
		if ok && from < to {
			require.GreaterOrEqual(t, from, int64(0))
			require.LessOrEqual(t, to, size)
		}
	})
}

// TestAnOpenSessionBeginsWithItsRoot: readers of the file know at once to whom
// all that follows belongs.
func TestAnOpenSessionBeginsWithItsRoot(t *testing.T) {
	r := start(t, configFor(t.TempDir()))
	r.send(started("s-1"))
	_, body := r.get("/_inspector/trace/s-1")
	lines := strings.Split(strings.TrimSpace(body), "\n")
	require.Len(t, lines, 2)
	var first map[string]any
	require.NoError(t, json.Unmarshal([]byte(lines[0]), &first))
	assert.Equal(t, "workflow.run", first["name"])
	assert.NotContains(t, first, "end_time")
	assert.Contains(t, lines[1], `"session.start"`)
}
