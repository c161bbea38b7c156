package mcpconnector

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
)

// Several connectors may share the sessions of one receiver, but not configure
// differently how agents' reports are joined there.
func TestSeveralConnectors(t *testing.T) {
	join := func(wait time.Duration) func(*Config) { return func(cfg *Config) { cfg.Agents.JoinWait = wait } }
	drop := func(cfg *Config) { cfg.Agents.InternalSpans = internalKeep } // is of the connector alone
	for name, c := range map[string]struct {
		first, second func(*Config)
		complaint     string
		want          time.Duration
	}{
		"none configures":     {nil, drop, "", 10 * time.Second},
		"the first does":      {join(time.Second), nil, "", time.Second},
		"the second does":     {nil, join(time.Second), "", time.Second},
		"both do, the same":   {join(time.Second), join(time.Second), "", time.Second},
		"both do differently": {join(time.Second), join(time.Minute), `agents: connector "mcp/one" configures`, time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			set := settings()
			r := newLogsReceiver(t, set.TelemetrySettings)
			start := func(as string, change func(*Config)) (*setup, error) {
				set.ID = component.MustNewIDWithName("mcp", as)
				s := newSetup(t, set, change)
				t.Cleanup(func() { s.stop(t) })
				var err error
				for _, c := range s.all {
					err = errors.Join(err, c.Start(t.Context(), componenttest.NewNopHost()))
				}
				return s, err
			}
			one, err := start("one", c.first)
			require.NoError(t, err)
			two, err := start("two", c.second)
			if c.complaint != "" {
				require.ErrorContains(t, err, c.complaint)
			} else {
				require.NoError(t, err)
			}
			require.Equal(t, c.want, one.c.runner.Engine.Agents().JoinWait)

			// one that has stopped configures nothing any more
			one.stop(t)
			two.stop(t)
			three, err := start("three", join(time.Hour))
			require.NoError(t, err)
			require.Equal(t, time.Hour, three.c.runner.Engine.Agents().JoinWait)
			require.NoError(t, r.Shutdown(t.Context()))
		})
	}
}
