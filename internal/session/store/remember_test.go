package store_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session"
)

// A session keeps so many facts, and for so long after its end. Its totals stay.
func TestMemoryOfFacts(t *testing.T) {
	opt := testOptions()
	opt.MaxFacts, opt.Remember = 100, time.Hour
	l := &layered{T: t, engine: session.New(opt), now: 1000 * second}
	hook := event.SelfReport{Notice: event.Notice{Source: event.Hook}}
	for i := range 150 {
		use := event.ToolUse{ID: event.JSON(fmt.Sprintf(`"t%d"`, i)), Tool: `"Bash"`}
		l.now += second
		l.apply(&event.ToolStarted{SelfReport: hook, Use: use})
		l.apply(&event.ToolEnded{SelfReport: hook, Use: use})
	}
	assert.LessOrEqual(t, tableOf(l.engine).Session("s").Facts.Len(), 100)
	assert.EqualValues(t, 150, l.summary().ToolCalls)
	l.apply(&event.SessionEnded{SelfReport: hook})
	l.now += int64(10 * time.Minute)
	sweep(l.engine, l.now, true)
	require.False(t, tableOf(l.engine).Session("s").Open())
	for _, c := range []struct {
		after time.Duration
		kept  bool
	}{{30 * time.Minute, true}, {time.Hour, false}} {
		l.now += int64(c.after)
		env := event.Envelope{Arrival: l.now, Time: l.now, Session: "other", Connection: "c", Direction: event.FromClient}
		commit(t, l.engine, l.now, func(tx *session.Tx) error { return message(t.Context(), tx, &env, parse(t, callOne)) })
		assert.Equal(t, c.kept, tableOf(l.engine).Session("s").Facts != nil, c.after)
		assert.EqualValues(t, 150, l.summary().ToolCalls)
	}
}
