package starts

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-mcp/otelcol-mcp/test/eventsource"
	"github.com/otelcol-mcp/otelcol-mcp/test/harness"
)

const span = `{"trace_id":"6512e41a04b93caed27aab2721422e75","span_id":"%016x","name":"tool.call","start_time":"2025-08-02T09:31:08Z","end_time":"2025-08-02T09:31:09Z","attributes":{"session.id":"s-1"},"status":{"status_code":"OK"},"events":[]}
`

// traceFiles has a file of spans wait, which each start reads.
func traceFiles(t *testing.T, config string) *plant {
	p := newPlant(t, config)
	var lines bytes.Buffer
	for i := range 100 {
		fmt.Fprintf(&lines, span, i+1)
	}
	in := filepath.Join(p.folder, "in")
	require.NoError(t, os.Mkdir(in, 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(in, "session.jsonl"), lines.Bytes(), 0o600))
	return p
}

// inspectorStream has an Inspector that reports many sessions at once.
func inspectorStream(t *testing.T) *plant {
	p := newPlant(t, "inspector.yaml")
	var connections atomic.Int64
	mux := http.NewServeMux()
	mux.HandleFunc("GET /_inspector/sessions", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(`{"sessions":[]}`))
	})
	mux.HandleFunc("GET /_inspector/events", func(w http.ResponseWriter, r *http.Request) {
		n := connections.Add(1)
		w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
		for i := range 100 {
			_, _ = fmt.Fprintf(w, `id: %[1]d
data: {"type": "SessionStarted", "session_id": "s-%[2]d-%[1]d", "engine": "asyncio", "title": "x", "event_id": %[1]d}

`, i+1, n)
		}
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	})
	p.serve(t, mux)
	return p
}

// eventStream has a server where events occur all the time.
func eventStream(t *testing.T) *plant {
	p := newPlant(t, "events.yaml")
	server := &eventsource.Server{
		Generation: 3, Retry: 10 * time.Millisecond,
		Types: []eventsource.Type{{Name: "incident.created", Delivery: []string{"push"}, Durable: true}},
	}
	p.serve(t, server)
	t.Cleanup(server.Restart) // streams break off
	during(t, func(ctx context.Context) {
		tick := time.NewTicker(5 * time.Millisecond)
		defer tick.Stop()
		for i := 0; ctx.Err() == nil; i++ {
			server.Append(eventsource.Event{ID: fmt.Sprint("ev-", i), Name: "incident.created", Data: "{}"})
			<-tick.C
		}
	})
	return p
}

// pushing has clients that push without a pause. What they send is refused
// before the collector listens, and accepted from then on.
func pushing(t *testing.T) *plant {
	p := newPlant(t, "push.yaml")
	client := &http.Client{Timeout: harness.Patience, Transport: &http.Transport{DisableKeepAlives: true}}
	p.load = func(ctx context.Context, t *testing.T) {
		var clients sync.WaitGroup
		for range 4 {
			clients.Go(func() {
				for ctx.Err() == nil {
					p.push(t, client)
				}
			})
		}
		clients.Wait()
	}
	return p
}

const message = `{"session":"s","message":{"jsonrpc":"2.0","method":"notifications/x"}}`

func (p *plant) push(t *testing.T, client *http.Client) {
	response, err := client.Post("http://"+p.mcp+"/v1/observations", "application/json", strings.NewReader(message))
	if dial := (*net.OpError)(nil); errors.As(err, &dial) && dial.Op == "dial" { // refused, or reset before anybody took it
		return
	}
	if assert.NoError(t, err, "a connection is cut") {
		assert.Equal(t, http.StatusAccepted, response.StatusCode)
		assert.NoError(t, response.Body.Close())
	}
}

func (p *plant) serve(t *testing.T, handler http.Handler) {
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	p.source = server.URL
}

// during runs something until the test ends.
func during(t *testing.T, run func(context.Context)) {
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	var running sync.WaitGroup
	running.Go(func() { run(ctx) })
	t.Cleanup(func() {
		stop()
		running.Wait()
	})
}
