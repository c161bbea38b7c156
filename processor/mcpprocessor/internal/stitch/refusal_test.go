package stitch

import (
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componentstatus"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// servers are the roots of n traces, which wait.
func servers(n int) []spec {
	out := make([]spec, n)
	for i := range out {
		_, out[i] = pair("request-of-server-" + string(rune('a'+i)))
		out[i].n, out[i].trace[1], out[i].id[1] = i, byte(i), byte(i)
	}
	return out
}

// TestReserveWaitsForFlush: a batch that needs the quota of spans that are being
// sent again waits for them, without polling.
func TestReserveWaitsForFlush(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t, configOf(func(c *Config) { c.MaxSpans = 1 }))
		s := servers(2)
		f.sink.refuse = func() error { return errRefusedByTest }
		require.NoError(t, f.ConsumeTraces(t.Context(), tracesOf(s[:1])))
		f.advance(time.Minute)

		slow := make(chan struct{})
		f.sink.refuse = func() error { <-slow; return nil }
		var looks atomic.Int64
		f.clock = func() int64 {
			if looks.Add(1) > 1000 {
				<-slow
			}
			return int64(f.at)
		}
		done := make(chan error, 2)
		go func() { done <- f.retries.Flush(t.Context()) }()
		synctest.Wait()
		go func() { done <- f.ConsumeTraces(t.Context(), tracesOf(s[1:])) }()
		synctest.Wait()
		assert.Less(t, looks.Load(), int64(10))
		close(slow)
		require.NoError(t, <-done)
		require.NoError(t, <-done)
		require.NoError(t, f.Shutdown(t.Context()))
		assert.Len(t, each(f.sink.got), 2)
		f.checkEmpty(t)
	})
}

// TestErrorHasOwnSpansOnly: a sender that sends again only what the error says
// was refused must not get the spans of other senders.
func TestErrorHasOwnSpansOnly(t *testing.T) {
	f := newFixture(t, configOf(func(c *Config) { c.MaxSpans = 1 }))
	s := servers(2)
	require.NoError(t, f.ConsumeTraces(t.Context(), tracesOf(s[:1])))
	f.sink.refuse = func() error { return consumererror.NewTraces(errRefusedByTest, tracesOf(s[:1])) }
	err := f.ConsumeTraces(t.Context(), tracesOf(s[1:]))
	require.Error(t, err)
	assert.False(t, consumererror.IsPermanent(err))
	var part consumererror.Traces
	assert.NotErrorAs(t, err, &part)
}

// TestRefusedInPartIncludesWaiting: what would have waited was refused with the part.
func TestRefusedInPartIncludesWaiting(t *testing.T) {
	f := newFixture(t, configOf())
	s := servers(1)
	passes := []spec{
		{n: 1, trace: pcommon.TraceID{8}, id: pcommon.SpanID{8}, name: "work"},
		{n: 2, trace: pcommon.TraceID{9}, id: pcommon.SpanID{9}, name: "work"},
	}
	f.sink.refuse = func() error { return consumererror.NewTraces(errRefusedByTest, tracesOf(passes[1:])) }
	err := f.ConsumeTraces(t.Context(), tracesOf(append(s, passes...)))
	require.ErrorIs(t, err, errRefusedByTest)
	var part consumererror.Traces
	require.ErrorAs(t, err, &part)
	f.sink.refuse = nil
	require.NoError(t, f.ConsumeTraces(t.Context(), part.Data()), "the rest")
	require.NoError(t, f.Shutdown(t.Context()))
	assert.Len(t, each(f.sink.got), 2, "the server and the second that passed")
	f.checkEmpty(t)
}

// TestRefusedInNoPart: an error with an empty refused part leaves nothing.
func TestRefusedInNoPart(t *testing.T) {
	f := newFixture(t, configOf())
	require.NoError(t, f.ConsumeTraces(t.Context(), tracesOf(servers(1))))
	f.sink.refuse = func() error { return consumererror.NewTraces(errRefusedByTest, ptrace.NewTraces()) }
	f.advance(time.Minute)
	f.checkEmpty(t)
}

// TestStatusAfterBatchSentAgain: the status recovers when a batch, to make room for
// itself, sent the refused spans.
func TestStatusAfterBatchSentAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		to, host := new(next), &statusHost{Host: componenttest.NewNopHost()}
		p := create(t, nil, to, func(c *Config) { c.MaxSpans = 1 })
		require.NoError(t, p.Start(t.Context(), host))
		s := servers(2)
		require.NoError(t, p.ConsumeTraces(t.Context(), tracesOf(s[:1])))
		to.set(errRefusedByTest)
		time.Sleep(30 * time.Second)
		synctest.Wait()
		assert.Equal(t, componentstatus.StatusRecoverableError, host.last())
		to.set(nil)
		require.NoError(t, p.ConsumeTraces(t.Context(), tracesOf(s[1:])))
		time.Sleep(lastRetry + time.Second)
		synctest.Wait()
		assert.Equal(t, componentstatus.StatusOK, host.last())
		require.NoError(t, p.Shutdown(t.Context()))
	})
}

// statusHost remembers what the component reported.
type statusHost struct {
	component.Host
	mu     sync.Mutex
	events []*componentstatus.Event
}

func (h *statusHost) Report(e *componentstatus.Event) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.events = append(h.events, e)
}

// last returns what is true now.
func (h *statusHost) last() componentstatus.Status {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.events) == 0 {
		return componentstatus.StatusNone
	}
	return h.events[len(h.events)-1].Status()
}
