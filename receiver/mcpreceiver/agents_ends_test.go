package mcpreceiver

import (
	"context"
	"math"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session/store"
)

// hook lets the sessions take an event of a hook.
func (s *setup) hook(t *testing.T, sources []string, build func(event.SelfReport) event.Event) {
	t.Helper()
	require.NoError(t, s.c.runner.Run(context.Background(), "hooks", func(tx *session.Tx, now int64) error {
		a := event.SelfReport{
			Notice: event.Notice{Source: event.Hook, Prefix: mcpconv.SpanHook, Contact: event.Contact{Method: "E"}},
			Facts:  &event.Facts{Sources: sources},
		}
		env := event.Envelope{Arrival: now, Time: now, Session: "s", Client: "test-agent", Direction: event.FromClient}
		return tx.Apply(context.Background(), &env, build(a))
	}))
}

// An agent exports its telemetry behind its last hook: the session ends when that
// had the time to come, at the time that the hook told.
func TestTelemetryBehindTheLastHook(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSetup(t, settings(), nil)
		s.start(t)
		sources := []string{mcpconv.SourceHooks, mcpconv.SourceLogs}
		s.hook(t, sources, func(a event.SelfReport) event.Event { return &event.PromptSubmitted{SelfReport: a, Prompt: `"go"`} })
		began := time.Now().UnixNano()
		time.Sleep(time.Second)
		s.hook(t, sources, func(a event.SelfReport) event.Event { return &event.TurnEnded{SelfReport: a} })
		s.hook(t, sources, func(a event.SelfReport) event.Event { return &event.SessionEnded{SelfReport: a} })
		ended := time.Now().UnixNano()
		time.Sleep(3 * time.Second)
		assert.Empty(t, s.spans()["workflow.run"])
		ld := plog.NewLogs()
		record(ld, "agent", began, map[string]any{"session": "s", "what": "prompt", "prompt": "go"})
		record(ld, "agent", ended, map[string]any{"session": "s", "what": "model", "id": "m1", "in": 5, "out": 1, "start": began})
		require.NoError(t, s.logs.ConsumeLogs(t.Context(), ld))
		time.Sleep(10 * time.Second)
		synctest.Wait()
		spans := s.spans()
		require.Len(t, spans["workflow.run"], 1)
		root := spans["workflow.run"][0]
		assert.EqualValues(t, ended, endOf(root))
		assert.EqualValues(t, 5, root.Attributes().AsRaw()["mcp.summary.input_tokens"])
		assert.EqualValues(t, 1, root.Attributes().AsRaw()["mcp.summary.turns"])
		require.Len(t, spans["agent.turn"], 1)
		assert.EqualValues(t, 5, spans["agent.turn"][0].Attributes().AsRaw()["mcp.turn.input_tokens"], "a turn waits for its tokens")
		// What comes later still reopens nothing.
		require.NoError(t, s.logs.ConsumeLogs(t.Context(), ld))
		s.stop(t)
		assert.Len(t, s.spans()["workflow.run"], 1)
	})
}

// An exporter may repeat long afterwards what it could not send: what is older than
// the end of its session opens no other one.
func TestTelemetryRepeatedLongAfterTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSetup(t, settings(), nil)
		s.start(t)
		began := time.Now().UnixNano()
		ld := plog.NewLogs()
		record(ld, "agent", began, map[string]any{"session": "s", "what": "prompt", "prompt": "go"})
		record(ld, "agent", began, map[string]any{"session": "s", "what": "tool", "tool": "Bash", "id": "t1"})
		require.NoError(t, s.logs.ConsumeLogs(t.Context(), ld))
		time.Sleep(time.Second)
		s.hook(t, nil, func(a event.SelfReport) event.Event { return &event.SessionEnded{SelfReport: a} })
		time.Sleep(time.Hour)
		synctest.Wait()
		require.Len(t, s.spans()["workflow.run"], 1)
		require.NoError(t, s.logs.ConsumeLogs(t.Context(), ld))
		ended := plog.NewLogs()
		record(ended, "agent", began, map[string]any{"session": "s", "what": "tool", "tool": "Bash", "id": "t1"})
		require.NoError(t, s.logs.ConsumeLogs(t.Context(), ended))
		s.stop(t)
		assert.Len(t, s.spans()["workflow.run"], 1)
		assert.Len(t, s.spans()["session.start"], 1)
	})
}

// TestASpanThatOutlivesItsSession: an agent sends the span of its work when that is over, which
// may be after its hook of the session's end. The work began before it.
func TestASpanThatOutlivesItsSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSetup(t, settings(), nil)
		s.start(t)
		began := time.Now().UnixNano()
		s.hook(t, nil, func(a event.SelfReport) event.Event { return &event.PromptSubmitted{SelfReport: a, Prompt: `"go"`} })
		time.Sleep(time.Second)
		s.hook(t, nil, func(a event.SelfReport) event.Event { return &event.SessionEnded{SelfReport: a} })
		require.Len(t, s.spans()["workflow.run"], 1)
		time.Sleep(100 * time.Millisecond)
		td := ptrace.NewTraces()
		span(td, "agent", 1, began, time.Now().UnixNano(), map[string]any{"session": "s", "what": "prompt", "prompt": "go"})
		require.NoError(t, s.traces.ConsumeTraces(t.Context(), td))
		s.stop(t)
		assert.Len(t, s.spans()["workflow.run"], 1)
		assert.EqualValues(t, 1, s.spans()["session.summary"][0].Attributes().AsRaw()["mcp.summary.turns"])
	})
}

// TestSpansAfterTheEnd: an agent that sends its spans when it exits repeats what its hooks told
// before; the spans name those that left.
func TestSpansAfterTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSetup(t, settings(), nil)
		s.start(t)
		began := time.Now().UnixNano()
		use := event.ToolUse{ID: `"t1"`, Tool: `"Bash"`}
		s.hook(t, nil, func(a event.SelfReport) event.Event { return &event.ToolStarted{SelfReport: a, Use: use} })
		time.Sleep(time.Second)
		s.hook(t, nil, func(a event.SelfReport) event.Event { return &event.ToolEnded{SelfReport: a, Use: use} })
		s.hook(t, nil, func(a event.SelfReport) event.Event { return &event.SessionEnded{SelfReport: a} })
		td := ptrace.NewTraces()
		span(td, "agent", 1, began, began+1e9, map[string]any{"session": "s", "what": "tool", "tool": "Bash", "id": "t1"})
		span(td, "agent", 2, began, began+1e9, map[string]any{"session": "s", "what": "tool", "tool": "Bash", "id": "t2"})
		require.NoError(t, s.traces.ConsumeTraces(t.Context(), td))
		s.stop(t)
		spans := s.spans()
		require.Len(t, spans["tool.call"], 1)
		require.Len(t, spans["native"], 2)
		assert.Equal(t, spans["tool.call"][0].SpanID().String(), spans["native"][0].Attributes().AsRaw()["mcp.duplicate_of"])
		assert.NotContains(t, spans["native"][1].Attributes().AsRaw(), "mcp.duplicate_of")
	})
}

// Turns are held for what comes behind them, but not very many: each report looks
// through all that are.
func TestVeryManyTurnsAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSetup(t, settings(), nil)
		s.start(t)
		const turns = 500
		ld := plog.NewLogs()
		began := time.Now().UnixNano()
		for i := range int64(turns) {
			record(ld, "agent", began+i*int64(time.Minute)/turns, map[string]any{"session": "s", "what": "prompt", "prompt": "go", "turn": strconv.FormatInt(i, 10)})
		}
		require.NoError(t, s.logs.ConsumeLogs(t.Context(), ld))
		left := s.spans()["agent.turn"]
		require.Len(t, left, turns-store.NestedMax-1, "but the open one and those that are held")
		for i, turn := range left {
			require.EqualValues(t, i+1, turn.Attributes().AsRaw()["mcp.turn.index"], "the oldest first")
		}
		s.stop(t)
		assert.Len(t, s.spans()["agent.turn"], turns)
		assert.EqualValues(t, turns, s.spans()["workflow.run"][0].Attributes().AsRaw()["mcp.summary.turns"])
	})
}

// A request that nobody waits for any more is not worked off.
func TestRequestGivenUp(t *testing.T) {
	s := newSetup(t, settings(), nil)
	s.start(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	ld, td := plog.NewLogs(), ptrace.NewTraces()
	record(ld, "agent", 1, map[string]any{"session": "s", "what": "prompt"})
	span(td, "agent", 1, 1, 2, map[string]any{"session": "s", "what": "turn"})
	require.ErrorIs(t, s.logs.ConsumeLogs(ctx, ld), context.Canceled)
	require.ErrorIs(t, s.traces.ConsumeTraces(ctx, td), context.Canceled)
	s.stop(t)
	assert.Empty(t, s.spans())
}

// Spans that an agent announces may never come: they are waited for once.
func TestAnnouncedSpansThatNeverCome(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSetup(t, settings(), nil)
		s.start(t)
		sources := []string{mcpconv.SourceHooks, mcpconv.SourceSpans}
		call := func(id string) {
			use := event.ToolUse{ID: event.JSON(`"` + id + `"`), Tool: `"Bash"`}
			s.hook(t, sources, func(a event.SelfReport) event.Event { return &event.ToolStarted{SelfReport: a, Use: use} })
			s.hook(t, sources, func(a event.SelfReport) event.Event { return &event.ToolEnded{SelfReport: a, Use: use} })
		}
		s.hook(t, sources, func(a event.SelfReport) event.Event { return &event.PromptSubmitted{SelfReport: a, Prompt: `"go"`} })
		call("t1")
		assert.Empty(t, s.spans()["tool.call"], "the agent's own may come")
		time.Sleep(11 * time.Second)
		synctest.Wait()
		require.Len(t, s.spans()["tool.call"], 1)
		call("t2")
		require.Len(t, s.spans()["tool.call"], 2, "nobody waits any more")
		s.hook(t, sources, func(a event.SelfReport) event.Event { return &event.TurnEnded{SelfReport: a} })
		spans := s.spans()
		require.Len(t, spans["agent.turn"], 1)
		for _, tool := range spans["tool.call"] {
			assert.Equal(t, spans["agent.turn"][0].SpanID(), tool.ParentSpanID())
		}
		s.hook(t, sources, func(a event.SelfReport) event.Event { return &event.SessionEnded{SelfReport: a} })
		assert.Len(t, s.spans()["workflow.run"], 1)
		s.stop(t)
	})
}

// Those that come after all are the session's from then on.
func TestAnnouncedSpansThatComeLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSetup(t, settings(), nil)
		s.start(t)
		sources := []string{mcpconv.SourceHooks, mcpconv.SourceSpans}
		use := event.ToolUse{ID: `"t1"`, Tool: `"Bash"`}
		began := time.Now().UnixNano()
		s.hook(t, sources, func(a event.SelfReport) event.Event { return &event.ToolStarted{SelfReport: a, Use: use} })
		s.hook(t, sources, func(a event.SelfReport) event.Event { return &event.ToolEnded{SelfReport: a, Use: use} })
		time.Sleep(11 * time.Second)
		use.ID = `"t2"`
		s.hook(t, sources, func(a event.SelfReport) event.Event { return &event.ToolStarted{SelfReport: a, Use: use} })
		td := ptrace.NewTraces()
		now := time.Now().UnixNano()
		span(td, "agent", 1, began, began+1, map[string]any{"session": "s", "what": "tool", "tool": "Bash", "id": "t1"})
		span(td, "agent", 2, now, now+1, map[string]any{"session": "s", "what": "tool", "tool": "Bash", "id": "t2"})
		require.NoError(t, s.traces.ConsumeTraces(t.Context(), td))
		s.hook(t, sources, func(a event.SelfReport) event.Event { return &event.ToolEnded{SelfReport: a, Use: use} })
		s.stop(t)
		spans := s.spans()
		require.Len(t, spans["tool.call"], 1)
		require.Len(t, spans["native"], 2)
		assert.Equal(t, spans["tool.call"][0].SpanID().String(), spans["native"][0].Attributes().AsRaw()["mcp.duplicate_of"])
		assert.NotContains(t, spans["native"][1].Attributes().AsRaw(), "mcp.duplicate_of")
		assert.EqualValues(t, 2, spans["session.summary"][0].Attributes().AsRaw()["mcp.summary.tool_calls"])
	})
}

// What hooks and log records report of one call is one span. That of a better source
// leaves at once where it is known that none is better.
func TestHooksBeforeLogs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSetup(t, settings(), nil)
		s.start(t)
		sources := []string{mcpconv.SourceHooks, mcpconv.SourceLogs}
		use := event.ToolUse{ID: `"t1"`, Tool: `"mcp__srv__add"`, Server: "srv"}
		s.hook(t, sources, func(a event.SelfReport) event.Event { return &event.ToolStarted{SelfReport: a, Use: use} })
		time.Sleep(time.Second)
		ld := plog.NewLogs()
		record(ld, "agent", time.Now().UnixNano(), map[string]any{
			"session": "s", "what": "allowed", "tool": "mcp__srv__add", "id": "t1", "decision": "accept",
		})
		require.NoError(t, s.logs.ConsumeLogs(t.Context(), ld))
		s.hook(t, sources, func(a event.SelfReport) event.Event { return &event.ToolEnded{SelfReport: a, Use: use} })
		require.Len(t, s.spans()["tool.call"], 1)
		call := s.spans()["tool.call"][0].Attributes().AsRaw()
		assert.Equal(t, "accept", call["mcp.tool.decision"])
		assert.Equal(t, "add", call["mcp.tool.name"])
		assert.Equal(t, "srv", call["mcp.server.name"])
		late := plog.NewLogs()
		record(late, "agent", time.Now().UnixNano(), map[string]any{"session": "s", "what": "tool", "tool": "mcp__srv__add", "id": "t1"})
		require.NoError(t, s.logs.ConsumeLogs(t.Context(), late))
		s.stop(t)
		assert.Len(t, s.spans()["tool.call"], 1)
		assert.EqualValues(t, 1, s.spans()["session.summary"][0].Attributes().AsRaw()["mcp.summary.tool_calls"])
	})
}

// What cannot be does not spoil the totals.
func TestReportsThatCannotBe(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSetup(t, settings(), nil)
		s.start(t)
		now := time.Now().UnixNano()
		ld := plog.NewLogs()
		record(ld, "agent", now, map[string]any{"session": "s", "what": "model", "id": "m1", "in": int64(math.MaxInt64), "cost": math.NaN()})
		record(ld, "agent", now, map[string]any{"session": "s", "what": "model", "id": "m2", "in": int64(math.MaxInt64), "cost": -1.0, "start": int64(math.MinInt64)})
		record(ld, "agent", now, map[string]any{"session": "s", "what": "tool", "id": "t1", "start": now + int64(time.Hour)})
		record(ld, "agent", now, map[string]any{"session": strings.Repeat("s", 5000), "what": "tool", "id": "t1"})
		require.NoError(t, s.logs.ConsumeLogs(t.Context(), ld))
		s.stop(t)
		root := s.spans()["workflow.run"][0]
		assert.EqualValues(t, 2*math.MaxUint32, root.Attributes().AsRaw()["mcp.summary.input_tokens"])
		assert.NotContains(t, root.Attributes().AsRaw(), "mcp.summary.cost_usd")
		assert.EqualValues(t, now, root.StartTimestamp())
	})
}
