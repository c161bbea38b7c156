package events

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/test/eventsource"
	"github.com/otelcol-mcp/otelcol-mcp/test/harness"
)

var (
	kills  = flag.Int("kills", 5, "how often the collector is killed")
	events = flag.Int("events", 1000, "how many events occur while it is")
)

const secret = "whsec_" + "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=" // bytes 0 to 31

// plant is a server that has events, a collector that is killed and started
// again, and a sink that stays.
type plant struct {
	server *eventsource.Server
	sink   *harness.Sink
	env    []string
	hooks  string
}

func newPlant(t *testing.T) *plant {
	p := &plant{sink: harness.StartSink(t), hooks: harness.FreeAddress(t)}
	p.server = &eventsource.Server{
		Generation: 3, Retry: 50 * time.Millisecond, Challenge: true, HTTP: &http.Client{Timeout: 5 * time.Second},
		Types: []eventsource.Type{
			{Name: "deploy.finished", Delivery: []string{"webhook"}, Durable: true},
			{Name: "incident.created", Delivery: []string{"push"}, Durable: true},
		},
	}
	server := httptest.NewServer(p.server)
	t.Cleanup(server.Close)
	t.Cleanup(p.server.Restart) // streams break off
	p.env = []string{
		"STORAGE_DIRECTORY=" + t.TempDir(), "EVENTS_ENDPOINT=" + server.URL + "/mcp", "WEBHOOK_SECRET=" + secret,
		"WEBHOOKS_ADDRESS=" + p.hooks, "SINK_ADDRESS=" + p.sink.Address,
	}
	return p
}

func (p *plant) start(t *testing.T) *harness.Process {
	t.Helper()
	config := filepath.Join(harness.Root, "test", "events", "collector.yaml")
	c := harness.Start(t, "collector", harness.Collector(t), p.env, []string{"--config", config})
	c.Ready(t, func() bool { return harness.Listens(p.hooks) })
	return c
}

// recorded counts spans by event, and how many are there beyond one an id.
func (p *plant) recorded() (byEvent map[string]int, spans, distinct int) {
	byEvent = map[string]int{}
	ids := map[[24]byte]bool{}
	for _, rs := range p.sink.Received().ResourceSpans().All() {
		for _, ss := range rs.ScopeSpans().All() {
			for _, span := range ss.Spans().All() {
				if span.Name() != "notifications/events/event" {
					continue
				}
				spans++
				if key := idOf(span); !ids[key] {
					ids[key] = true
					id, _ := span.Attributes().Get("mcp.event.id")
					byEvent[id.Str()]++
				}
			}
		}
	}
	return byEvent, spans, len(ids)
}

func idOf(span ptrace.Span) (key [24]byte) {
	trace, id := span.TraceID(), span.SpanID()
	copy(key[:16], trace[:])
	copy(key[16:], id[:])
	return key
}

// flow makes the events occur over about the time that the crashes take.
func (p *plant) flow(stop <-chan struct{}) {
	names := []string{"deploy.finished", "incident.created"}
	for i := range *events {
		p.server.Append(eventsource.Event{ID: fmt.Sprintf("ev-%d", i), Name: names[i%2], Data: fmt.Sprintf(`{"n":%d}`, i)})
		if i%10 == 9 {
			select {
			case <-stop: // the rest at once
			case <-time.After(time.Duration(*kills) * 20 * time.Second / time.Duration(*events)):
			}
		}
	}
}

// The collector is killed at random while events flow by webhook and push, with
// file_storage: none is lost, none has two spans.
func TestKilled(t *testing.T) {
	if testing.Short() {
		t.Skip("left out with -short")
	}
	p := newPlant(t)
	c := p.start(t)
	harness.Eventually(t, "both subscriptions are there", func() bool {
		return p.server.Count("events/subscribe") > 0 && p.server.Count("events/stream") > 0
	})
	p.server.Append(eventsource.Event{ID: "first-w", Name: "deploy.finished"}, eventsource.Event{ID: "first-p", Name: "incident.created"})
	harness.Eventually(t, "both deliver", func() bool { n, _, _ := p.recorded(); return len(n) == 2 })
	stop := make(chan struct{})
	var flowing sync.WaitGroup
	flowing.Go(func() { p.flow(stop) })
	for range *kills {
		awhile := time.NewTimer(time.Duration(rand.IntN(1500)) * time.Millisecond) // any moment
		<-awhile.C
		c.Kill(t)
		c = p.start(t)
	}
	close(stop)
	flowing.Wait()
	for { // as long as some arrive
		n, _, _ := p.recorded()
		if len(n) == *events+2 {
			break
		}
		before := len(n)
		harness.Eventually(t, fmt.Sprintf("%d of %d events arrive", before, *events+2), func() bool {
			n, _, _ := p.recorded()
			return len(n) > before
		})
	}
	byEvent, spans, distinct := p.recorded()
	t.Logf("%d kills: %d events occurred, %d arrived as %d spans, of which %d differ", *kills, *events+2, len(byEvent), spans, distinct)
	for id, n := range byEvent {
		require.Equal(t, 1, n, id)
	}
	c.Terminate(t)
}
