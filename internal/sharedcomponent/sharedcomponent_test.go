package sharedcomponent

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componentstatus"
	"go.opentelemetry.io/collector/component/componenttest"
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

func TestOneInstanceForEachConfiguration(t *testing.T) {
	var instances Instances[*config, *counter]
	one, other := &config{}, &config{}
	a, err := instances.Get(one, newCounter)
	require.NoError(t, err)
	b, err := instances.Get(one, newCounter)
	require.NoError(t, err)
	c, err := instances.Get(other, newCounter)
	require.NoError(t, err)
	assert.Same(t, a, b)
	assert.NotSame(t, a, c)
}

func TestStartsAndStopsOnce(t *testing.T) {
	var instances Instances[*config, *counter]
	cfg := &config{}
	a, err := instances.Get(cfg, newCounter)
	require.NoError(t, err)
	for range 3 {
		require.NoError(t, a.Start(t.Context(), componenttest.NewNopHost()))
	}
	for range 3 {
		require.NoError(t, a.Shutdown(t.Context()))
	}
	assert.Equal(t, 1, a.Unwrap().started)
	assert.Equal(t, 1, a.Unwrap().stopped)
	again, err := instances.Get(cfg, newCounter)
	require.NoError(t, err)
	assert.NotSame(t, a, again, "after its shutdown an instance is not used again")
}

func TestErrorsReachAll(t *testing.T) {
	broken := errors.New("port in use")
	var instances Instances[*config, *counter]
	_, err := instances.Get(&config{}, func() (*counter, error) { return nil, broken })
	require.ErrorIs(t, err, broken)
	a, err := instances.Get(&config{}, func() (*counter, error) { return &counter{err: broken}, nil })
	require.NoError(t, err)
	for range 2 {
		require.ErrorIs(t, a.Start(t.Context(), componenttest.NewNopHost()), broken)
		require.ErrorIs(t, a.Shutdown(t.Context()), broken)
	}
}

func TestStatusReachesEveryHost(t *testing.T) {
	var instances Instances[*config, *counter]
	a, err := instances.Get(&config{}, newCounter)
	require.NoError(t, err)
	early := &statusHost{Host: componenttest.NewNopHost()}
	late := &statusHost{Host: componenttest.NewNopHost()}
	require.NoError(t, a.Start(t.Context(), early))
	componentstatus.ReportStatus(a.Unwrap().host, componentstatus.NewRecoverableErrorEvent(errors.New("away")))
	require.NoError(t, a.Start(t.Context(), late))
	componentstatus.ReportStatus(a.Unwrap().host, componentstatus.NewEvent(componentstatus.StatusOK))
	want := []componentstatus.Status{componentstatus.StatusRecoverableError, componentstatus.StatusOK}
	assert.Equal(t, want, early.seen)
	assert.Equal(t, want, late.seen)
}
