package session

import (
	"fmt"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
)

// toolReport returns a hook's report of the beginning of a call, or of its end.
func toolReport(ended bool, id string) event.Event {
	a := event.SelfReport{Notice: event.Notice{Source: event.Hook}}
	use := event.ToolUse{ID: event.JSON(id), Tool: `"Bash"`, Input: `{"command":"ls"}`}
	if ended {
		return &event.ToolEnded{SelfReport: a, Use: use}
	}
	return &event.ToolStarted{SelfReport: a, Use: use}
}

// A call that was opened by a transaction that was taken back is not found any more, and one
// that was closed by it is.
func TestCallsAreFoundAfterARollback(t *testing.T) {
	e := openEngine()
	report := func(commit bool, at int64, report event.Event) (ended int) {
		sink := &heard{}
		tx := e.Begin(at, sink, nil)
		require.NoError(t, tx.Apply(t.Context(), envelope(at), report))
		if commit {
			tx.Commit()
		} else {
			tx.Rollback()
		}
		for _, name := range sink.names {
			if name == "call ended tools/call" {
				ended++
			}
		}
		return ended
	}
	report(false, second, toolReport(false, `"a"`))
	require.Zero(t, e.Sizes().Calls)
	report(true, second, toolReport(false, `"a"`))
	require.Equal(t, 1, report(false, 2*second, toolReport(true, `"a"`)))
	require.Equal(t, 1, e.Sizes().Calls)
	require.Equal(t, 1, report(true, 2*second, toolReport(true, `"a"`)))
	require.Zero(t, e.Sizes().Calls)
}

// What one report costs does not depend on how many calls are open.
func BenchmarkReportsAmongOpenCalls(b *testing.B) {
	for _, open := range []int{10, 10000} {
		b.Run(strconv.Itoa(open), func(b *testing.B) {
			e := openEngine()
			apply := func(at int64, report event.Event) {
				tx := e.Begin(at, &heard{}, nil)
				if err := tx.Apply(b.Context(), envelope(at), report); err != nil {
					b.Fatal(err)
				}
				tx.Commit()
			}
			for i := range open {
				apply(second+int64(i), toolReport(false, fmt.Sprintf(`"o%d"`, i)))
			}
			for i := 0; b.Loop(); i++ {
				id := fmt.Sprintf(`"c%d"`, i)
				apply(2*second+int64(2*i), toolReport(false, id))
				apply(2*second+int64(2*i+1), toolReport(true, id))
			}
		})
	}
}

// openEngine is one with room for many calls, which holds none that has ended.
func openEngine() *Engine {
	e := New(Options{
		IdleTimeout: 1 << 50, Linger: 1 << 50, MaxSessions: 10, Remember: 1 << 50, MaxSpans: 1 << 30, CallTimeout: 1 << 50, MaxOpenCalls: 1 << 30,
		MaxOpenBytes: 1 << 40, ProgressEvents: 4, TextBytes: 16, StuckAfter: 1 << 50, StalledAfter: 1 << 50,
		NoticesPerSecond: 2, MaxPending: 10, Lost: func(string) {},
	})
	e.SetAgents(&AgentOptions{})
	return e
}
