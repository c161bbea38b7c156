package mcpreceiver

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonscan"
	"github.com/otelcol-mcp/otelcol-mcp/internal/protocol/jsonrpc"
	"github.com/otelcol-mcp/otelcol-mcp/internal/protocol/mcp"
	"github.com/otelcol-mcp/otelcol-mcp/internal/telemetry"
	"github.com/otelcol-mcp/otelcol-mcp/receiver/mcpreceiver/internal/intake/push"
)

// jumps are what clocks do when somebody sets them, or a machine wakes up.
var jumps = []time.Duration{time.Hour, -time.Hour, 24 * time.Hour, -24 * time.Hour}

// alarms are what the sweeper may report of what does not move.
var alarms = []string{"mcp.host.stalled", "mcp.call.stuck"}

// The clock of a sender jumps while a host works and calls are open: timers go by
// arrival, so nothing is reported, nothing ends before it starts, and all of it
// stays one trace.
func TestTheClockOfASenderJumps(t *testing.T) {
	for _, jump := range jumps {
		t.Run(jump.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newShuffled(t, rand.New(rand.NewPCG(0, 0)))
				var offset time.Duration
				say := func(message string) {
					line := fmt.Sprintf(`{"session":"s","host":"h","time":%q,"message":%s}`, time.Now().Add(offset).Format(time.RFC3339Nano), message)
					s.tell(t, said{push.ObservationsPath, "application/x-ndjson", nil, line})
				}
				for i := range 20 {
					if i == 10 {
						offset = jump
					}
					say(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/host.heartbeat","params":{"phase":"working","tokens_used":%d}}`, i))
					if i > 0 {
						say(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"content":[]}}`, i-1))
					}
					say(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"n-%[1]d"}}`, i))
					time.Sleep(30 * time.Second) // virtual
				}
				s.r.sessions.Checkpoint = nil // now it ends
				require.NoError(t, s.r.Shutdown(t.Context()))
				s.checkClock(t)
			})
		})
	}
}

// checkClock wants 20 calls in one trace, of which the last was open in the end.
func (s *shuffled) checkClock(t *testing.T) {
	traces, calls, roots := map[string]bool{}, map[string]ptrace.Span{}, map[string]int{}
	for _, span := range spansOf(s.sink.traces) {
		assert.GreaterOrEqual(t, span.EndTimestamp(), span.StartTimestamp(), span.Name())
		assert.NotContains(t, alarms, span.Name())
		switch span.Name() {
		case "tool.call":
			tool, _ := span.Attributes().Get("mcp.tool.name")
			calls[tool.Str()] = span
			traces[span.TraceID().String()] = true
			_, incomplete := span.Attributes().Get("mcp.span.incomplete")
			assert.Equal(t, strings.HasSuffix(tool.Str(), "-19"), incomplete, tool.Str())
		case "workflow.run":
			roots[span.TraceID().String()]++
		}
	}
	assert.Len(t, calls, 20)
	assert.Len(t, traces, 1)
	for trace, n := range roots {
		assert.Equal(t, 1, n, "roots of %s", trace)
	}
}

// set is a receiver whose own clock a test sets. It has no sweeper: the test
// sweeps.
type set struct {
	r    *mcpReceiver
	sink *refusingSink
	now  time.Time
}

func (c *set) say(t *testing.T, message string) {
	t.Helper()
	var items jsonscan.Items
	var item jsonrpc.Item
	var decoder mcp.Decoder
	items.Reset([]byte(message))
	require.True(t, items.Next())
	require.NoError(t, items.Done(item.Decode(items.Cursor())))
	now := c.now.UnixNano()
	env := &event.Envelope{Arrival: now, Time: now, Session: "s", Host: "h"}
	batch := telemetry.NewBatch(c.r.runner.Build, now)
	tx := c.r.runner.Engine.Begin(now, batch, nil)
	require.NoError(t, decoder.Message(t.Context(), tx, env, &item.Message))
	tx.Finish()
	c.take(t, batch)
	tx.Commit()
}

func (c *set) sweep(t *testing.T) {
	t.Helper()
	batch := telemetry.NewBatch(c.r.runner.Build, c.now.UnixNano())
	tx, found := c.r.runner.Engine.Sweep(batch, c.now)
	if !found {
		tx.Rollback()
		return
	}
	c.take(t, batch)
	tx.Commit()
}

func (c *set) take(t *testing.T, batch *telemetry.Batch) {
	t.Helper()
	traces, _ := batch.Traces()
	require.NoError(t, c.sink.ConsumeTraces(t.Context(), traces))
}

// The receiver's own clock is set back while a host works and calls are open:
// nothing is reported, nothing ends before it starts, and all of it stays one
// trace.
func TestTheOwnClockIsSetBack(t *testing.T) {
	for _, jump := range []time.Duration{-time.Hour, -24 * time.Hour} {
		t.Run(jump.String(), func(t *testing.T) {
			sink := &refusingSink{traces: ptrace.NewTraces(), logs: plog.NewLogs()}
			c := &set{r: assemble(t, quiet(), sink), sink: sink, now: time.Date(2026, 2, 19, 16, 0, 0, 0, time.UTC)}
			for i := range 20 {
				if i == 10 {
					c.now = c.now.Add(jump)
				}
				c.sweep(t)
				c.say(t, fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/host.heartbeat","params":{"phase":"working","tokens_used":%d}}`, i))
				if i > 0 {
					c.say(t, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"content":[]}}`, i-1))
				}
				c.say(t, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"n-%[1]d"}}`, i))
				c.now = c.now.Add(30 * time.Second)
				c.sweep(t)
			}
			batch := telemetry.NewBatch(c.r.runner.Build, c.now.UnixNano())
			tx, _ := c.r.runner.Engine.Drain(batch, c.now)
			c.take(t, batch)
			tx.Commit()
			(&shuffled{sink: sink}).checkClock(t)
		})
	}
}
