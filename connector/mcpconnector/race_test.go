package mcpconnector

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/pdata/plog"
)

// The collector starts some edges when receivers run already, and hand in.
func TestConsumesWhileItStartsAndStops(t *testing.T) {
	set := settings()
	r, _ := newReceiver(t, set.TelemetrySettings)
	require.NoError(t, r.Start(t.Context(), componenttest.NewNopHost()))
	s := newSetup(t, set, nil)
	ld := plog.NewLogs()
	record(ld, "agent", 1, map[string]any{"session": "s", "what": "prompt"})
	var sending sync.WaitGroup
	begun := make(chan struct{})
	sending.Go(func() {
		for n := range 100 {
			if err := s.logs.ConsumeLogs(t.Context(), ld); err != nil {
				assert.ErrorIs(t, err, errNotRunning)
			}
			if n == 0 {
				close(begun)
			}
		}
	})
	<-begun
	s.start(t)
	sending.Wait()
	require.NoError(t, s.logs.ConsumeLogs(t.Context(), ld))
	s.stop(t)
	require.NoError(t, s.logs.ConsumeLogs(t.Context(), ld))
	require.NoError(t, r.Shutdown(t.Context()))
}
