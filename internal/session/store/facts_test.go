package store_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session/store"
)

// agentCalls makes an agent report so many calls of a tool in the session.
func agentCalls(t *testing.T, e *session.Engine, name string, n int, now int64) {
	t.Helper()
	env := event.Envelope{Arrival: now, Time: now, Session: name, Client: "agent", Direction: event.FromClient}
	commit(t, e, now, func(tx *session.Tx) error {
		for i := range n {
			started := &event.ToolStarted{Use: event.ToolUse{ID: event.JSON(`"` + string(rune('a'+i%26)) + string(rune('a'+i/26)) + `"`), Tool: `"Bash"`}}
			started.Source = event.Hook
			if err := tx.Apply(t.Context(), &env, started); err != nil {
				return err
			}
		}
		return nil
	})
}

func endAgent(t *testing.T, e *session.Engine, name string, now int64) {
	t.Helper()
	env := event.Envelope{Arrival: now, Time: now, Session: name, Client: "agent", Direction: event.FromClient}
	commit(t, e, now, func(tx *session.Tx) error {
		ended := &event.SessionEnded{}
		ended.Source = event.Hook
		return tx.Apply(t.Context(), &env, ended)
	})
}

// Facts are stored in parts; only those that changed are written.
func TestFactsAreStoredAsTheyChange(t *testing.T) {
	p, kept := newKeeping(t, testOptions()), shelf{}
	agentCalls(t, p.engine, "s", 300, second)
	kept.take(t, p.engine)
	agentCalls(t, p.engine, "s", 301, 2*second) // 300 repeats, one call and its time
	c, err := p.engine.Changes()
	require.NoError(t, err)
	kept.put(c)
	before := tableOf(p.engine).Session("s").AllTotals()
	p.restart(t, kept, 0, 3*second)
	assert.Equal(t, before, tableOf(p.engine).Session("s").AllTotals())
	agentCalls(t, p.engine, "s", 301, 2*second)
	assert.EqualValues(t, 301, tableOf(p.engine).Session("s").AllTotals().ToolCalls, "what is known is a repeat after a restart too")
}

// A part that is lost or damaged costs the facts of its session, and nothing else.
func TestDamagedFactsAreGone(t *testing.T) {
	p, kept := newKeeping(t, testOptions()), shelf{}
	agentCalls(t, p.engine, "s", 3, second)
	kept.take(t, p.engine)
	for slot, data := range kept {
		var v store.RecordData
		require.NoError(t, v.Unmarshal(data))
		if v.Part != nil {
			v.Part.Accounts = v.Part.Accounts[:len(v.Part.Accounts)-1]
			kept[slot] = encode(t, v)
		}
	}
	e := session.New(testOptions())
	r, err := e.Restore(kept.records, 0, second)
	require.NoError(t, err)
	require.Error(t, r.Err)
	assert.Equal(t, 1, r.Sessions)
}

// The facts of a session that has ended are forgotten first if too much is held; what they
// counted stays, and goes into the next epoch.
func TestFactsOfEndedSessionsAreForgotten(t *testing.T) {
	opt := testOptions()
	opt.MaxOpenBytes = 9_000
	p, kept := newKeeping(t, opt), shelf{}
	agentCalls(t, p.engine, "s", 5, second)
	endAgent(t, p.engine, "s", 2*second)
	s := tableOf(p.engine).Session("s")
	require.NotNil(t, s.Facts)
	agentCalls(t, p.engine, "other", 60, 3*second)
	s = tableOf(p.engine).Session("s")
	require.Nil(t, s.Facts)
	assert.EqualValues(t, 5, s.AllTotals().ToolCalls)
	sound(t, p.engine)
	p.restart(t, kept, 0, 4*second)
	agentCalls(t, p.engine, "s", 2, 5*second)
	s = tableOf(p.engine).Session("s")
	assert.EqualValues(t, 2, s.Number)
	assert.EqualValues(t, 7, s.AllTotals().ToolCalls)
	assert.EqualValues(t, 2, s.Totals().ToolCalls, "of the epoch")
}
