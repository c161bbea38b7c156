package mcpreceiver

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.yaml.in/yaml/v3"

	"github.com/otelcol-mcp/otelcol-mcp/receiver/mcpreceiver/internal/intake/push"
)

var (
	shuffles    = flag.Int("shuffles", 200, "how many orders of recorded messages are tried")
	shuffleSeed = flag.Uint64("shuffle-seed", 0, "the first order; 0: any")
)

// said is one message of a recording, as it was pushed.
type said struct {
	path, media string
	headers     map[string]string
	line        string
}

// recordings returns what real peers said, and what the cases of the receiver have.
func recordings(t *testing.T) (all [][]said) {
	cases, err := filepath.Glob(filepath.Join(fixtures, "*", "input.yaml"))
	require.NoError(t, err)
	for _, input := range cases {
		var steps []step
		text, err := os.ReadFile(input)
		require.NoError(t, err)
		require.NoError(t, yaml.Unmarshal(text, &steps))
		var one []said
		for _, s := range steps {
			if s.Post != "" && s.File == "" && s.Status < 300 {
				for line := range strings.Lines(s.Body) {
					one = append(one, said{s.Post, cmp.Or(s.Type, "application/x-ndjson"), s.Headers, line})
				}
			}
		}
		all = append(all, one)
	}
	transcripts, err := filepath.Glob("../../test/peers/transcripts/*.ndjson")
	require.NoError(t, err)
	for _, path := range transcripts {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		var one []said
		for line := range strings.Lines(string(text)) {
			one = append(one, said{push.ObservationsPath, "application/x-ndjson", nil, line})
		}
		all = append(all, one)
	}
	require.NotEmpty(t, all)
	return all
}

// shuffled is a receiver that is told what nobody would say in that order.
type shuffled struct {
	rnd     *rand.Rand
	cfg     *Config
	host    keepingHost
	sink    *refusingSink
	r       *mcpReceiver
	alive   *mortal
	handler http.Handler
	crashes int
}

// mortal takes nothing any more when it is dead.
type mortal struct {
	*refusingSink
	dead atomic.Bool
}

func (m *mortal) ConsumeTraces(ctx context.Context, td ptrace.Traces) error {
	if m.dead.Load() {
		return nil
	}
	return m.refusingSink.ConsumeTraces(ctx, td)
}

func (s *shuffled) start(t *testing.T) {
	s.alive = &mortal{refusingSink: s.sink}
	s.r = assemble(t, s.cfg, s.alive)
	require.NoError(t, s.r.Start(t.Context(), s.host))
	mux := http.NewServeMux()
	push.Register(mux, s.r.runner)
	s.handler = mux
}

// restart stops the receiver, or leaves of it what a crash would: what was in the
// storage at that moment.
func (s *shuffled) restart(t *testing.T, crash bool) {
	s.host.memory.mu.Lock()
	kept := maps.Clone(s.host.memory.kept)
	s.host.memory.mu.Unlock()
	s.alive.dead.Store(crash)
	require.NoError(t, s.r.Shutdown(t.Context()))
	if crash {
		s.crashes++
		s.host.memory.kept = kept
	}
	s.start(t)
}

// order interleaves a few recordings and makes a mess of them.
func (s *shuffled) order(all [][]said) (lines []said) {
	some := make([][]said, 1+s.rnd.IntN(3))
	for i := range some {
		some[i] = all[s.rnd.IntN(len(all))]
	}
	for len(some) > 0 {
		i := s.rnd.IntN(len(some))
		if len(some[i]) == 0 {
			some = slices.Delete(some, i, i+1)
			continue
		}
		lines, some[i] = append(lines, some[i][0]), some[i][1:]
	}
	switch s.rnd.IntN(3) {
	case 0: // any order
		s.rnd.Shuffle(len(lines), func(i, k int) { lines[i], lines[k] = lines[k], lines[i] })
	case 1: // a little out of order
		for i := range lines {
			k := min(len(lines)-1, i+s.rnd.IntN(4))
			lines[i], lines[k] = lines[k], lines[i]
		}
	}
	for i := range lines {
		switch s.rnd.IntN(20) {
		case 0:
			lines = append(lines, lines[i]) // again at the end
		case 1:
			lines[i].line = lines[i].line[:s.rnd.IntN(len(lines[i].line)+1)]
		case 2:
			lines = slices.Insert(lines, i, lines[i]) // again at once
		}
	}
	return lines
}

// tell posts a message until no pipeline refuses it.
func (s *shuffled) tell(t *testing.T, m said) {
	if s.rnd.IntN(20) == 0 {
		s.sink.refuseNext(refusals["retryable"], false)
	}
	for {
		r := httptest.NewRequest(http.MethodPost, "http://localhost:4319"+m.path, strings.NewReader(m.line))
		r.Header.Set("Content-Type", m.media)
		for key, value := range m.headers {
			r.Header.Set(key, value)
		}
		w := httptest.NewRecorder()
		s.handler.ServeHTTP(w, r)
		if w.Code != http.StatusServiceUnavailable {
			require.Less(t, w.Code, 500, "%s: %s", m.line, w.Body)
			return
		}
	}
}

// A session that begins three times with the same message, time and all, is three
// traces.
func TestEpochsOfOneNanosecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newShuffled(t, rand.New(rand.NewPCG(0, 0)))
		for range 3 {
			for _, line := range []string{
				`{"session":"s","time":"2026-02-19T16:00:00Z","message":{"jsonrpc":"2.0","method":"notifications/x"}}`,
				`{"session":"s","time":"2026-02-19T15:00:00Z","message":{"jsonrpc":"2.0","method":"notifications/earlier"}}`,
				`{"session":"s","time":"2026-02-19T16:00:01Z","end":{}}`,
			} {
				s.tell(t, said{push.ObservationsPath, "application/x-ndjson", nil, line})
			}
			time.Sleep(s.cfg.Session.Linger + time.Second) // virtual
		}
		require.NoError(t, s.r.Shutdown(t.Context()))
		roots := map[string]bool{}
		for _, span := range spansOf(s.sink.traces) {
			if span.Name() == "workflow.run" {
				roots[span.SpanID().String()] = true
			}
		}
		assert.Len(t, roots, 3)
	})
}

// Any order, duplication, truncation and interleaving of recorded messages, with
// restarts, crashes and pipelines that refuse: nothing panics, nothing is open in
// the end, no session has two roots, and none ends before it starts.
func TestShuffledSessions(t *testing.T) {
	all := recordings(t)
	first := cmp.Or(*shuffleSeed, rand.Uint64())
	for i := range uint64(*shuffles) {
		ok := t.Run(fmt.Sprint("seed ", first+i), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { runShuffled(t, all, rand.New(rand.NewPCG(first+i, 0))) })
		})
		if !ok {
			return
		}
	}
}

func newShuffled(t *testing.T, rnd *rand.Rand) *shuffled {
	id := component.MustNewID("file_storage")
	cfg := quiet()
	cfg.Storage = &id
	s := &shuffled{
		rnd: rnd, cfg: cfg, sink: &refusingSink{traces: ptrace.NewTraces(), logs: plog.NewLogs()},
		host: keepingHost{componenttest.NewNopHost(), &memory{kept: map[string][]byte{}}},
	}
	s.start(t)
	return s
}

func runShuffled(t *testing.T, all [][]said, rnd *rand.Rand) {
	s := newShuffled(t, rnd)
	crashing := rnd.IntN(2) == 0
	for _, m := range s.order(all) {
		s.tell(t, m)
		switch rnd.IntN(40) {
		case 0:
			time.Sleep(time.Duration(rnd.Int64N(int64(3 * time.Hour)))) // virtual
		case 1, 2, 3:
			time.Sleep(time.Duration(rnd.Int64N(int64(5 * time.Second))))
		case 4:
			s.restart(t, false)
		case 5:
			s.restart(t, crashing)
		}
		synctest.Wait()
	}
	s.r.sessions.Checkpoint = nil // now it ends
	require.NoError(t, s.r.Shutdown(t.Context()))
	sizes := s.r.runner.Engine.Sizes()
	assert.Zero(t, sizes.Calls, "open calls")
	assert.Zero(t, sizes.Sessions, "open sessions")
	s.check(t)
}

// check holds the spans in their order on the wire against what must hold in any.
func (s *shuffled) check(t *testing.T) {
	roots := map[string]*rootsOf{}
	for _, span := range spansOf(s.sink.traces) {
		trace := span.TraceID().String()
		assert.GreaterOrEqual(t, span.EndTimestamp(), span.StartTimestamp(), "%s ends before it starts", span.Name())
		if roots[trace] != nil && s.crashes == 0 && !roots[trace].again(span) {
			_, open := span.Attributes().Get("mcp.span.incomplete")
			assert.False(t, open, "%s was open after the end of its session", span.Name())
		}
		if _, ok := span.Attributes().Get("session.id"); span.Name() == "workflow.run" && ok {
			if roots[trace] == nil {
				roots[trace] = &rootsOf{ids: map[string]bool{}}
			}
			roots[trace].ids[span.SpanID().String()] = true
			roots[trace].epochs = append(roots[trace].epochs, epochOf(span))
		}
	}
	for trace, of := range roots {
		assert.Len(t, of.ids, 1, "roots of trace %s", trace)
		for i := range of.epochs[1:] {
			if s.crashes == 0 {
				assert.Greater(t, of.epochs[i+1], of.epochs[i]+1, "the root of trace %s came again", trace)
			}
		}
	}
}

// rootsOf are the roots of one trace.
type rootsOf struct {
	ids    map[string]bool
	epochs []int64
}

// again reports whether a span is of a later epoch than the last root. It has the
// same ids if it begins with the very message, time and all, that began an epoch
// before the last one.
func (r *rootsOf) again(span ptrace.Span) bool { return epochOf(span) > r.epochs[len(r.epochs)-1] }

func epochOf(span ptrace.Span) int64 {
	if epoch, ok := span.Attributes().Get("mcp.session.epoch"); ok {
		return epoch.Int()
	}
	return 1
}
