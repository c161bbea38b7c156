package mcpreceiver

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/extension/xextension/storage"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// hanging is a pipeline that takes nothing: it waits until it is given up, or
// refuses at once.
type hanging struct {
	wait bool
	met  chan struct{}
}

func (*hanging) Capabilities() consumer.Capabilities { return consumer.Capabilities{} }

func (h *hanging) ConsumeTraces(ctx context.Context, _ ptrace.Traces) error {
	select {
	case h.met <- struct{}{}:
	default:
	}
	if !h.wait {
		return errors.New("not now")
	}
	<-ctx.Done()
	return ctx.Err()
}

// stops shuts down twice, within a time that only a hang takes.
func stops(t *testing.T, r *mcpReceiver) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), time.Second)
		defer cancel()
		_ = r.Shutdown(ctx) // what could not be reported is an error
		_ = r.Shutdown(ctx)
	}()
	select {
	case <-done:
	case <-time.After(time.Minute):
		require.Fail(t, "it does not stop")
	}
}

func TestStopsWhenNobodyAnswers(t *testing.T) {
	silent, err := net.Listen("tcp", "localhost:0") // connections are made by the system, and nobody reads them
	require.NoError(t, err)
	defer silent.Close()
	gone, err := net.Listen("tcp", "localhost:0")
	require.NoError(t, err)
	require.NoError(t, gone.Close())
	for _, listener := range []net.Listener{silent, gone} {
		cfg := watching(newFakeInspector(t), true)
		cfg.Inspector[0].Endpoint = "http://" + listener.Addr().String() + "/_inspector/events"
		r, _ := startSources(t, cfg, componenttest.NewNopHost())
		stops(t, r)
	}
}

func TestStopsWhenATraceHangs(t *testing.T) {
	f := newFakeInspector(t)
	ready, asked := f.Config.Handler, make(chan string, 10)
	f.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/_inspector/trace/") {
			asked <- r.URL.Path
			<-r.Context().Done()
			return
		}
		ready.ServeHTTP(w, r)
	})
	r, _ := startSources(t, watching(f, true), componenttest.NewNopHost())
	frames := <-f.connections
	frames <- frame(1, `{"type": "SessionFinished", "session_id": "s-1", "status": "completed"}`)
	assert.Equal(t, "/_inspector/trace/s-1", <-asked)
	stops(t, r)
}

func TestStopsWhenAPipelineDoesNotTake(t *testing.T) {
	for _, wait := range []bool{true, false} {
		f, s := newFakeInspector(t), newShelf(t)
		s.add(t, "a.jsonl", line("a1"))
		cfg := watching(f, false)
		cfg.TraceFiles = s.cfg.TraceFiles
		pipeline := &hanging{wait, make(chan struct{}, 2)}
		r := assemble(t, cfg, pipeline)
		require.NoError(t, r.Start(t.Context(), componenttest.NewNopHost()))
		frames := <-f.connections
		frames <- frame(1, `{"type": "SessionStarted", "session_id": "s-1", "engine": "asyncio", "title": "x"}`)
		<-pipeline.met
		<-pipeline.met
		stops(t, r)
	}
}

// failing is a storage that fails at what is set.
type failing struct {
	memory
	client, get, set, close error
}

func (f *failing) GetClient(context.Context, component.Kind, component.ID, string) (storage.Client, error) {
	return f, f.client
}

func (f *failing) Get(context.Context, string) ([]byte, error) { return nil, f.get }
func (f *failing) Set(context.Context, string, []byte) error   { return f.set }
func (f *failing) Close(context.Context) error                 { return f.close }
func (f *failing) GetExtensions() map[component.ID]component.Component {
	return map[component.ID]component.Component{component.MustNewID("file_storage"): f}
}

func TestStorageThatFails(t *testing.T) {
	broken := errors.New("the disk is full")
	s := newShelf(t)
	s.add(t, "a.jsonl", line("a1"))
	r, sink := startSources(t, s.cfg, &failing{get: broken, set: broken, close: broken})
	eventually(t, "files are read all the same", func() bool { return sink.count("a1") == 1 })
	s.add(t, "a.jsonl", line("a2"))
	eventually(t, "and go on", func() bool { return sink.count("a2") == 1 })
	require.ErrorIs(t, r.Shutdown(t.Context()), broken)
	require.NoError(t, r.Shutdown(t.Context()))
	assert.Equal(t, []string{"a1", "a2"}, sink.names())

	r = assemble(t, s.cfg, sink)
	require.ErrorIs(t, r.Start(t.Context(), &failing{client: broken}), broken)
	require.NoError(t, r.Shutdown(t.Context()))
}

// full is a storage with room for so many values at once.
type full struct {
	memory
	mu   sync.Mutex
	room int
}

func (f *full) Batch(ctx context.Context, ops ...*storage.Operation) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if ops[0].Type != storage.Get && len(ops) > f.room {
		return errors.New("no space is left")
	}
	return f.memory.Batch(ctx, ops...)
}

func (f *full) GetClient(context.Context, component.Kind, component.ID, string) (storage.Client, error) {
	return f, nil
}

func (f *full) GetExtensions() map[component.ID]component.Component {
	return map[component.ID]component.Component{component.MustNewID("file_storage"): f}
}

const toolCall = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"n"}}`

// A call that was accepted is visible after a clean stop, also if it could not be
// stored: as one that the collector did not see the end of.
func TestStopsWhenTheStorageIsFull(t *testing.T) {
	for room, ends := range map[int]int{0: 1, 1: 1, 100: 0} {
		t.Run(strconv.Itoa(room), func(t *testing.T) {
			id := component.MustNewID("file_storage")
			cfg, host, g := quiet(), &full{memory: memory{kept: map[string][]byte{}}, room: 100}, &gate{}
			cfg.Storage = &id
			cfg.StorageInterval = time.Hour // it is stored at the stop
			start := func() *mcpReceiver {
				r := assemble(t, cfg, g)
				require.NoError(t, r.Start(t.Context(), host))
				return r
			}
			r := start()
			require.Equal(t, http.StatusAccepted, tell(t, r, "early", toolCall))
			require.NoError(t, r.Shutdown(t.Context()))
			require.Empty(t, g.named("tool.call"), "it is stored")
			r = start()
			require.Equal(t, http.StatusAccepted, tell(t, r, "late", toolCall))
			host.room = room
			require.NoError(t, r.Shutdown(t.Context()), "nothing is lost")
			calls := g.named("tool.call")
			require.Len(t, calls, 2*ends)
			for _, c := range calls {
				incomplete, _ := c.Attributes().Get("mcp.span.incomplete")
				assert.True(t, incomplete.Bool())
			}
			assert.Len(t, g.reasons(), 2*ends)

			host.room = 100
			r = start()
			open := map[int]int{0: 1, 1: 0, 100: 2}[room] // without any room the early one comes back
			assert.Equal(t, open, r.runner.Engine.Sizes().Sessions)
			require.NoError(t, r.Shutdown(t.Context()))
		})
	}
}

// What no pipeline takes is kept, if there is room at last.
func TestStopsWhenNothingTakes(t *testing.T) {
	for _, again := range []bool{false, true} {
		t.Run(fmt.Sprintf("room at last: %v", again), func(t *testing.T) {
			t.Parallel() // each waits for the time to stop
			id := component.MustNewID("file_storage")
			cfg, host, g := quiet(), &full{memory: memory{kept: map[string][]byte{}}}, &gate{}
			cfg.Storage = &id
			r := assemble(t, cfg, g)
			require.NoError(t, r.Start(t.Context(), host))
			require.Equal(t, http.StatusAccepted, tell(t, r, "s", toolCall))
			g.refuse(func() error {
				if again {
					host.mu.Lock()
					defer host.mu.Unlock()
					host.room = 100
				}
				return errors.New("not now")
			})
			err := r.Shutdown(t.Context())
			if !again {
				require.ErrorContains(t, err, "no space is left")
				require.ErrorContains(t, err, "1 open sessions were lost")
				return
			}
			require.NoError(t, err)
			r = assemble(t, cfg, g)
			require.NoError(t, r.Start(t.Context(), host))
			assert.Equal(t, 1, r.runner.Engine.Sizes().Sessions)
			require.NoError(t, r.Shutdown(t.Context()))
		})
	}
}
