package mcpreceiver

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/test/eventsource"
)

// slow is a pipeline that has a span of one name until it is released.
type slow struct {
	refusingSink
	on      string
	met     chan context.Context // of the exports that wait
	release chan struct{}
}

func newSlow(on string) *slow {
	return &slow{
		refusingSink: refusingSink{traces: ptrace.NewTraces(), logs: plog.NewLogs()},
		on:           on, met: make(chan context.Context, 10), release: make(chan struct{}),
	}
}

func (s *slow) ConsumeTraces(ctx context.Context, td ptrace.Traces) error {
	if spans := spansOf(td); len(spans) > 0 && spans[0].Name() == s.on {
		s.met <- ctx
		select {
		case <-s.release:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return s.refusingSink.ConsumeTraces(ctx, td)
}

// way is a source and what one item of it becomes.
type way struct {
	cfg  *Config
	span string
	send func(*testing.T, *mcpReceiver)
	more func(*testing.T) // nil if the source remembers nothing that it could send again
	last string           // what more becomes
}

func fileWay(t *testing.T) *way {
	s := newShelf(t)
	return &way{
		cfg: s.cfg, span: "a1", last: "a2",
		send: func(t *testing.T, _ *mcpReceiver) { s.add(t, "a.jsonl", line("a1")) },
		more: func(t *testing.T) { s.add(t, "a.jsonl", line("a2")) },
	}
}

func streamWay(t *testing.T) *way {
	f := newFakeInspector(t)
	return &way{cfg: watching(f, false), span: "session.start", send: func(*testing.T, *mcpReceiver) {
		frames := <-f.connections
		frames <- frame(1, `{"type": "SessionStarted", "session_id": "s-1", "engine": "asyncio", "title": "x"}`)
	}}
}

func fetchWay(t *testing.T) *way {
	f := newFakeInspector(t)
	f.say(`{"sessions":[]}`, map[string]string{"s-1": strings.TrimSuffix(line("fetched"), "\n") + "\n" + fileRoot + "\n"})
	return &way{cfg: watching(f, true), span: "fetched", send: func(*testing.T, *mcpReceiver) {
		frames := <-f.connections
		frames <- frame(1, `{"type": "SessionStarted", "session_id": "s-1", "engine": "asyncio", "title": "x"}`)
		frames <- frame(2, `{"type": "SessionFinished", "session_id": "s-1", "status": "completed"}`)
	}}
}

func eventsWay(t *testing.T, mode string) *way {
	s, endpoint := announces(t, 3, everyWay...)
	return &way{
		cfg: subscribing(t, endpoint, mode), span: "notifications/events/event", last: "notifications/events/event",
		send: func(t *testing.T, r *mcpReceiver) {
			require.Equal(t, mode, active(t, r))
			s.Append(eventsource.Event{ID: "ev-1", Name: "incident.created"})
		},
		more: func(*testing.T) { s.Append(eventsource.Event{ID: "ev-2", Name: "incident.created"}) },
	}
}

var waysToStop = map[string]func(*testing.T) *way{
	"trace_files":    fileWay,
	"stream":         streamWay,
	"fetch":          fetchWay,
	"events poll":    func(t *testing.T) *way { return eventsWay(t, "poll") },
	"events push":    func(t *testing.T) *way { return eventsWay(t, "push") },
	"events webhook": func(t *testing.T) *way { return eventsWay(t, "webhook") },
}

// stopping is a receiver that stops while an export waits.
type stopping struct {
	pipeline *slow
	export   context.Context //nolint:containedctx // of the export that waits
	ended    chan error      // takes what Shutdown returned
}

func stopDuringExport(ctx context.Context, t *testing.T, w *way, host keepingHost) *stopping {
	s := &stopping{pipeline: newSlow(w.span), ended: make(chan error, 1)}
	r := assemble(t, w.cfg, s.pipeline)
	r.setLogs(s.pipeline)
	require.NoError(t, r.Start(t.Context(), host))
	w.send(t, r)
	s.export = <-s.pipeline.met
	// Shutdown stops the reading, and so the exports that depend on it, before this
	// goes on.
	stopped, stop := make(chan struct{}), r.stopReading
	r.stopReading = func() {
		stop()
		close(stopped)
	}
	go func() { s.ended <- r.Shutdown(ctx) }()
	select {
	case <-stopped:
	case err := <-s.ended:
		require.Fail(t, "it did not wait for the export", "%v", err)
	}
	return s
}

func durable(t *testing.T, w *way) keepingHost {
	shelf := newShelf(t)
	w.cfg.Storage = shelf.cfg.Storage
	return shelf.host
}

// What a source is handing on when the receiver stops is handed on, noted as
// read, and does not come again.
func TestAnExportInFlightEndsBeforeTheStop(t *testing.T) {
	for name, prepare := range waysToStop {
		t.Run(name, func(t *testing.T) {
			w := prepare(t)
			host := durable(t, w)
			s := stopDuringExport(context.WithoutCancel(t.Context()), t, w, host)
			require.NoError(t, s.export.Err(), "it may go on")
			assert.Empty(t, s.ended, "the stop waits for it")
			close(s.pipeline.release)
			require.NoError(t, <-s.ended)
			assert.Equal(t, 1, s.pipeline.count(w.span))
			assert.Empty(t, s.pipeline.met, "there was one attempt")
			if w.more == nil {
				return
			}
			r, again := startSources(t, w.cfg, host)
			w.more(t)
			eventually(t, "what follows comes", func() bool { return again.count(w.last) > 0 })
			require.NoError(t, r.Shutdown(t.Context()))
			assert.Equal(t, []string{w.last}, again.names(), "what was handed on does not come again")
		})
	}
}

// An export that takes longer than the stop may take is cut off.
func TestAnExportInFlightEndsWithTheTimeToStop(t *testing.T) {
	for name, prepare := range waysToStop {
		t.Run(name, func(t *testing.T) {
			w := prepare(t)
			ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
			defer cancel()
			s := stopDuringExport(ctx, t, w, keepingHost{componenttest.NewNopHost(), &memory{kept: map[string][]byte{}}})
			require.NoError(t, s.export.Err())
			cancel()
			if err := <-s.ended; err != nil { // of a server that had to cut a request off
				require.ErrorIs(t, err, context.Canceled)
			}
			<-s.export.Done()
			assert.Zero(t, s.pipeline.count(w.span))
		})
	}
}
