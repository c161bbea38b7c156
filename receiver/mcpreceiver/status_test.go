package mcpreceiver

import (
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componentstatus"
	"go.opentelemetry.io/collector/component/componenttest"
)

// TestStatusWhenNothingIsRefusedAnyMore: what was refused is no longer due, since the
// session goes on. The status does not wait for the next end of a session.
func TestStatusWhenNothingIsRefusedAnyMore(t *testing.T) {
	swept(t, quiet(), func(t *testing.T, r *mcpReceiver, g *gate, host *statusHost) {
		tell(t, r, "s", notice)
		g.refuse(times(1, errors.New("not now")))
		pass(30 * time.Minute)
		require.Equal(t, []componentstatus.Status{componentstatus.StatusRecoverableError}, host.events)
		require.Equal(t, http.StatusAccepted, tell(t, r, "s", notice))
		pass(time.Second)
		require.Empty(t, g.reasons(), "it goes on")
		assert.Equal(t, []componentstatus.Status{componentstatus.StatusRecoverableError, componentstatus.StatusOK}, host.events)
	})
}

// eventHost remembers the last event.
type eventHost struct {
	component.Host
	mu   sync.Mutex
	last *componentstatus.Event
}

func (h *eventHost) Report(e *componentstatus.Event) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.last = e
}

// says reports whether the last event is an error with the first text, and without the second.
func (h *eventHost) says(text, not string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.last == nil || h.last.Err() == nil {
		return false
	}
	err := h.last.Err().Error()
	return strings.Contains(err, text) && !strings.Contains(err, not)
}

// A source that works again does not hide one that does not.
func TestStatusOfSeveralSources(t *testing.T) {
	away := freePort(t)
	require.NoError(t, away.Close())
	f := newFakeInspector(t)
	cfg := quiet()
	cfg.Inspector = []InspectorConfig{{}, {}}
	cfg.Inspector[0].Endpoint, cfg.Inspector[1].Endpoint = "http://"+away.Addr().String()+"/_inspector/events", f.URL+"/_inspector/events"
	host := &eventHost{Host: componenttest.NewNopHost()}
	r := assemble(t, cfg, &gate{})
	require.NoError(t, r.Start(t.Context(), host))
	eventually(t, "the first is away", func() bool { return host.says(away.Addr().String(), "\n") })
	close(<-f.connections)
	again := <-f.connections
	eventually(t, "only the first is away", func() bool { return host.says(away.Addr().String(), "\n") })
	close(again)
	require.NoError(t, r.Shutdown(t.Context()))
}
