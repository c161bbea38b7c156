package faults

import (
	"context"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-mcp/otelcol-mcp/test/harness"
)

var soak = flag.Duration("soak", 0, "how long TestSoak loads one collector; 0: 15s, or 45m with -long")

// use holds what a process takes at a moment.
type use struct{ heap, goroutines, descriptors float64 }

// soaked is a collector of which a test can tell what it takes.
type soaked struct {
	*limited
	profiles string // URL
	otlp     string // address
	traces   string // folder
}

// remembered bounds what is kept of sessions that have ended. It is reached before
// the first measurement, as is how long stitching remembers traces.
const remembered = 50

func startSoaked(t *testing.T, sink, events string) *soaked {
	t.Helper()
	address := harness.FreeAddress(t)
	c := &soaked{profiles: "http://" + address + "/debug/pprof", otlp: harness.FreeAddress(t), traces: t.TempDir()}
	c.limited = startLimited(t, fmt.Sprintf(`
extensions: {pprof: {endpoint: "%s"}}
receivers:
  mcp:
    otlp: {protocols: {http: {endpoint: "%s"}}}
    session: {max_sessions: %d}
    trace_files: {include: ["%s/*.jsonl", "%[4]s/*.jsonl.gz"], poll_interval: 500ms}
    events: [{endpoint: "%s", delivery: [push], subscriptions: [{name: "%s"}]}]
processors: {mcp: {stitch: {wait: 5s, max_wait: 20s, remember: 20s}}}
exporters:
  mcp_inspector: {max_sessions: %[3]d}
  otlp_http:
    endpoint: %[7]s
    retry_on_failure: {max_elapsed_time: 0}
service:
  extensions: [pprof, memory_limiter, file_storage, healthcheckv2]
  pipelines: {traces: {receivers: [mcp], processors: [memory_limiter, mcp], exporters: [otlp_http]}}
`, address, c.otlp, remembered, c.traces, events, occurring, sink))
	return c
}

// use is the mean over some seconds, since a moment's depends on what runs in it.
func (s *soaked) use(t *testing.T) (mean use) {
	t.Helper()
	const samples = 5
	for range samples {
		mean.heap += s.profile(t, "/heap?debug=1&gc=1", `# HeapAlloc = (\d+)`) / samples
		mean.goroutines += s.profile(t, "/goroutine?debug=1", `goroutine profile: total (\d+)`) / samples
		open, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", s.process.ID()))
		require.NoError(t, err)
		mean.descriptors += float64(len(open)) / samples
		<-time.After(time.Second)
	}
	return mean
}

func (s *soaked) profile(t *testing.T, path, pattern string) float64 {
	t.Helper()
	response, err := http.Get(s.profiles + path)
	require.NoError(t, err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	found := regexp.MustCompile(pattern).FindSubmatch(text)
	require.NotNil(t, found, "%s", path)
	n, err := strconv.ParseFloat(string(found[1]), 64)
	require.NoError(t, err)
	return n
}

// TestSoak loads one collector in all the ways that senders have. What it takes
// after a while is what it takes in the end, and all that it acknowledged arrives.
func TestSoak(t *testing.T) {
	whole := choose(15*time.Second, 45*time.Minute)
	if *soak > 0 {
		whole = *soak
	}
	sink, events := startIll(t), startEvents(t)
	c := startSoaked(t, sink.URL, events.url)
	s := newSenders(c.mcp)
	s.payload, s.calls = strings.Repeat("x", 2000), 40 // a file is synced for each session that ends
	if whole >= 5*time.Minute {
		s.pace *= 10 // it is to last, not to be much
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var loading sync.WaitGroup
	for i := range 8 {
		loading.Go(func() { s.load(i, i%2 == 0)(ctx) })
	}
	for _, way := range []func(context.Context){
		func(ctx context.Context) { s.writeTraceFiles(ctx, t, c.traces) },
		func(ctx context.Context) { s.runTaps(ctx, t) },
		func(ctx context.Context) { s.reportTools(ctx, t, c.otlp) },
		func(ctx context.Context) { s.callByHooks(ctx) },
		func(ctx context.Context) { s.raiseEvents(ctx, events) },
	} {
		loading.Go(func() { way(ctx) })
	}
	for _, other := range []struct{ path, body string }{
		{"/v1/inspector/events", `{"type":"SessionStarted","session_id":"i-%d","engine":"asyncio","title":"x"}` + "\n" + `{"type":"SessionFinished","session_id":"i-%[1]d","status":"completed"}`},
		{"/mcp", strings.Replace(initialize, `"id":1`, `"id":%d`, 1)},
	} {
		loading.Go(func() {
			for n := 0; ctx.Err() == nil; n++ {
				status := postTo(c.mcp, other.path, fmt.Appendf(nil, other.body, n))
				assert.Contains(t, []string{"200", "202", "429", "503"}, status, other.path)
				<-time.After(25 * pace)
			}
		})
	}
	start := time.Now()
	<-time.After(whole * 2 / 9)
	early := c.use(t)
	t.Logf("after %v: %+v", time.Since(start).Round(time.Second), early)
	<-time.After(whole - time.Since(start))
	late := c.use(t)
	t.Logf("after %v: %+v", time.Since(start).Round(time.Second), late)
	stop()
	loading.Wait()
	again := sink.awaitAll(t, s.acknowledged, s.sessions)
	t.Logf("%d calls and %d sessions acknowledged, 0 lost, %d came again, %d requests were refused", len(s.acknowledged), len(s.sessions), again, s.refused)
	tolerance := 0.5 // so soon after the start
	if whole >= 5*time.Minute {
		tolerance = 0.1
		assert.InEpsilon(t, early.heap, late.heap, tolerance, "bytes of the heap")
	}
	assert.InEpsilon(t, early.goroutines, late.goroutines, tolerance, "goroutines")
	assert.InEpsilon(t, early.descriptors, late.descriptors, tolerance, "descriptors")
	c.checkResident(t)
}
