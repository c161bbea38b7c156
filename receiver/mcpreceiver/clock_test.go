package mcpreceiver

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/receiver/mcpreceiver/internal/intake/push"
)

// jumps are the changes of a clock when it is set, or a machine wakes up.
var jumps = []time.Duration{time.Hour, -time.Hour, 24 * time.Hour, -24 * time.Hour}

// alarms are the reports of the sweeper on what does not move.
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

// The receiver's own clock is set while a host works and calls are open: timers go
// by what has passed, so nothing is reported, nothing ends before it starts, and all
// of it stays one trace, with the same ids whatever the clock did.
func TestTheOwnClockJumps(t *testing.T) {
	for _, jump := range jumps {
		t.Run(jump.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newShuffled(t, rand.New(rand.NewPCG(0, 0)))
				var offset atomic.Int64
				s.r.runner.Wall = func() time.Time { return time.Now().Add(time.Duration(offset.Load())) }
				say := func(message string) {
					s.tell(t, said{push.ObservationsPath, "application/x-ndjson", nil, `{"session":"s","host":"h","message":` + message + `}`})
				}
				for i := range 20 {
					if i == 10 {
						offset.Store(int64(jump))
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

// A host and a call that stop while the clock is set are reported when they are due,
// not earlier and not later.
func TestAlarmsWhileTheOwnClockJumps(t *testing.T) {
	for _, jump := range jumps {
		t.Run(jump.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newShuffled(t, rand.New(rand.NewPCG(0, 0)))
				var offset atomic.Int64
				s.r.runner.Wall = func() time.Time { return time.Now().Add(time.Duration(offset.Load())) }
				for _, message := range []string{
					`{"jsonrpc":"2.0","method":"notifications/host.heartbeat","params":{"phase":"working"}}`,
				} {
					s.tell(t, said{push.ObservationsPath, "application/x-ndjson", nil, `{"session":"s","message":` + message + `}`})
				}
				s.tell(t, said{push.ObservationsPath, "application/x-ndjson", nil, `{"session":"t","message":{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"n"}}}`})
				time.Sleep(time.Minute) // virtual
				offset.Store(int64(jump))
				time.Sleep(59 * time.Second)
				synctest.Wait()
				assert.Zero(t, s.sink.count("mcp.call.stuck"))
				time.Sleep(2 * time.Second)
				synctest.Wait()
				assert.Equal(t, 1, s.sink.count("mcp.call.stuck"))
				time.Sleep(58 * time.Second)
				synctest.Wait()
				assert.Zero(t, s.sink.count("mcp.host.stalled"))
				time.Sleep(2 * time.Second)
				synctest.Wait()
				assert.Equal(t, 1, s.sink.count("mcp.host.stalled"))
				require.NoError(t, s.r.Shutdown(t.Context()))
			})
		})
	}
}
