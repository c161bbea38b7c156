package mcpreceiver

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.opentelemetry.io/collector/extension/xextension/storage"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
)

// disk is a storage, and the host that has it.
type disk struct {
	component.Host
	component.StartFunc
	component.ShutdownFunc
	storage.Client
	kept map[string][]byte
	full bool
}

func newDisk() *disk {
	return &disk{Host: componenttest.NewNopHost(), kept: map[string][]byte{}}
}

func (m *disk) GetExtensions() map[component.ID]component.Component {
	return map[component.ID]component.Component{storageID: m}
}

func (m *disk) GetClient(context.Context, component.Kind, component.ID, string) (storage.Client, error) {
	return m, nil
}

func (m *disk) Get(_ context.Context, key string) ([]byte, error) { return m.kept[key], nil }

func (m *disk) Batch(_ context.Context, ops ...*storage.Operation) error {
	for _, op := range ops {
		switch {
		case op.Type == storage.Get:
			op.Value = m.kept[op.Key]
		case m.full:
			return errors.New("no space is left")
		case op.Type == storage.Delete:
			delete(m.kept, op.Key)
		default:
			m.kept[op.Key] = append([]byte(nil), op.Value...)
		}
	}
	return nil
}

func (*disk) Close(context.Context) error { return nil }

var storageID = component.MustNewID("file_storage")

// synced is a running receiver that stores what is open before it answers.
func syncedOTLP(t *testing.T, host component.Host) *setup {
	s := newSetup(t, settings(), func(cfg *Config) {
		cfg.Storage, cfg.StorageSync, cfg.StorageInterval = &storageID, true, time.Hour
	})
	require.NoError(t, s.c.Start(t.Context(), host))
	t.Cleanup(func() { s.stop(t) })
	return s
}

// allowed is a log record by which a call begins.
func allowed(id string) plog.Logs {
	ld := plog.NewLogs()
	record(ld, "agent", time.Now().UnixNano(), map[string]any{"session": "s", "what": "allowed", "tool": "Bash", "id": id})
	return ld
}

// With storage_sync, what was answered is not lost by a kill, whatever brought it.
func TestSyncedTelemetrySurvivesAKill(t *testing.T) {
	host := newDisk()
	s := syncedOTLP(t, host)
	require.NoError(t, s.logs.ConsumeLogs(t.Context(), allowed("t1")))
	assert.Equal(t, 1, syncedOTLP(t, host).c.runner.Engine.Sizes().Calls, "nothing of the first was stopped")

	td := ptrace.NewTraces()
	now := time.Now().UnixNano()
	span(td, "agent", 1, now-1, now, map[string]any{"session": "other", "what": "prompt"})
	require.NoError(t, s.traces.ConsumeTraces(t.Context(), td))
	assert.Equal(t, s.c.runner.Engine.Sizes(), syncedOTLP(t, host).c.runner.Engine.Sizes())
}

// What cannot be stored was handed on already, and stays in disk. What follows
// is refused until the storage works again.
func TestOTLPSyncThatFails(t *testing.T) {
	host := newDisk()
	s := syncedOTLP(t, host)
	host.full = true
	require.NoError(t, s.logs.ConsumeLogs(t.Context(), allowed("t1")))
	err := s.logs.ConsumeLogs(t.Context(), allowed("t2"))
	require.ErrorContains(t, err, "no space is left")
	assert.False(t, consumererror.IsPermanent(err), "it can be sent again")
	assert.Equal(t, 1, s.c.runner.Engine.Sizes().Calls)

	host.full = false
	require.NoError(t, s.logs.ConsumeLogs(t.Context(), allowed("t3")))
	assert.Equal(t, 2, syncedOTLP(t, host).c.runner.Engine.Sizes().Calls)
}

// Whatever a sender repeats after restarts, before or after the session's end, counts once: in the session's totals and,
// over all runs, in the metrics.
func TestRepeatedAfterARestartCountsOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		host := newDisk()
		now := time.Now().UnixNano()
		used := map[string]any{"session": "s", "what": "model", "id": "m1", "start": now, "in": 10, "out": 2, "cost": 0.5}
		send := func(s *setup) {
			ld, td := plog.NewLogs(), ptrace.NewTraces()
			record(ld, "agent", now, map[string]any{"session": "s", "what": "prompt", "prompt": "go"})
			record(ld, "agent", now+1, used)
			record(ld, "agent", now+2, map[string]any{"session": "s", "what": "tool", "tool": "Bash", "id": "t1"})
			span(td, "agent", 1, now, now+1, used)
			require.NoError(t, s.logs.ConsumeLogs(t.Context(), ld))
			require.NoError(t, s.traces.ConsumeTraces(t.Context(), td))
			time.Sleep(30 * time.Second)
			synctest.Wait()
		}
		totals := map[string]float64{}
		run := func(do func(*setup)) map[string][]ptrace.Span {
			s := newSetup(t, settings(), func(cfg *Config) { cfg.Storage, cfg.StorageSync, cfg.StorageInterval = &storageID, true, time.Second })
			require.NoError(t, s.c.Start(t.Context(), host))
			do(s)
			s.stop(t)
			metrics := lastMetrics(s.metrics)
			for _, name := range []string{"mcp.session.tokens", "mcp.llm.cost"} {
				totals[name] += sumOf(metrics, name)
			}
			return s.spans()
		}
		run(send)
		ended := run(func(s *setup) {
			send(s)
			s.hook(t, nil, func(a event.SelfReport) event.Event { return &event.SessionEnded{SelfReport: a} })
			time.Sleep(time.Minute)
			synctest.Wait()
		})
		require.Len(t, ended["workflow.run"], 1)
		root := ended["workflow.run"][0].Attributes().AsRaw()
		assert.EqualValues(t, 10, root["mcp.summary.input_tokens"])
		assert.EqualValues(t, 1, root["mcp.summary.turns"])
		after := run(send)
		assert.Empty(t, after["workflow.run"], "no other session")
		assert.InDelta(t, 12, totals["mcp.session.tokens"], 0)
		assert.InDelta(t, 0.5, totals["mcp.llm.cost"], 1e-9)
	})
}
