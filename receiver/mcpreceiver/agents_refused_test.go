package mcpreceiver

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// What a pipeline never accepts of what was made takes nothing of the user's with it.
func TestOwnDataPassesWhenWhatWasMadeIsRefused(t *testing.T) {
	s := newSetup(t, settings(), nil)
	s.start(t)
	s.c.runner.Traces = consumertest.NewErr(errForGood)
	now := time.Now().UnixNano()
	ld := plog.NewLogs()
	record(ld, "agent", now, map[string]any{"session": "s", "what": "prompt"})
	require.NoError(t, s.logs.ConsumeLogs(t.Context(), ld))
	assert.NotEmpty(t, s.outLogs.AllLogs())
	assert.Equal(t, 1, s.c.runner.Engine.Sizes().Sessions, "the session goes on")

	s.c.runner.Traces, s.c.runner.Logs = s.out, consumertest.NewErr(errForGood)
	td := ptrace.NewTraces()
	span(td, "agent", 1, now, now+1, map[string]any{"session": "t", "what": "tool", "tool": "Bash", "id": "t1"})
	require.NoError(t, s.traces.ConsumeTraces(t.Context(), td))
	assert.Len(t, s.spans()["native"], 1)
	require.ErrorIs(t, s.logs.ConsumeLogs(t.Context(), ld), errForGood, "the records themselves are refused")
	s.c.runner.Traces = consumertest.NewErr(errors.New("later"))
	record(ld, "agent", now, map[string]any{"session": "u", "what": "prompt"})
	require.ErrorContains(t, s.logs.ConsumeLogs(t.Context(), ld), "later")
	s.c.runner.Traces, s.c.runner.Logs = s.out, s.outLogs
	s.stop(t)
}

// Records that are never accepted are gone, with what was made of them. What another
// pipeline accepted of the same request stays as it is: the call has ended.
func TestRecordsRefusedForGoodUndoNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSetup(t, settings(), func(cfg *Config) { cfg.Agents.JoinWait = 0 })
		s.start(t)
		now := time.Now().UnixNano()
		began, ended := plog.NewLogs(), plog.NewLogs()
		record(began, "agent", now, map[string]any{"session": "s", "what": "allowed", "tool": "Bash", "id": "t1"})
		record(ended, "agent", now+1, map[string]any{"session": "s", "what": "tool", "tool": "Bash", "id": "t1", "start": now})
		require.NoError(t, s.logs.ConsumeLogs(t.Context(), began))
		s.c.runner.Logs = consumertest.NewErr(errForGood)
		require.ErrorIs(t, s.logs.ConsumeLogs(t.Context(), ended), errForGood)
		s.c.runner.Logs = s.outLogs
		assert.Zero(t, s.c.runner.Engine.Sizes().Calls)
		time.Sleep(2 * time.Hour)
		synctest.Wait()
		assert.Len(t, s.spans()["tool.call"], 1)
		assert.Empty(t, s.spans()["mcp.call.stuck"])
		s.stop(t)
	})
}

// The same of spans: the log records that were made of them are offered.
func TestSpansRefusedForGoodUndoNothing(t *testing.T) {
	s := newSetup(t, settings(), nil)
	s.start(t)
	s.c.runner.Traces = consumertest.NewErr(errForGood)
	now := time.Now().UnixNano()
	td := ptrace.NewTraces()
	span(td, "agent", 1, now, now+1, map[string]any{"session": "t", "what": "tool", "tool": "Bash", "id": "t1"})
	require.ErrorIs(t, s.traces.ConsumeTraces(t.Context(), td), errForGood)
	assert.Equal(t, 1, s.c.runner.Engine.Sizes().Sessions)
	assert.Len(t, s.started("session.start"), 1)
	s.c.runner.Traces = s.out
	s.stop(t)
}
