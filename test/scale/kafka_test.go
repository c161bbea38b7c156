package scale

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/otelcol-mcp/otelcol-mcp/test/harness"
)

// Pairs of traces come in anywhere, are spread over all partitions and go out joined and once.
func TestStitchersShareATopic(t *testing.T) {
	t.Parallel()
	p := startPlant(t, soon)
	pairs := newPairs(100)
	p.sendPairs(t, pairs)
	all := p.await(t, pairs)
	for _, each := range pairs {
		each.assertJoined(t, all)
	}
	for id, spans := range all {
		assert.Len(t, spans, 1, "span %s comes once", id)
	}
	for i, each := range p.stitchers {
		assert.Positive(t, each.accepted(t), "stitcher %d had no partition", i)
	}
}

// A stitcher is killed. What it held is lost, as docs/scale.md says, and nothing else: what was sent
// before is there, and what is sent after is joined by the other one. Then it comes back under its name.
func TestStitcherDies(t *testing.T) {
	t.Parallel()
	p := startPlant(t, soon)
	before, half, after := newPairs(20), newPairs(20), newPairs(40)
	p.sendPairs(t, before)
	p.await(t, before)
	p.send(t, serverSide(half...)) // these wait for the other side, some at the one that dies
	p.awaitRead(t, 2*len(before)*2+2*len(half))
	p.stitchers[0].Kill(t)
	p.send(t, clientSide(half...))
	p.sendPairs(t, after)

	all := p.await(t, slices.Concat(before, after))
	for _, each := range slices.Concat(before, after) {
		each.assertJoined(t, all)
	}
	harness.Eventually(t, "a client's span is lost", func() bool {
		all = p.arrived()
		return !slices.ContainsFunc(half, func(each pair) bool { return len(all[each.agent]) == 0 || len(all[each.call]) == 0 })
	})
	again := p.startStitcher(t, 0)
	harness.Eventually(t, "the one that came back reads nothing", func() bool {
		more := newPairs(5)
		p.sendPairs(t, more)
		all = p.await(t, more)
		return again.accepted(t) > 0
	})
}

// awaitRead waits until the stitchers have read so many spans.
func (p *plant) awaitRead(t *testing.T, spans int) {
	t.Helper()
	harness.Eventually(t, "spans are not read", func() bool {
		return p.stitchers[0].accepted(t)+p.stitchers[1].accepted(t) >= float64(spans)
	})
}

// Redis dies. No span waits for it or is lost; what it knew is lost, and when it is back traces are joined again.
func TestRedisDies(t *testing.T) {
	t.Parallel()
	p := startPlant(t, soon, "processors: {mcp: {stitch: {wait: 3s}}}") // some wait in vain
	before, without := newPairs(20), newPairs(20)
	p.sendPairs(t, before)
	p.await(t, before)
	p.redis.Kill(t)
	p.sendPairs(t, without)
	p.await(t, without)
	startRedis(t, p.index)
	harness.Eventually(t, "nothing is joined though Redis is back", func() bool {
		after := newPairs(5)
		p.sendPairs(t, after)
		all := p.await(t, after)
		return !slices.ContainsFunc(after, func(each pair) bool { return all[each.root][0].TraceID() != each.client })
	})
}

// Agents take spans while there is no Kafka, and keep them when they are killed. It gets them when it comes.
func TestKafkaComesLate(t *testing.T) {
	t.Parallel()
	p := newPlant(t, soon)
	p.startEntrances(t)
	state := append(slices.Clone(p.env), "STATE_DIR="+t.TempDir())
	dies := startCollector(t, "agent.yaml", state)
	pairs, kept := newPairs(20), newPairs(5)
	p.sendPairs(t, pairs)
	dies.send(t, clientSide(kept...))
	dies.send(t, serverSide(kept...))
	dies.Kill(t)

	p.redis = startRedis(t, p.index)
	startKafka(t, p.kafka)
	p.startStitcher(t, 0)
	startCollector(t, "agent.yaml", state)
	p.await(t, slices.Concat(pairs, kept))
}
