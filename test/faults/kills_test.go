package faults

import (
	"context"
	"flag"
	"math/rand/v2"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/test/harness"
)

var kills = flag.Int("kills", 0, "how often each collector is killed; 0: 3 times, or 200 with -long")

func killCount() int {
	if *kills > 0 {
		return *kills
	}
	return choose(3, 200)
}

// victim is a collector that is killed again and again. Its folder, its
// addresses and the sink behind it stay.
type victim struct {
	*harness.Process
	sink       *harness.Sink
	mcp, state string
	overrides  []string // more configurations
}

func newVictim(t *testing.T, overrides ...string) *victim {
	t.Helper()
	return &victim{sink: harness.StartSink(t), mcp: harness.FreeAddress(t), state: t.TempDir(), overrides: overrides}
}

func (v *victim) start(t *testing.T) {
	t.Helper()
	args := []string{"--config", filepath.Join("testdata", "kills.yaml")}
	for _, more := range v.overrides {
		args = append(args, "--config", "yaml:"+more)
	}
	env := []string{"STATE_DIR=" + v.state, "MCP_ADDRESS=" + v.mcp, "SINK_ADDRESS=" + v.sink.Address}
	v.Process = harness.Start(t, "collector", harness.Collector(t), env, args)
	v.Ready(t, func() bool { return harness.Listens(v.mcp) })
}

// suffer kills the collector at random moments while the loads run, which then
// say what has to arrive.
func (v *victim) suffer(t *testing.T, loads ...func(context.Context)) {
	t.Helper()
	v.start(t)
	ctx, stop := context.WithCancel(t.Context())
	var loading sync.WaitGroup
	for _, load := range loads {
		loading.Go(func() { load(ctx) })
	}
	for range killCount() {
		moment := time.NewTimer(time.Duration(rand.IntN(1500)) * time.Millisecond)
		<-moment.C
		v.Kill(t)
		v.start(t)
	}
	stop()
	loading.Wait()
}

// ids are the spans of a name that arrived, by the value of an attribute.
type ids map[string]map[[24]byte][]ptrace.Span

func (v *victim) arrived(name, key string) ids {
	found := ids{}
	for _, rs := range v.sink.Received().ResourceSpans().All() {
		for _, ss := range rs.ScopeSpans().All() {
			for _, span := range ss.Spans().All() {
				value, ok := span.Attributes().Get(key)
				if !ok || span.Name() != name {
					continue
				}
				byID := found[value.AsString()]
				if byID == nil {
					byID = map[[24]byte][]ptrace.Span{}
					found[value.AsString()] = byID
				}
				id := idOf(span)
				byID[id] = append(byID[id], span)
			}
		}
	}
	return found
}

func idOf(span ptrace.Span) (id [24]byte) {
	trace, own := span.TraceID(), span.SpanID()
	copy(id[:16], trace[:])
	copy(id[16:], own[:])
	return id
}

// await waits until all that was acknowledged has arrived, and wants one id for
// each. It gives the spans.
func (v *victim) await(t *testing.T, name, key string, acknowledged []string) ids {
	t.Helper()
	var found ids
	missing := ""
	arrived := func() bool {
		found = v.arrived(name, key)
		for _, each := range acknowledged {
			if found[each] == nil {
				missing = each
				return false
			}
		}
		return true
	}
	deadline := time.Now().Add(harness.Patience)
	for !arrived() {
		require.False(t, time.Now().After(deadline), "%s of %s was acknowledged and is lost", name, missing)
		<-time.After(200 * time.Millisecond)
	}
	again, others := 0, 0
	for _, each := range acknowledged {
		others += len(found[each]) - 1
		assert.Len(t, found[each], 1, "%s of %s has several ids", name, each)
		for _, spans := range found[each] {
			again += len(spans) - 1
		}
	}
	t.Logf("%d kills: %s: %d acknowledged, 0 lost, %d came again with the same id, %d with another",
		killCount(), name, len(acknowledged), again, others)
	return found
}
