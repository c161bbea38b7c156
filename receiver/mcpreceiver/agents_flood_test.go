package mcpreceiver

import (
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
)

// flood sends n records of one event in requests of 1,000, and calls check after each.
func flood(t *testing.T, s *setup, n int, fill func(i int, m pcommon.Map), check func()) {
	t.Helper()
	const atOnce = 1000
	now := time.Now().UnixNano()
	for first := 0; first < n; first += atOnce {
		ld := plog.NewLogs()
		sl := ld.ResourceLogs().AppendEmpty().ScopeLogs().AppendEmpty()
		sl.Scope().SetName("com.anthropic.claude_code.events")
		for i := first; i < first+atOnce; i++ {
			lr := sl.LogRecords().AppendEmpty()
			lr.SetTimestamp(pcommon.Timestamp(now + int64(i)))
			fill(i, lr.Attributes())
		}
		require.NoError(t, s.logs.ConsumeLogs(t.Context(), ld))
		check()
	}
}

// discard lets the pipelines keep nothing.
func (s *setup) discard() {
	s.c.runner.Traces, s.c.runner.Logs = consumertest.NewNop(), consumertest.NewNop()
}

// many returns how much of something a flood is: all with FLOOD=1, which takes minutes.
func many(n, all int) int {
	if os.Getenv("FLOOD") != "" {
		return all
	}
	return n
}

// 100,000 sessions: what is too many ends behind the requests, and at twice as many as are
// allowed within them.
func TestFloodOfSessions(t *testing.T) {
	s := newSetupOf(t, settings(), func(cfg *Config) { cfg.Session.MaxSessions = 2000 }, newDecoder)
	s.discard()
	s.start(t)
	flood(t, s, many(10_000, 100_000), func(i int, m pcommon.Map) {
		m.PutStr("event.name", "user_prompt")
		m.PutStr("session.id", "s-"+strconv.Itoa(i))
		m.PutStr("prompt", "go")
	}, func() {
		assert.LessOrEqual(t, s.c.runner.Engine.Sizes().Sessions, 2*2000+1000)
	})
	s.stop(t)
}

// A million calls that never end, of few sessions, are bounded likewise.
func TestFloodOfCalls(t *testing.T) {
	s := newSetupOf(t, settings(), func(cfg *Config) { cfg.Call.MaxOpen = 5000 }, newDecoder)
	s.discard()
	s.start(t)
	flood(t, s, many(20_000, 1_000_000), func(i int, m pcommon.Map) {
		m.PutStr("event.name", "tool_decision")
		m.PutStr("session.id", "s-"+strconv.Itoa(i%10))
		m.PutStr("tool_name", "Bash")
		m.PutStr("tool_use_id", "toolu_"+strconv.Itoa(i))
		m.PutStr("decision", "accept")
		m.PutStr("source", "config")
	}, func() {
		assert.LessOrEqual(t, s.c.runner.Engine.Sizes().Calls, 2*5000+1000)
	})
	s.stop(t)
}
