package mcpreceiver

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/otelcol-mcp/otelcol-mcp/receiver/mcpreceiver/internal/intake/events"
	"github.com/otelcol-mcp/otelcol-mcp/test/eventsource"
)

// scripted is a server of sessions that answers as a test says: with results, or
// in other ways. It counts what it is asked.
type scripted struct {
	answer func(w http.ResponseWriter, method string, params map[string]any) (result string)
	mu     sync.Mutex
	asked  map[string]int
	params []map[string]any // of events/poll and events/subscribe
}

func (s *scripted) count(method string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asked[method]
}

// usual returns what a server that offers an event by poll answers.
func usual(method string) string {
	switch method {
	case "initialize":
		return `{"capabilities":{"events":{}},"serverInfo":{"name":"scripted"}}`
	case "events/list":
		return `{"events":[{"name":"incident.created","delivery":["poll","webhook"]}]}`
	}
	return `{}`
}

// ServeHTTP implements http.Handler.
func (s *scripted) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var q struct {
		ID     json.RawMessage
		Method string
		Params map[string]any
	}
	_ = json.NewDecoder(r.Body).Decode(&q) // nothing is asked then
	s.mu.Lock()
	s.asked[q.Method]++
	if q.Method == "events/poll" || q.Method == "events/subscribe" {
		s.params = append(s.params, q.Params)
	}
	s.mu.Unlock()
	switch {
	case q.Method == "server/discover":
		http.Error(w, "not known", http.StatusBadRequest)
		return
	case q.ID == nil:
		w.WriteHeader(http.StatusAccepted)
		return
	case q.Method == "initialize":
		w.Header().Set("Mcp-Session-Id", "s-1")
	}
	if result := s.answer(w, q.Method, q.Params); result != "" {
		w.Header().Set("Content-Type", "application/json")
		kind := "result"
		if fault, failed := strings.CutPrefix(result, "!"); failed {
			kind, result = "error", fault
		}
		_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,%q:%s}`, q.ID, kind, result) // the client is gone if this fails
	}
}

func script(answer func(w http.ResponseWriter, method string, params map[string]any) string) *scripted {
	return &scripted{answer: answer, asked: map[string]int{}}
}

// meets lets a receiver meet a server for a while, by a clock of its own.
func meets(t *testing.T, s http.Handler, way string, check func(t *testing.T, sink *refusingSink, kept *memory, wait func(time.Duration))) {
	meetsLogging(t, s, way, zap.NewNop(), check)
}

func meetsLogging(
	t *testing.T, s http.Handler, way string, logger *zap.Logger,
	check func(t *testing.T, sink *refusingSink, kept *memory, wait func(time.Duration)),
) {
	synctest.Test(t, func(t *testing.T) {
		sink := &refusingSink{traces: ptrace.NewTraces(), logs: plog.NewLogs()}
		kept := &memory{kept: map[string][]byte{}}
		r := assemble(t, quiet(), sink)
		r.setLogs(sink)
		book, err := events.OpenSeen(t.Context(), kept, zap.NewNop())
		require.NoError(t, err)
		source := events.New(events.Settings{
			Runner: r.runner, Logger: logger, Seen: book, Registry: events.NewRegistry(nil), Status: func(err error) {
				if err != nil {
					logger.Warn("Source unavailable; retrying", zap.Error(err))
				}
			},
			HTTP:     &http.Client{Transport: eventsource.Transport{Handler: s}},
			Endpoint: "https://mcp.example.com/mcp", Delivery: []string{way}, MaxEvents: 3,
			Subscriptions: []events.Subscription{{Name: "incident.created"}},
			Webhook:       events.WebhookSettings{URL: "https://collector.example.com/v1/webhooks", Encoding: events.Base64, TTL: 48 * time.Hour},
		})
		ctx, cancel := context.WithCancel(context.Background())
		var running sync.WaitGroup
		running.Go(func() { source.Run(ctx) })
		check(t, sink, kept, func(d time.Duration) {
			time.Sleep(d)
			synctest.Wait()
		})
		cancel()
		running.Wait()
		require.NoError(t, r.Shutdown(t.Context()))
	})
}

// polls answers polls, and everything else as usual.
func polls(poll func(n int) string) *scripted {
	n := 0
	return script(func(_ http.ResponseWriter, method string, _ map[string]any) string {
		if method != "events/poll" {
			return usual(method)
		}
		n++
		return poll(n)
	})
}

const oneEvent = `[{"eventId":"ev-1","name":"incident.created","timestamp":"2026-03-04T09:14:58Z","data":{}}]`

// Whatever a server says, it is asked once a second at most, unless it has more
// and hands it over.
func TestNoServerMakesItPollWithoutEnd(t *testing.T) {
	for name, c := range map[string]struct {
		poll     func(n int) string
		min, max int // polls in ten minutes
	}{
		"the same page again": {func(int) string {
			return `{"events":` + oneEvent + `,"cursor":"c","hasMore":true}`
		}, 500, 610},
		"no page but more": {func(n int) string {
			return `{"events":[],"cursor":"c` + strconv.Itoa(n) + `","hasMore":true,"nextPollMs":3600000}`
		}, 500, 610},
		"a floor below zero": {func(int) string { return `{"events":[],"cursor":"c","nextPollMs":-5}` }, 500, 610},
		"a huge wait":        {func(int) string { return `{"events":[],"cursor":"c","nextPollMs":1e300}` }, 1, 1},
		"nothing at all":     {func(int) string { return `{}` }, 500, 610},
		"no reply":           {func(int) string { return `7` }, 10, 30},
		"ten pages": {func(n int) string {
			return fmt.Sprintf(`{"events":[{"eventId":"e-%d"}],"cursor":"c%d","hasMore":%t,"nextPollMs":1e7}`, n, n, n < 10)
		}, 10, 10},
	} {
		t.Run(name, func(t *testing.T) {
			s := polls(c.poll)
			meets(t, s, "poll", func(t *testing.T, sink *refusingSink, _ *memory, wait func(time.Duration)) {
				wait(10 * time.Minute)
				assert.GreaterOrEqual(t, s.count("events/poll"), c.min)
				assert.LessOrEqual(t, s.count("events/poll"), c.max)
				assert.LessOrEqual(t, sink.count("notifications/events/event"), 10)
			})
		})
	}
}

func TestAListWithoutEnd(t *testing.T) {
	s := script(func(_ http.ResponseWriter, method string, _ map[string]any) string {
		if method == "events/list" {
			return `{"events":[{"name":"incident.created","delivery":["poll","poll","mail",7]}],"nextCursor":"again"}`
		}
		return usual(method)
	})
	meets(t, s, "poll", func(t *testing.T, _ *refusingSink, _ *memory, wait func(time.Duration)) {
		wait(time.Minute)
		assert.Equal(t, 100, s.count("events/list"))
		assert.Positive(t, s.count("events/poll"), "what its pages told is used")
	})
}

func TestHugeCursorsAreNotKept(t *testing.T) {
	s := polls(func(n int) string {
		return fmt.Sprintf(`{"events":[{"eventId":"e-%d"}],"cursor":%q,"nextPollMs":1e7}`, n, strings.Repeat("x", 300<<10))
	})
	meets(t, s, "poll", func(t *testing.T, sink *refusingSink, kept *memory, wait func(time.Duration)) {
		wait(time.Minute)
		assert.Positive(t, sink.count("notifications/events/event"))
		kept.mu.Lock()
		defer kept.mu.Unlock()
		for key, value := range kept.kept {
			assert.Less(t, len(value), 256<<10, key)
		}
	})
}

// A server that forgot a session says so in many ways. It gets another one, and
// one that forgets each at once is not asked without end.
func TestSessionsAreForgotten(t *testing.T) {
	for name, forget := range map[string]func(http.ResponseWriter){
		"404": func(w http.ResponseWriter) { w.WriteHeader(http.StatusNotFound) },
		"404 with an error": func(w http.ResponseWriter) {
			w.WriteHeader(http.StatusNotFound)
			_, _ = w.Write([]byte(`{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"Session not found"}}`))
		},
		"400 with an error": func(w http.ResponseWriter) {
			w.WriteHeader(http.StatusBadRequest)
			_, _ = w.Write([]byte(`{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"No valid session ID provided"}}`))
		},
	} {
		t.Run(name, func(t *testing.T) {
			var healed atomic.Bool
			s := script(func(w http.ResponseWriter, method string, _ map[string]any) string {
				switch {
				case method == "events/poll" && !healed.Load():
					forget(w)
					return ""
				case method == "events/poll":
					return `{"events":` + oneEvent + `,"cursor":"c"}`
				}
				return usual(method)
			})
			meets(t, s, "poll", func(t *testing.T, sink *refusingSink, _ *memory, wait func(time.Duration)) {
				wait(time.Hour)
				assert.Greater(t, s.count("initialize"), 20, "a new session each time")
				assert.Less(t, s.count("initialize"), 100, "less and less often")
				healed.Store(true)
				wait(2 * time.Minute)
				assert.Equal(t, 1, sink.count("notifications/events/event"))
			})
		})
	}
}

// A reply may come in a stream that the server does not close.
func TestRepliesInStreamsThatStayOpen(t *testing.T) {
	s := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var q struct {
			ID     json.RawMessage
			Method string
		}
		_ = json.NewDecoder(r.Body).Decode(&q)
		result := usual(q.Method)
		switch q.Method {
		case "server/discover":
			w.WriteHeader(http.StatusBadRequest)
			return
		case "events/poll":
			result = `{"events":` + oneEvent + `,"cursor":"c"}`
		}
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = fmt.Fprintf(w, "data: {\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":%s}\n\n", q.ID, result)
		<-r.Context().Done()
	})
	meets(t, s, "poll", func(t *testing.T, sink *refusingSink, _ *memory, wait func(time.Duration)) {
		wait(time.Second)
		assert.Equal(t, 1, sink.count("notifications/events/event"))
	})
}

// A subscription by webhook that could not be renewed in time, or that the server
// had stopped to deliver, has a gap where there are no cursors.
func TestLossesOfWebhooks(t *testing.T) {
	var down, stopped atomic.Bool
	s := script(func(w http.ResponseWriter, method string, _ map[string]any) string {
		switch {
		case method != "events/subscribe":
			return usual(method)
		case down.Load():
			w.Header().Set("Retry-After", "60")
			w.WriteHeader(http.StatusTooManyRequests)
			return ""
		}
		until := time.Now().Add(3 * time.Minute).UTC().Format(time.RFC3339)
		return fmt.Sprintf(`{"id":"sub_1","refreshBefore":%q,"cursor":null,"deliveryStatus":{"active":%t}}`, until, !stopped.Swap(false))
	})
	meets(t, s, "webhook", func(t *testing.T, sink *refusingSink, _ *memory, wait func(time.Duration)) {
		gaps := func() int { return sink.count("notifications/events/gap") }
		wait(time.Hour)
		assert.Zero(t, gaps())
		assert.LessOrEqual(t, s.count("events/subscribe"), 31, "each 2 minutes")
		down.Store(true)
		wait(10 * time.Minute)
		assert.Zero(t, gaps())
		down.Store(false)
		wait(10 * time.Minute)
		assert.Equal(t, 1, gaps())
		stopped.Store(true)
		wait(time.Hour)
		assert.Equal(t, 2, gaps())
	})
}

// A grant of days is renewed each hour all the same: by that a server which has
// forgotten the subscription learns of it.
func TestLongGrantsAreRenewed(t *testing.T) {
	var asked atomic.Value
	s := script(func(_ http.ResponseWriter, method string, params map[string]any) string {
		if method == "events/subscribe" {
			asked.Store(fmt.Sprint(params["ttlMs"]))
			return `{"id":"sub_1","refreshBefore":"2099-01-01T00:00:00Z","cursor":"c"}`
		}
		return usual(method)
	})
	meets(t, s, "webhook", func(t *testing.T, _ *refusingSink, _ *memory, wait func(time.Duration)) {
		wait(24*time.Hour + time.Minute)
		assert.InDelta(t, 25, s.count("events/subscribe"), 1)
		assert.Equal(t, "1.728e+08", asked.Load(), "what webhook::ttl asks for, in ms")
	})
}

// The reason for which a server had stopped to deliver is logged if it is one that the
// specification lists: any other text may hold anything.
func TestReasonsOfStoppedDeliveries(t *testing.T) {
	var reason atomic.Value
	reason.Store("http_5xx")
	s := script(func(_ http.ResponseWriter, method string, _ map[string]any) string {
		if method != "events/subscribe" {
			return usual(method)
		}
		until := time.Now().Add(3 * time.Minute).UTC().Format(time.RFC3339)
		return fmt.Sprintf(`{"id":"sub_1","refreshBefore":%q,"deliveryStatus":{"active":false,"lastError":%q}}`, until, reason.Load())
	})
	core, logged := observer.New(zap.WarnLevel)
	meetsLogging(t, s, "webhook", zap.New(core), func(t *testing.T, _ *refusingSink, _ *memory, wait func(time.Duration)) {
		said := func() string {
			entries := logged.FilterMessage("Server had stopped delivering events; resuming").TakeAll()
			require.NotEmpty(t, entries)
			return fmt.Sprint(entries[len(entries)-1].ContextMap()["last_error"])
		}
		wait(time.Minute)
		assert.Equal(t, "http_5xx", said())
		reason.Store("password hunter2 was refused")
		wait(10 * time.Minute)
		assert.NotContains(t, said(), "hunter2")
	})
}
