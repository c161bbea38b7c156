package mcpreceiver

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.uber.org/zap"
	"pgregory.net/rapid"

	"github.com/otelcol-mcp/otelcol-mcp/receiver/mcpreceiver/internal/intake/events"
	"github.com/otelcol-mcp/otelcol-mcp/test/eventsource"
)

// program holds what happens to a server and to the collector, in an hour or so.
type program struct {
	generation int
	forced     bool
	delivery   []string
	durable    bool
	secret     string
	seed       uint64
	badness    int // of a hundred messages
	steps      []string
}

func drawProgram(t *rapid.T, durable bool) *program {
	ways := rapid.Permutation(everyWay).Draw(t, "ways")
	return &program{
		generation: rapid.IntRange(1, 3).Draw(t, "generation"),
		forced:     rapid.Bool().Draw(t, "forced"),
		delivery:   ways[:rapid.IntRange(1, 3).Draw(t, "how many ways")],
		durable:    durable,
		secret:     rapid.SampledFrom([]string{"", "whsec_" + "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="}).Draw(t, "secret"),
		seed:       rapid.Uint64().Draw(t, "seed"),
		badness:    rapid.IntRange(0, 40).Draw(t, "badness"),
		steps: rapid.SliceOfN(rapid.SampledFrom([]string{
			"events", "events", "events", "second", "minute", "hour", "restart", "rotate", "refuse", "expire", "away", "back", "other ways", "all ways",
		}), 1, 30).Draw(t, "steps"),
	}
}

// world is a server, a collector that may be away, and what came out of it.
type world struct {
	*program
	server *eventsource.Server
	sink   *refusingSink
	r      *mcpReceiver
	kept   *memory
	chance *rand.Rand // of steps
	bad    *rand.Rand // of faults, which the server asks for one at a time

	healthy  atomic.Bool
	mu       sync.Mutex
	endpoint http.Handler // of webhooks, nil while the collector is away
	stop     func()
	events   int
	lost     map[string]bool // that the server did not hold until they were recorded
}

func (w *world) fault(kinds ...string) string {
	if w.healthy.Load() || w.bad.IntN(100) >= w.badness {
		return ""
	}
	return kinds[w.bad.IntN(len(kinds))]
}

func newWorld(t *testing.T, p *program) *world {
	w := &world{
		program: p, sink: &refusingSink{traces: ptrace.NewTraces(), logs: plog.NewLogs()},
		kept: &memory{kept: map[string][]byte{}}, chance: rand.New(rand.NewPCG(p.seed, 1)), // repeatable
		bad: rand.New(rand.NewPCG(p.seed, 2)), lost: map[string]bool{},
	}
	w.healthy.Store(true)
	w.r = assemble(t, quiet(), w.sink)
	w.server = &eventsource.Server{
		Generation: p.generation, Retry: 3 * time.Second, Grant: 4 * time.Minute, PollAfter: 20 * time.Second, Challenge: p.seed%2 == 0,
		HTTP:  &http.Client{Transport: eventsource.Transport{Handler: http.HandlerFunc(w.deliver)}},
		Types: []eventsource.Type{{Name: "incident.created", Delivery: everyWay, Durable: p.durable}},
		Faults: eventsource.Faults{
			Answer: func(string) string { return w.fault("lost", "busy") },
			Deliver: func(mode string) string {
				if mode == "webhook" {
					return w.fault("twice", "late", "skewed", "forged", "unheard")
				}
				return w.fault("twice", "silent")
			},
		},
	}
	return w
}

func (w *world) deliver(rw http.ResponseWriter, r *http.Request) {
	w.mu.Lock()
	endpoint := w.endpoint
	w.mu.Unlock()
	if endpoint == nil {
		panic(http.ErrAbortHandler)
	}
	endpoint.ServeHTTP(rw, r)
}

// come starts the collector's side, from what storage kept.
func (w *world) come(t *testing.T) {
	if w.stop != nil {
		return
	}
	book, err := events.OpenSeen(t.Context(), w.kept, zap.NewNop())
	require.NoError(t, err)
	registry := events.NewRegistry(nil)
	s := events.Settings{
		Runner: w.r.runner, Logger: zap.NewNop(), Seen: book, Registry: registry, Status: func(error) {},
		HTTP:     &http.Client{Transport: eventsource.Transport{Handler: w.server}},
		Endpoint: "https://mcp.example.com/mcp", Delivery: w.delivery, MaxEvents: 3,
		Subscriptions: []events.Subscription{{Name: "incident.created"}},
		Webhook:       events.WebhookSettings{URL: "https://collector.example.com/v1/webhooks", Secret: w.secret, Encoding: events.Base64},
	}
	if w.forced {
		s.Generation = events.Generation(w.generation) // 1 to 3
	}
	source := events.New(s)
	w.mu.Lock()
	w.endpoint = events.NewEndpoint(w.r.runner, registry, book)
	w.mu.Unlock()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		source.Run(ctx)
		close(done)
	}()
	w.stop = func() {
		w.mu.Lock()
		w.endpoint = nil
		w.mu.Unlock()
		cancel()
		<-done
		w.stop = nil
	}
}

// recorded counts the spans of each event.
func (w *world) recorded() map[string]int {
	w.sink.mu.Lock()
	defer w.sink.mu.Unlock()
	counts := map[string]int{}
	for _, span := range spansOf(w.sink.traces) {
		if id, ok := span.Attributes().Get("mcp.event.id"); ok && span.Name() == "notifications/events/event" {
			counts[id.Str()]++
		}
	}
	return counts
}

func (w *world) step(t *testing.T, step string) {
	switch step {
	case "events":
		for range 1 + w.chance.IntN(7) {
			w.events++
			w.server.Append(eventsource.Event{ID: fmt.Sprintf("ev-%d", w.events), Name: "incident.created"})
		}
	case "second":
		time.Sleep(time.Second)
	case "minute":
		time.Sleep(time.Minute)
	case "hour":
		time.Sleep(time.Hour)
	case "restart":
		w.server.Restart()
	case "rotate":
		w.server.Rotate()
	case "refuse":
		w.sink.refuseNext(context.DeadlineExceeded, false)
	case "expire":
		if w.generation == 1 {
			return // there only "from now on" is left then: see TestExpiredCursor
		}
		synctest.Wait()
		w.server.Expire()
		counts := w.recorded()
		for i := range w.events {
			if id := fmt.Sprintf("ev-%d", i+1); counts[id] == 0 {
				w.lost[id] = true
			}
		}
	case "away":
		if w.stop != nil {
			w.stop()
		}
	case "back":
		w.come(t)
	case "other ways":
		w.server.SetTypes(eventsource.Type{Name: "incident.created", Delivery: w.delivery[len(w.delivery)-1:], Durable: w.durable})
	case "all ways":
		w.server.SetTypes(eventsource.Type{Name: "incident.created", Delivery: everyWay, Durable: w.durable})
	}
}

// run begins well, goes through the steps, and lets everything heal.
func (w *world) run(t *testing.T) {
	w.come(t)
	time.Sleep(5 * time.Second)
	w.healthy.Store(false)
	for _, step := range w.steps {
		w.step(t, step)
	}
	synctest.Wait()
	w.healthy.Store(true)
	w.come(t)
	time.Sleep(time.Hour)
	w.stop()
	w.server.Restart() // ends its goroutines
	require.NoError(t, w.r.Shutdown(t.Context()))
}

func (p *program) check(t *testing.T, check func(*testing.T, *world) string) (problem string) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, p)
		w.run(t)
		problem = check(t, w)
	})
	return problem
}

// Whatever happens, each event that the server holds is recorded once.
func TestNoDurableEventIsLost(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		p := drawProgram(rt, true)
		problem := p.check(t, func(_ *testing.T, w *world) string {
			counts := w.recorded()
			var wrong []string
			for i := range w.events {
				id := fmt.Sprintf("ev-%d", i+1)
				if n := counts[id]; n > 1 || n == 0 && !w.lost[id] {
					wrong = append(wrong, fmt.Sprintf("%s is recorded %d times", id, n))
				}
			}
			return strings.Join(wrong, ", ")
		})
		if problem != "" {
			rt.Fatal(problem)
		}
	})
}
