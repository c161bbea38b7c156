package scale

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/test/harness"
)

const partitions = 8

// plant is agents, stitchers and all between and behind them.
type plant struct {
	entrances []*collector // where spans come in
	gateway   *collector   // of the last of them
	stitchers []*collector
	env, more []string // of each stitcher
	kafka     string   // address
	index     string   // address of Redis
	redis     *harness.Process
	sink      *harness.Sink
}

// soon makes a dead stitcher's partitions go to others earlier than the
// configuration has it. Traces wait longer, and so does who sends them on, so that
// a machine that is busy with other tests does not end either.
const soon = `
receivers: {kafka: {session_timeout: 2s, heartbeat_interval: 200ms, autocommit: {interval: 200ms}}}
processors: {mcp: {stitch: {wait: 20s}}}
exporters: {otlp_grpc: {timeout: 60s, sending_queue: {batch: {flush_timeout: 100ms}}}}
`

func startPlant(t *testing.T, more ...string) *plant {
	t.Helper()
	p := newPlant(t, more...)
	startKafka(t, p.kafka)
	p.redis = startRedis(t, p.index)
	p.startEntrances(t)
	p.stitchers = []*collector{p.startStitcher(t, 0), p.startStitcher(t, 1)}
	p.awaitPartitions(t)
	return p
}

// awaitPartitions waits until every stitcher has some of them, and all are read.
func (p *plant) awaitPartitions(t *testing.T) {
	t.Helper()
	harness.Eventually(t, "partitions are not read", func() bool {
		all := 0.0
		for _, each := range p.stitchers {
			metrics := harness.Scrape(t, "http://"+each.metrics+"/metrics")
			n := metrics.Sum("otelcol_kafka_receiver_partition_start") - metrics.Sum("otelcol_kafka_receiver_partition_close")
			if n == 0 {
				return false
			}
			all += n
		}
		return all == 2*partitions // of spans and of log records
	})
}

// newPlant has addresses and a sink. Nothing else runs yet.
func newPlant(t *testing.T, more ...string) *plant {
	t.Helper()
	p := &plant{sink: harness.StartSink(t), kafka: harness.FreeAddress(t), index: harness.FreeAddress(t), more: more}
	p.env = []string{"KAFKA_BROKERS=" + p.kafka, "REDIS_ENDPOINT=" + p.index, "OTLP_ENDPOINT=" + p.sink.Address}
	return p
}

// startEntrances starts two agents, and a receiver in front of a gateway.
func (p *plant) startEntrances(t *testing.T) {
	t.Helper()
	p.gateway = startCollector(t, "gateway.yaml", p.env)
	p.entrances = []*collector{
		startCollector(t, "agent.yaml", p.env),
		startCollector(t, "agent.yaml", p.env),
		startCollector(t, "receiver.yaml", []string{"OTLP_ENDPOINT=" + p.gateway.grpc}),
	}
}

// startStitcher starts one under the name that the number gives it.
func (p *plant) startStitcher(t *testing.T, number int) *collector {
	t.Helper()
	env := append(slices.Clone(p.env), "STITCHER_ID=stitcher-"+strconv.Itoa(number))
	return startCollector(t, "stitcher.yaml", env, p.more...)
}

func startKafka(t *testing.T, address string) {
	t.Helper()
	args := []string{"-listen", address, "-partitions", strconv.Itoa(partitions)}
	broker := harness.Start(t, "kafka", harness.Program(t, "kafka"), nil, args)
	broker.Ready(t, func() bool { return broker.Logged("ready") })
}

func startRedis(t *testing.T, address string) *harness.Process {
	t.Helper()
	args := []string{
		"--bind", "127.0.0.1", "--port", harness.PortOf(t, address), "--dir", t.TempDir(), "--save", "", "--appendonly", "no",
	}
	redis := harness.Start(t, "redis", harness.LookPath(t, "redis-server"), nil, args)
	redis.Ready(t, func() bool { return redis.Logged("Ready to accept connections") })
	return redis
}

// send deals batches at random to the entrances.
func (p *plant) send(t *testing.T, batches ...ptrace.Traces) {
	t.Helper()
	for _, batch := range batches {
		p.entrances[rand.IntN(len(p.entrances))].send(t, batch)
	}
}

// sendPairs sends both sides of each, in batches of any order.
func (p *plant) sendPairs(t *testing.T, pairs []pair) {
	t.Helper()
	var batches []ptrace.Traces
	for some := range slices.Chunk(pairs, 5) {
		batches = append(batches, clientSide(some...), serverSide(some...))
	}
	rand.Shuffle(len(batches), func(i, k int) { batches[i], batches[k] = batches[k], batches[i] })
	p.send(t, batches...)
}

// arrived returns what the sink has, a list a span id: more than one if it came more than once.
func (p *plant) arrived() map[pcommon.SpanID][]ptrace.Span {
	all := map[pcommon.SpanID][]ptrace.Span{}
	for _, span := range spansOf(p.sink.Received()) {
		all[span.SpanID()] = append(all[span.SpanID()], span)
	}
	return all
}

func (p *plant) await(t *testing.T, pairs []pair) map[pcommon.SpanID][]ptrace.Span {
	t.Helper()
	var all map[pcommon.SpanID][]ptrace.Span
	harness.Eventually(t, "spans are missing", func() bool {
		all = p.arrived()
		return !slices.ContainsFunc(pairs, func(each pair) bool { return !each.whole(all) })
	})
	return all
}
