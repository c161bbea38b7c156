package daily

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

func TestKinds(t *testing.T) {
	const foreign = "opentelemetry.instrumentation.mcp"
	for _, c := range []struct {
		scope, name, key string
		parent           bool
		lasts            bool
		want             Kind
	}{
		{scope: mcpconv.ReceiverScope, name: "notifications/events/event", key: "mcp.event.id", want: Events},
		{scope: foreign, name: "notifications/events/terminated", want: Events},
		{scope: mcpconv.ReceiverScope, name: "log", key: "mcp.log.scope", want: Logs},
		{scope: mcpconv.ReceiverScope, name: "notifications/message", want: Logs},
		{scope: mcpconv.ReceiverScope, name: "notifications/host.heartbeat", want: Messages},
		{scope: mcpconv.ReceiverScope, name: "tool.call", lasts: true, want: Messages},
		{scope: mcpconv.ReceiverScope, name: "tool.call", lasts: true, parent: true, want: None},
		{scope: foreign, name: "notifications/tools/list_changed", want: Messages},
		{scope: foreign, name: "notifications/tools/list_changed", lasts: true, want: None},
		{scope: foreign, name: "tools/call echo", lasts: true, want: None},
		{scope: foreign, name: "chat", key: "gen_ai.operation.name", lasts: true, want: None},
	} {
		s := ptrace.NewSpan()
		s.SetName(c.name)
		s.SetStartTimestamp(1)
		s.SetEndTimestamp(2) // no duration
		if c.lasts {
			s.SetEndTimestamp(9)
		}
		if c.parent {
			s.SetParentSpanID(pcommon.SpanID{1})
		}
		if c.key != "" {
			s.Attributes().PutStr(c.key, "x")
		}
		assert.Equal(t, c.want, KindOf(c.scope, s), "%+v", c)
	}
}

func TestADayEndsInUTC(t *testing.T) {
	now := time.Date(2026, 2, 19, 23, 59, 59, 0, time.UTC)
	b := New(func() time.Time { return now.In(time.FixedZone("", 3600)) })
	assert.Equal(t, "events_2026-02-19", b.Add(Events, true))
	assert.Equal(t, "logs_2026-02-19", b.Add(Logs, false))
	version := b.Version()
	now = now.Add(time.Second)
	assert.Equal(t, "events_2026-02-20", b.Add(Events, false))
	var ids []string
	for _, row := range b.List() {
		assert.True(t, IsID(row.ID))
		ids = append(ids, row.ID)
	}
	assert.Equal(t, []string{"events_2026-02-20", "events_2026-02-19", "logs_2026-02-19"}, ids)
	changed, upTo := b.Changes(version)
	assert.Len(t, changed, 1)
	assert.Contains(t, string(changed[0]), `"items":1,"errors":0`)
	changed, _ = b.Changes(upTo)
	assert.Empty(t, changed)
}

func TestAnEarlierRunIsAdded(t *testing.T) {
	now := time.Date(2026, 2, 19, 12, 0, 0, 0, time.UTC)
	b := New(func() time.Time { return now })
	b.Add(Events, true)
	b.Grown("events_2026-02-19", 70, 3)
	b.Restore("events_2026-02-19", 10, 2, 50, 3, now.Add(-time.Hour))
	b.Restore("s-1", 10, 2, 50, 3, now)
	rows := b.List()
	assert.Len(t, rows, 1)
	assert.Equal(t, []int64{11, 3, 70}, []int64{rows[0].Items, rows[0].Errors, rows[0].TraceBytes})
	assert.Equal(t, now, rows[0].LastSeen)
	b.Remove("events_2026-02-19")
	assert.Empty(t, b.List())
}

func TestNamesOfStreams(t *testing.T) {
	for _, id := range []string{"events", "events_2026-2-19", "Events_2026-02-19", "events_2026-02-19.chunk_1", "xevents_2026-02-19", "other_2026-02-19"} {
		assert.False(t, IsID(id), id)
	}
}
