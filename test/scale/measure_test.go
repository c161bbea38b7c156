package scale

import (
	"bytes"
	"flag"
	"fmt"
	"maps"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-mcp/otelcol-mcp/test/harness"
)

// measure makes the figures of docs/scale.md:
//
//	go test ./test/scale -run TestMeasure -v -measure 200000
//
// CPU time is the system's account of each process, so that it counts what
// was done and not how busy the machine was.
var measure = flag.Int("measure", 0, "tool calls to measure with; 0 leaves it out")

// usage holds what a process and its children have used so far.
type usage struct {
	cpu  float64 // seconds
	peak int64   // bytes of resident memory, at most
}

func usageOf(t *testing.T, pid int) (u usage) {
	t.Helper()
	stat := readProc(t, pid, "stat")
	fields := strings.Fields(stat[strings.LastIndex(stat, ")")+1:])
	for _, ticks := range fields[11:13] { // utime, stime; a tick is 10 ms on Linux
		n, err := strconv.ParseFloat(ticks, 64)
		require.NoError(t, err)
		u.cpu += n / 100
	}
	_, peak, _ := strings.Cut(readProc(t, pid, "status"), "VmHWM:")
	kilobytes, err := strconv.ParseInt(strings.Fields(peak)[0], 10, 64)
	require.NoError(t, err)
	u.peak = kilobytes << 10
	for child := range strings.FieldsSeq(readProc(t, pid, fmt.Sprintf("task/%d/children", pid))) {
		n, err := strconv.Atoi(child)
		require.NoError(t, err)
		of := usageOf(t, n)
		u.cpu += of.cpu
		u.peak += of.peak
	}
	return u
}

func readProc(t *testing.T, pid int, name string) string {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/%s", pid, name))
	require.NoError(t, err)
	return string(text)
}

// report prints what each thousand of something has cost.
func report(t *testing.T, what string, pid, count int, before usage) {
	t.Helper()
	after := usageOf(t, pid)
	cost := (after.cpu - before.cpu) / float64(count)
	t.Logf("%-30s %8.1f µs CPU each, %9.0f a second and core, peak %d MiB, before %d MiB",
		what, cost*1e6, 1/cost, after.peak>>20, before.peak>>20)
}

// workers is the number of requests that are under way at once.
const workers = 4

// inParallel does n things.
func inParallel(n int, do func(i int)) {
	var group sync.WaitGroup
	next := make(chan int)
	for range workers {
		group.Go(func() {
			for i := range next {
				do(i)
			}
		})
	}
	for i := range n {
		next <- i
	}
	close(next)
	group.Wait()
}

const callsASession = 50

// sessionBody is a whole session: calls with 500 bytes of arguments and 1,500 of result.
func sessionBody(session string) []byte {
	var body bytes.Buffer
	arguments, result := strings.Repeat("a", 490), strings.Repeat("r", 1490)
	for id := range callsASession {
		fmt.Fprintf(&body, `{"time":%d,"session":%q,"client":"agent","message":{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"echo","arguments":{"t":%q}}}}`+"\n",
			1771516800e9+2e9*int64(id), session, id, arguments)
		fmt.Fprintf(&body, `{"time":%d,"session":%q,"client":"agent","message":{"jsonrpc":"2.0","id":%d,"result":{"content":[{"type":"text","text":%q}]}}}`+"\n",
			1771516801e9+2e9*int64(id), session, id, result)
	}
	fmt.Fprintf(&body, `{"time":%d,"session":%q,"end":{"reason":"closed"}}`+"\n", 1771516802e9+2e9*int64(callsASession), session)
	return body.Bytes()
}

func post(t *testing.T, address, session string, body []byte) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+address+"/v1/observations", bytes.NewReader(body))
	require.NoError(t, err)
	request.Header.Set("Content-Type", "application/x-ndjson")
	request.Header.Set("X-Session-Id", session)
	response, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	require.Equal(t, http.StatusAccepted, response.StatusCode)
}

func TestMeasureReceiver(t *testing.T) {
	if *measure == 0 {
		t.Skip("nothing to measure without -measure")
	}
	sink := harness.StartSink(t)
	r := startCollector(t, "receiver.yaml", []string{"OTLP_ENDPOINT=" + sink.Address})
	proxy, address := startNginx(t, []*collector{r})
	start, startProxy := usageOf(t, r.ID()), usageOf(t, proxy.ID())
	t.Logf("a receiver with nothing to do: %d MiB", start.peak>>20)
	bytesIn := int64(0)
	inParallel(*measure/callsASession, func(i int) {
		session := fmt.Sprintf("measure-%d", i)
		body := sessionBody(session)
		if i == 0 {
			bytesIn = int64(len(body) / callsASession)
		}
		post(t, address, session, body)
		if i%100 == 0 {
			sink.Forget()
		}
	})
	t.Logf("a call is %d bytes of observation records", bytesIn)
	report(t, "receiver, calls, 50 a request", r.ID(), *measure, start)
	report(t, "nginx, calls, 50 a request", proxy.ID(), *measure, startProxy)

	few := *measure / 10
	start, startProxy = usageOf(t, r.ID()), usageOf(t, proxy.ID())
	inParallel(few/callsASession, func(i int) {
		session := fmt.Sprintf("single-%d", i)
		for line := range bytes.Lines(sessionBody(session)) {
			post(t, address, session, line)
		}
	})
	report(t, "receiver, a message a request", r.ID(), 2*few, start)
	report(t, "nginx, a message a request", proxy.ID(), 2*few, startProxy)

	start = usageOf(t, r.ID())
	const sessions = 20000
	inParallel(sessions, func(i int) {
		session := fmt.Sprintf("open-%d", i)
		body := sessionBody(session)
		post(t, address, session, body[:slices.Index(body, '\n')+1])
	})
	t.Logf("%d open sessions with an open call each: peak %d MiB, before %d MiB",
		sessions, usageOf(t, r.ID()).peak>>20, start.peak>>20)
}

func TestMeasureStitchers(t *testing.T) {
	if *measure == 0 {
		t.Skip("nothing to measure without -measure")
	}
	p := startPlant(t)
	parts := map[string]*collector{
		"agent": p.entrances[0], "gateway": p.gateway, "stitcher 0": p.stitchers[0], "stitcher 1": p.stitchers[1],
	}
	before := map[string]usage{"Redis": usageOf(t, p.redis.ID())}
	for name, part := range parts {
		before[name] = usageOf(t, part.ID())
	}
	t.Logf("a stitcher with nothing to do: %d MiB", before["stitcher 0"].peak>>20)
	const pairsABatch = 25
	spans := *measure / pairsABatch * pairsABatch * 4
	inParallel(*measure/pairsABatch, func(int) {
		pairs := newPairs(pairsABatch)
		p.entrances[0].send(t, clientSide(pairs...))
		p.entrances[2].send(t, serverSide(pairs...))
	})
	harness.Eventually(t, "spans are missing", func() bool { return p.sink.Received().SpanCount() >= spans })
	for _, name := range slices.Sorted(maps.Keys(parts)) {
		report(t, name+", spans", parts[name].ID(), int(parts[name].accepted(t)), before[name])
	}
	report(t, "Redis, spans", p.redis.ID(), spans, before["Redis"])
	agent := harness.Scrape(t, "http://"+p.entrances[0].metrics+"/metrics")
	t.Logf("Kafka: %.0f bytes a span of %.0f before compression", agent.Sum("otelcol_kafka_exporter_bytes")/float64(spans/2),
		agent.Sum("otelcol_kafka_exporter_bytes_uncompressed")/float64(spans/2))
	p.measureWaiting(t, pairsABatch, spans)
}

// measureWaiting sends halves of pairs only, and looks how much memory they take until they expire.
func (p *plant) measureWaiting(t *testing.T, pairsABatch, sent int) {
	t.Helper()
	before := usageOf(t, p.stitchers[0].ID())
	const halves = 20000
	inParallel(halves/pairsABatch, func(int) { p.entrances[0].send(t, serverSide(newPairs(pairsABatch)...)) })
	p.awaitRead(t, sent+2*halves)
	waiting := harness.Scrape(t, "http://"+p.stitchers[0].metrics+"/metrics")
	t.Logf("stitcher 0: %.0f spans wait in %.1f MiB; peak %d MiB, before %d MiB",
		waiting.Sum("otelcol_mcp_processor_stitch_waiting_spans"), waiting.Sum("otelcol_mcp_processor_stitch_waiting_bytes")/(1<<20),
		usageOf(t, p.stitchers[0].ID()).peak>>20, before.peak>>20)
}
