package mcpreceiver

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"
)

// pollsOf answers polls in the form of a generation, with results and errors ("!").
func pollsOf(generation int, poll func(n int) string) *scripted {
	n := 0
	return script(func(_ http.ResponseWriter, method string, params map[string]any) string {
		if method != "events/poll" {
			return strings.Replace(usual(method), `,"webhook"`, "", 1)
		}
		list, batched := params["subscriptions"].([]any)
		if batched != (generation == 1) {
			return `!{"code":-32602,"message":"Invalid params"}`
		}
		n++
		text := poll(n)
		if !batched {
			return text
		}
		entry := text[1 : len(text)-1]
		if fault, failed := strings.CutPrefix(text, "!"); failed {
			entry = `"error":` + fault
		}
		return fmt.Sprintf(`{"results":[{"id":%q,%s}]}`, list[0].(map[string]any)["id"], entry)
	})
}

// An error of a poll in mid-life is recorded once until a poll succeeds again, and
// one that ends the subscription as its end. The warning names the reason.
func TestErrorsOfPolls(t *testing.T) {
	for _, c := range []struct {
		name, fault, method string
		generation          int
		warning             string
	}{
		{"internal", `{"code":-32603,"message":"UpstreamError"}`, "notifications/events/error", 1, ""},
		{"internal", `{"code":-32603,"message":"UpstreamError"}`, "notifications/events/error", 2, ""},
		{"unauthorized", `{"code":-32012,"message":"Unauthorized"}`, "notifications/events/terminated", 1, "Server does not permit this subscription; retrying later"},
		{"forbidden", `{"code":-32012,"message":"Forbidden"}`, "notifications/events/terminated", 2, "Server does not permit this subscription; retrying later"},
		{"not found", `{"code":-32011,"message":"EventNotFound"}`, "notifications/events/terminated", 1, "Server does not know this event; retrying later"},
		{"not found", `{"code":-32011,"message":"NotFound"}`, "notifications/events/terminated", 2, "Server does not know this event; retrying later"},
		{"limit", `{"code":-32013,"message":"ResourceExhausted"}`, "notifications/events/error", 2, "Server refused every delivery mode for this event; retrying later"},
	} {
		t.Run(fmt.Sprintf("%s g%d", c.name, c.generation), func(t *testing.T) {
			s := pollsOf(c.generation, func(n int) string {
				if n == 1 {
					return `{"events":` + oneEvent + `,"cursor":"c-1"}`
				}
				return "!" + c.fault
			})
			core, logs := observer.New(zap.WarnLevel)
			meetsLogging(t, s, "poll", zap.New(core), func(t *testing.T, sink *refusingSink, _ *memory, wait func(time.Duration)) {
				wait(20 * time.Minute)
				require.Equal(t, 1, sink.count(c.method), "once")
				spans := spansOf(sink.traces)
				require.Len(t, spans, 2, "the event and its error")
				got := spans[1].Attributes().AsRaw()
				assert.Equal(t, c.method, spans[1].Name())
				assert.Equal(t, "poll", got["mcp.event.delivery"])
				assert.Contains(t, c.fault, fmt.Sprint(got["rpc.response.status_code"]))
				assert.Contains(t, c.fault, fmt.Sprint(got["mcp.error.message"]))
				assert.Equal(t, "error", got["mcp.status.code"])
				if c.generation == 1 {
					assert.NotEmpty(t, got["mcp.event.subscription_id"])
				}
				record := sink.logs.ResourceLogs().At(1).ScopeLogs().At(0).LogRecords().At(0)
				assert.Equal(t, c.method, record.EventName())
				assert.Equal(t, plog.SeverityNumberWarn, record.SeverityNumber())
				warnings := logs.FilterMessageSnippet("Server").All()
				if c.warning == "" {
					assert.Empty(t, warnings)
				} else {
					require.NotEmpty(t, warnings)
					assert.Equal(t, c.warning, warnings[0].Message)
				}
			})
		})
	}
}

// Errors that follow a success are recorded each.
func TestPollsThatFailAgain(t *testing.T) {
	s := pollsOf(2, func(n int) string {
		if n%2 == 1 {
			return `{"events":[],"cursor":"c"}`
		}
		return `!{"code":-32603,"message":"UpstreamError"}`
	})
	meets(t, s, "poll", func(t *testing.T, sink *refusingSink, _ *memory, wait func(time.Duration)) {
		wait(time.Minute)
		assert.Equal(t, s.count("events/poll")/2, sink.count("notifications/events/error"))
	})
}

// A poll has what bounds its answer: maxEvents in each generation, maxAgeMs from the second draft on.
func TestBoundsOfPolls(t *testing.T) {
	for generation := 1; generation <= 2; generation++ {
		s := pollsOf(generation, func(int) string { return `{"events":[],"cursor":"c-1"}` })
		server := httptest.NewServer(s)
		t.Cleanup(server.Close)
		cfg := subscribing(t, server.URL, "poll")
		cfg.Events[0].MaxEvents, cfg.Events[0].Subscriptions[0].MaxAge = 20, 2*time.Minute
		r, _ := startEvents(t, cfg)
		require.Equal(t, "poll", active(t, r))
		params := s.lastParams()
		assert.InDelta(t, 20, params["maxEvents"], 0)
		if generation == 1 {
			assert.NotContains(t, params, "maxAgeMs")
		} else {
			assert.InDelta(t, 120_000, params["maxAgeMs"], 0)
		}
	}
}

// Events of a page have the cursor behind each, else the last one the page's.
func TestCursorsOfPolls(t *testing.T) {
	s := pollsOf(2, func(n int) string {
		switch n {
		case 1:
			return `{"events":[{"eventId":"a","name":"incident.created"},{"eventId":"b","name":"incident.created"}],"cursor":"page-1"}`
		case 2:
			return `{"events":[{"eventId":"c","name":"incident.created","cursor":"own-c"},{"eventId":"d","name":"incident.created","cursor":"own-d"}],"cursor":"page-2"}`
		}
		return `{"events":[],"cursor":"page-2"}`
	})
	meets(t, s, "poll", func(t *testing.T, sink *refusingSink, _ *memory, wait func(time.Duration)) {
		wait(time.Minute)
		got := map[string]any{}
		for _, span := range spansOf(sink.traces) {
			a := span.Attributes().AsRaw()
			got[a["mcp.event.id"].(string)] = a["mcp.event.cursor"]
		}
		assert.Equal(t, map[string]any{"a": nil, "b": "page-1", "c": "own-c", "d": "own-d"}, got)
		assert.Equal(t, "page-2", s.lastParams()["cursor"], "as it came")
	})
}

// A stream that a server ends in good order is opened again without a warning; one that
// ends before it began is not.
func TestStreamsThatEnd(t *testing.T) {
	for name, c := range map[string]struct {
		first    string
		warnings int
	}{
		"in good order":   {"data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/events/active\",\"params\":{\"cursor\":\"c\"}}\n\n", 0},
		"before it began": {"", 1},
	} {
		t.Run(name, func(t *testing.T) {
			var opened atomic.Int64
			s := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				var q struct {
					ID     json.RawMessage
					Method string
				}
				_ = json.NewDecoder(r.Body).Decode(&q)
				switch q.Method {
				case "server/discover":
					w.WriteHeader(http.StatusBadRequest)
					return
				case "events/stream":
					opened.Add(1)
					w.Header().Set("Content-Type", "text/event-stream")
					_, _ = fmt.Fprintf(w, "%sdata: {\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{\"_meta\":{}}}\n\n", c.first, q.ID)
					return
				}
				result := strings.Replace(usual(q.Method), `["poll","webhook"]`, `["push"]`, 1)
				w.Header().Set("Content-Type", "application/json")
				_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, q.ID, result)
			})
			core, logs := observer.New(zap.WarnLevel)
			meetsLogging(t, s, "push", zap.New(core), func(t *testing.T, _ *refusingSink, _ *memory, wait func(time.Duration)) {
				wait(10 * time.Minute)
				assert.Greater(t, opened.Load(), int64(5), "opened again")
				assert.Less(t, opened.Load(), int64(40), "less and less often")
				assert.Len(t, logs.All(), c.warnings)
			})
		})
	}
}

// The first draft tells in seconds when to poll again, later ones in milliseconds.
func TestTimeOfTheNextPoll(t *testing.T) {
	for generation, next := range map[int]string{1: `"nextPollSeconds":20`, 2: `"nextPollMs":20000`} {
		s := pollsOf(generation, func(int) string { return `{"events":[],"cursor":"c",` + next + `}` })
		meets(t, s, "poll", func(t *testing.T, _ *refusingSink, _ *memory, wait func(time.Duration)) {
			wait(10 * time.Minute)
			assert.InDelta(t, 30, s.count("events/poll"), 3, "generation %d", generation)
		})
	}
}

// What a stream says besides events: a sign of life is nothing, an error ends nothing, a
// termination is the end.
func TestWhatStreamsSay(t *testing.T) {
	say := func(method, params string) string {
		return fmt.Sprintf("data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/events/%s\",\"params\":%s}\n\n", method, params)
	}
	opened := 0
	s := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var q struct {
			ID     json.RawMessage
			Method string
		}
		_ = json.NewDecoder(r.Body).Decode(&q)
		meta := fmt.Sprintf(`"_meta":{"io.modelcontextprotocol/subscriptionId":%s}`, q.ID)
		switch q.Method {
		case "server/discover":
			w.WriteHeader(http.StatusBadRequest)
		case "events/stream":
			opened++
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, ": keepalive\n\n"+say("active", `{"cursor":"c-0","truncated":false,`+meta+`}`)+
				say("event", `{"eventId":"ev-1","name":"incident.created","timestamp":"2026-03-04T09:14:58Z","data":{},"cursor":"c-1",`+meta+`}`)+
				say("heartbeat", `{"cursor":"c-2",`+meta+`}`)+
				say("error", `{"error":{"code":-32603,"message":"UpstreamError"},`+meta+`}`)+
				say("event", `{"eventId":"ev-2","name":"incident.created","timestamp":"2026-03-04T09:14:59Z","data":{},"cursor":"c-3",`+meta+`}`)+
				say("terminated", `{"error":{"code":-32012,"message":"Forbidden"},`+meta+`}`)+
				fmt.Sprintf("data: {\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{\"_meta\":{}}}\n\n", q.ID))
		default:
			w.Header().Set("Content-Type", "application/json")
			_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, q.ID, strings.Replace(usual(q.Method), `["poll","webhook"]`, `["push"]`, 1))
		}
	})
	meets(t, s, "push", func(t *testing.T, sink *refusingSink, _ *memory, wait func(time.Duration)) {
		wait(10 * time.Second)
		assert.Equal(t, 1, opened)
		assert.Equal(t, []string{
			"notifications/events/event", "notifications/events/error", "notifications/events/event", "notifications/events/terminated",
		}, sink.names())
	})
}
