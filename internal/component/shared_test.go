package component

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componentstatus"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/pipeline"
)

type config struct{ _ int }

// counter counts its starts and stops, and keeps its host.
type counter struct {
	started, stopped int
	host             component.Host
	err              error
}

func (c *counter) Start(_ context.Context, host component.Host) error {
	c.started++
	c.host = host
	return c.err
}

func (c *counter) Shutdown(context.Context) error {
	c.stopped++
	return c.err
}

// statusHost remembers what was reported.
type statusHost struct {
	component.Host
	seen []componentstatus.Status
}

func (h *statusHost) Report(e *componentstatus.Event) { h.seen = append(h.seen, e.Status()) }

func newCounter() (*counter, error) { return &counter{}, nil }

// kinds are the kinds of components, by the ways in of their signals.
var kinds = map[string]waysIn{
	"receivers": {FromOutside},
	"exporters": {pipeline.SignalTraces, pipeline.SignalLogs, pipeline.SignalMetrics},
}

// waysIn lists the ways in of signals, in turn.
type waysIn []pipeline.Signal

// shares returns those of so many signals.
func (w waysIn) shares(t *testing.T, instances *Instances[*config, *counter], cfg *config, signals int) (all []*Share[*counter]) {
	t.Helper()
	for n := range signals {
		s, err := instances.Get(cfg, w[n%len(w)], newCounter)
		require.NoError(t, err)
		all = append(all, s)
	}
	return all
}

func TestOneInstanceForEachConfiguration(t *testing.T) {
	for kind, in := range kinds {
		t.Run(kind, func(t *testing.T) {
			instances, one, other := NewInstances[*config, *counter](), &config{}, &config{}
			a, b := in.shares(t, instances, one, 2), in.shares(t, instances, other, 1)
			assert.Same(t, a[0].Unwrap(), a[1].Unwrap())
			assert.NotSame(t, a[0].Unwrap(), b[0].Unwrap())
		})
	}
}

// The collector starts exporters before receivers, but the receiver of one signal
// before the exporters of another.
func TestAReceiverStartsWithItsLastSignal(t *testing.T) {
	all := kinds["receivers"].shares(t, NewInstances[*config, *counter](), &config{}, 3)
	one := all[0].Unwrap()
	for _, s := range all[:2] {
		for range 2 { // a second Start of a signal is not that of another
			require.NoError(t, s.Start(t.Context(), componenttest.NewNopHost()))
			assert.Zero(t, one.started, "other pipelines are not ready")
		}
	}
	require.NoError(t, all[2].Start(t.Context(), componenttest.NewNopHost()))
	assert.Equal(t, 1, one.started)
	require.NoError(t, all[1].Shutdown(t.Context()))
	assert.Equal(t, 1, one.stopped, "pipelines stop next")
}

func TestAnExporterStopsWithItsLastSignal(t *testing.T) {
	all := kinds["exporters"].shares(t, NewInstances[*config, *counter](), &config{}, 3)
	one := all[0].Unwrap()
	require.NoError(t, all[1].Start(t.Context(), componenttest.NewNopHost()))
	assert.Equal(t, 1, one.started, "its pipeline starts next")
	for _, s := range all[:2] {
		for range 2 {
			require.NoError(t, s.Shutdown(t.Context()))
			assert.Zero(t, one.stopped, "other pipelines still send")
		}
	}
	require.NoError(t, all[2].Shutdown(t.Context()))
	assert.Equal(t, 1, one.stopped)
}

func TestStartsAndStopsOnce(t *testing.T) {
	for kind, in := range kinds {
		t.Run(kind, func(t *testing.T) {
			instances, cfg := NewInstances[*config, *counter](), &config{}
			all := in.shares(t, instances, cfg, 2)
			for range 3 {
				for _, s := range all {
					require.NoError(t, s.Start(t.Context(), componenttest.NewNopHost()))
				}
			}
			for range 3 {
				for _, s := range all {
					require.NoError(t, s.Shutdown(t.Context()))
				}
			}
			one := all[0].Unwrap()
			assert.Equal(t, 1, one.started)
			assert.Equal(t, 1, one.stopped)
			again := in.shares(t, instances, cfg, 1)
			assert.NotSame(t, one, again[0].Unwrap(), "after its shutdown an instance is not used again")
			require.NoError(t, all[0].Shutdown(t.Context()))
			assert.Same(t, again[0].Unwrap(), in.shares(t, instances, cfg, 1)[0].Unwrap(), "the new one stays")
		})
	}
}

// When another component does not start, the collector stops those that it never
// started, too.
func TestStopsWithoutStart(t *testing.T) {
	for kind, in := range kinds {
		for started := range 2 {
			t.Run(fmt.Sprint(kind, " ", started), func(t *testing.T) {
				all := in.shares(t, NewInstances[*config, *counter](), &config{}, 2)
				for _, s := range all[:started] {
					require.NoError(t, s.Start(t.Context(), componenttest.NewNopHost()))
				}
				for _, s := range all {
					require.NoError(t, s.Shutdown(t.Context()))
				}
				one := all[0].Unwrap()
				assert.Equal(t, 1, one.stopped)
				before := one.started
				_ = all[1].Start(t.Context(), componenttest.NewNopHost())
				assert.Equal(t, before, one.started, "it does not start after its shutdown")
			})
		}
	}
}

func TestErrorsReachTheCaller(t *testing.T) {
	broken := errors.New("port in use")
	for kind, in := range kinds {
		t.Run(kind, func(t *testing.T) {
			instances, cfg := NewInstances[*config, *counter](), &config{}
			_, err := instances.Get(cfg, in[0], func() (*counter, error) { return nil, broken })
			require.ErrorIs(t, err, broken)
			all := in.shares(t, instances, cfg, 2)
			all[0].Unwrap().err = broken
			starts := all[0].Start(t.Context(), componenttest.NewNopHost())
			require.ErrorIs(t, all[1].Start(t.Context(), componenttest.NewNopHost()), broken)
			stops := all[0].Shutdown(t.Context())
			require.ErrorIs(t, all[1].Shutdown(t.Context()), broken)
			require.ErrorIs(t, all[0].Shutdown(t.Context()), broken)
			if kind == "receivers" {
				require.NoError(t, starts)
				require.ErrorIs(t, stops, broken)
			} else {
				require.ErrorIs(t, starts, broken)
				require.NoError(t, stops)
			}
			assert.Equal(t, 1, all[0].Unwrap().started)
			assert.Equal(t, 1, all[0].Unwrap().stopped)
		})
	}
}

func TestStatusReachesEveryHost(t *testing.T) {
	for kind, in := range kinds {
		t.Run(kind, func(t *testing.T) {
			all := in.shares(t, NewInstances[*config, *counter](), &config{}, 2)
			one := all[0].Unwrap()
			early := &statusHost{Host: componenttest.NewNopHost()}
			late := &statusHost{Host: componenttest.NewNopHost()}
			later := &statusHost{Host: componenttest.NewNopHost()}
			require.NoError(t, all[0].Start(t.Context(), early))
			require.NoError(t, all[1].Start(t.Context(), late))
			componentstatus.ReportStatus(one.host, componentstatus.NewRecoverableErrorEvent(errors.New("away")))
			require.NoError(t, all[1].Start(t.Context(), later))
			componentstatus.ReportStatus(one.host, componentstatus.NewEvent(componentstatus.StatusOK))
			want := []componentstatus.Status{componentstatus.StatusRecoverableError, componentstatus.StatusOK}
			for _, host := range []*statusHost{early, late, later} {
				assert.Equal(t, want, host.seen)
			}
		})
	}
}

func TestConcurrentUse(t *testing.T) {
	for kind, in := range kinds {
		t.Run(kind, func(t *testing.T) {
			all := in.shares(t, NewInstances[*config, *counter](), &config{}, 8)
			for _, call := range []func(*Share[*counter]) error{
				func(s *Share[*counter]) error { return s.Start(t.Context(), componenttest.NewNopHost()) },
				func(s *Share[*counter]) error { return s.Shutdown(t.Context()) },
			} {
				var calls sync.WaitGroup
				for _, s := range all {
					calls.Go(func() { assert.NoError(t, call(s)) })
				}
				calls.Wait()
			}
			assert.Equal(t, 1, all[0].Unwrap().started)
			assert.Equal(t, 1, all[0].Unwrap().stopped)
		})
	}
}
