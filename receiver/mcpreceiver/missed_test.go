package mcpreceiver

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const (
	unknownFrom  = "mcp.session.unknown_from"
	unknownUntil = "mcp.session.unknown_until"
)

// worksSilently begins a turn in which a tool runs.
func worksSilently(t *testing.T, f *fixture) {
	f.hooks(t, `{"session_id":"s","hook_event_name":"UserPromptSubmit","prompt":"Go"}`)
	f.hooks(t, `{"session_id":"s","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"make"},"tool_use_id":"t1"}`)
}

// What happened while the collector stood still is unknown: the row says so, and no alarm comes
// of that time.
func TestCollectorThatStoodStill(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := rowFixture(t)
		worksSilently(t, f)
		f.hooks(t, `{"session_id":"other","hook_event_name":"UserPromptSubmit","prompt":"Go"}`)
		f.hooks(t, `{"session_id":"other","hook_event_name":"SessionEnd"}`)
		time.Sleep(110 * time.Second)
		until := time.Now()
		from := until.Add(-100 * time.Second)
		f.receiver.sessions.pulse.beat(from)
		time.Sleep(2 * pulseInterval)
		row := f.row()
		assert.Equal(t, from.UnixNano(), row[unknownFrom])
		assert.WithinDuration(t, until, time.Unix(0, row[unknownUntil].(int64)), 2*pulseInterval)
		f.sink.mu.Lock()
		other := f.sink.rows["other"].AsRaw()
		f.sink.mu.Unlock()
		assert.NotContains(t, other, unknownFrom, "it had ended")

		time.Sleep(time.Minute)
		assert.Equal(t, "running", f.row()["mcp.session.state.name"], "two minutes after the tool began")
		time.Sleep(time.Minute)
		row = f.row()
		assert.Equal(t, "stalled", row["mcp.session.state.name"], "two minutes after it stood still")
		assert.Equal(t, from.UnixNano(), row[unknownFrom])

		f.receiver.sessions.pulse.beat(time.Now().Add(-time.Minute)) // once more
		time.Sleep(2 * pulseInterval)
		row = f.row()
		assert.Equal(t, from.UnixNano(), row[unknownFrom])
		assert.WithinDuration(t, time.Now(), time.Unix(0, row[unknownUntil].(int64)), 2*pulseInterval)
	})
}

// A collector that is only busy has not stood still.
func TestCollectorThatIsBusy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := rowFixture(t)
		worksSilently(t, f)
		f.receiver.sessions.pulse.beat(time.Now().Add(-pulseInterval))
		time.Sleep(time.Minute)
		assert.NotContains(t, f.row(), unknownFrom)
	})
}

// The same is so if it was away, which a storage knows.
func TestCollectorThatWasAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t, t.TempDir(), "", true)
		worksSilently(t, f)
		f.restart(t)
		assert.NotContains(t, f.row(), unknownFrom, "it was away for no time")
		from := time.Now()
		require.NoError(t, f.receiver.Shutdown(t.Context()))
		time.Sleep(100 * time.Second)
		f.start(t)
		row := f.row()
		assert.Equal(t, from.UnixNano(), row[unknownFrom])
		assert.Equal(t, time.Now().UnixNano(), row[unknownUntil])
		f.receiver.sessions.Checkpoint = nil
		require.NoError(t, f.receiver.Shutdown(context.Background()))
	})
}

// Hooks that waited for the collector lack nothing. Their agent's telemetry of that time may.
func TestHooksThatWaited(t *testing.T) {
	prompt := `{"session_id":"s","hook_event_name":"UserPromptSubmit","prompt":"Go"}`
	for query, unknown := range map[string]bool{
		"otel=logs&waited_ms=100000":   true,
		"otel=traces&waited_ms=100000": true,
		"waited_ms=100000":             false,
		"otel=logs&waited_ms=5000":     false,
		"otel=logs&waited_ms=-1":       false,
		"otel=logs&waited_ms=99999999": false, // a mistake of a clock
		"otel=logs":                    false,
	} {
		t.Run(query, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := rowFixture(t)
				ran := time.Now().Add(-100 * time.Second).UnixNano()
				f.post(t, 0, step{Post: fmt.Sprint("/v1/hooks/claude-code?", query, "&time=", ran), Body: prompt})
				row := f.row()
				if !unknown {
					assert.NotContains(t, row, unknownFrom)
					return
				}
				assert.Equal(t, ran, row[unknownFrom])
				assert.Equal(t, time.Now().UnixNano(), row[unknownUntil])
			})
		})
	}
}
