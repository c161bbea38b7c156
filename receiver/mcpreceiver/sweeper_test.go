package mcpreceiver

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componentstatus"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer/consumererror"

	"github.com/otelcol-mcp/otelcol-mcp/receiver/mcpreceiver/internal/intake/push"
)

func send(_ *testing.T, handler http.Handler, session, body string) int {
	r := httptest.NewRequest(http.MethodPost, push.ObservationsPath+"?session="+session, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, r)
	return w.Code
}

// sendAs pushes with another content type.
func sendAs(_ *testing.T, r *mcpReceiver, media string) int {
	mux := http.NewServeMux()
	push.Register(mux, r.runner)
	req := httptest.NewRequest(http.MethodPost, push.ObservationsPath, strings.NewReader(notice))
	req.Header.Set("Content-Type", media)
	w := httptest.NewRecorder()
	mux.ServeHTTP(w, req)
	return w.Code
}

// statusHost remembers what is reported.
type statusHost struct {
	component.Host
	events []componentstatus.Status
}

func (h *statusHost) Report(e *componentstatus.Event) { h.events = append(h.events, e.Status()) }

// swept runs a receiver with virtual time.
func swept(t *testing.T, cfg *Config, run func(t *testing.T, r *mcpReceiver, g *gate, host *statusHost)) {
	synctest.Test(t, func(t *testing.T) {
		g, host := &gate{}, &statusHost{Host: componenttest.NewNopHost()}
		r := assemble(t, cfg, g)
		require.NoError(t, r.Start(t.Context(), host))
		run(t, r, g, host)
		require.NoError(t, r.Shutdown(t.Context()))
	})
}

func pass(d time.Duration) {
	time.Sleep(d) // virtual
	synctest.Wait()
}

func TestIdleAtTheTimeOut(t *testing.T) {
	swept(t, quiet(), func(t *testing.T, r *mcpReceiver, g *gate, host *statusHost) {
		pass(7 * time.Minute)
		require.Equal(t, http.StatusAccepted, tell(t, r, "s", notice))
		pass(30*time.Minute - 1)
		require.Empty(t, g.reasons())
		pass(1)
		require.Equal(t, []string{"idle"}, g.reasons())
		require.Empty(t, host.events)
	})
}

func TestARefusedSweepIsTriedAgain(t *testing.T) {
	swept(t, quiet(), func(t *testing.T, r *mcpReceiver, g *gate, host *statusHost) {
		tell(t, r, "s", notice)
		g.refuse(times(5, errors.New("not now")))
		pass(31 * time.Minute)
		require.Equal(t, []string{"idle"}, g.reasons())
		require.Len(t, g.asked, 6)
		last := time.Duration(0)
		for i := 1; i < len(g.asked); i++ {
			gap := g.asked[i].Sub(g.asked[i-1])
			assert.Greater(t, gap, last, "ever more rarely")
			last = gap
		}
		assert.Equal(t, []componentstatus.Status{componentstatus.StatusRecoverableError, componentstatus.StatusOK}, host.events)
	})
}

func TestTheDelayIsBounded(t *testing.T) {
	swept(t, quiet(), func(t *testing.T, r *mcpReceiver, g *gate, _ *statusHost) {
		tell(t, r, "s", notice)
		g.refuse(times(30, errors.New("not now")))
		pass(60 * time.Minute)
		require.Len(t, g.asked, 31)
		assert.LessOrEqual(t, g.asked[30].Sub(g.asked[29]), lastRetry+minPause)
	})
}

func TestAPermanentRefusalDrops(t *testing.T) {
	swept(t, quiet(), func(t *testing.T, r *mcpReceiver, g *gate, _ *statusHost) {
		tell(t, r, "s", notice)
		g.refuse(times(1, consumererror.NewPermanent(errors.New("never"))))
		pass(31 * time.Minute)
		require.Len(t, g.asked, 1)
		require.Empty(t, g.reasons())
		require.Zero(t, r.runner.Engine.Sizes().Sessions)
	})
}

func TestEvictionIsImmediate(t *testing.T) {
	cfg := quiet()
	cfg.Session.MaxSessions = 1
	swept(t, cfg, func(t *testing.T, r *mcpReceiver, g *gate, _ *statusHost) {
		tell(t, r, "a", notice)
		tell(t, r, "b", notice)
		synctest.Wait()
		require.Equal(t, []string{"evicted"}, g.reasons())
	})
}

func TestARefusedEvictionIsTriedAgain(t *testing.T) {
	cfg := quiet()
	cfg.Session.MaxSessions = 1
	swept(t, cfg, func(t *testing.T, r *mcpReceiver, g *gate, _ *statusHost) {
		tell(t, r, "a", notice)
		n := 0
		g.refuse(func() error {
			if n++; n == 2 { // after what b tells: the end of a
				return errors.New("not now")
			}
			return nil
		})
		tell(t, r, "b", notice)
		synctest.Wait()
		require.Empty(t, g.reasons())
		pass(time.Second)
		require.Equal(t, []string{"evicted"}, g.reasons())
	})
}

func TestShutdownAsksAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := &gate{}
		r := assemble(t, quiet(), g)
		require.NoError(t, r.Start(t.Context(), componenttest.NewNopHost()))
		tell(t, r, "s", notice)
		g.refuse(times(4, errors.New("not now")))
		require.NoError(t, r.Shutdown(t.Context()))
		require.Equal(t, []string{"shutdown"}, g.reasons())
	})
}
