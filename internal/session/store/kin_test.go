package store_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session"
)

// Which session started a sub-agent is known from when that is committed, after a
// restart too, and as long as the session is remembered.
func TestSessionsOfSubAgents(t *testing.T) {
	p, kept := newKeeping(t, testOptions()), shelf{}
	log := event.SelfReport{Notice: event.Notice{Source: event.AgentLog}}
	begin := func(now int64, in string, e event.Event) *session.Tx {
		tx := p.engine.Begin(now, p.told, nil)
		env := event.Envelope{Arrival: now, Time: now, Session: in, Direction: event.FromClient}
		require.NoError(t, tx.Apply(t.Context(), &env, e))
		assert.Equal(t, in, env.Session)
		return tx
	}
	use := func(id event.JSON) event.Event {
		return &event.ToolStarted{SelfReport: log, Use: event.ToolUse{ID: id, Tool: `"T"`}}
	}
	calls := func() int { return len(tableOf(p.engine).Session("parent").Calls) }
	spawned := &event.AgentStarted{SelfReport: log, Agent: event.SubAgent{ID: `"child"`}}
	begin(second, "parent", &event.PromptSubmitted{SelfReport: log}).Commit()

	begin(second, "parent", spawned).Rollback()
	tx := begin(second, "child", use(`"1"`))
	tx.Rollback()
	assert.Equal(t, 0, calls())
	sound(t, p.engine)

	begin(2*second, "parent", spawned).Commit()
	begin(3*second, "child", use(`"1"`)).Commit()
	assert.Equal(t, 1, calls())
	p.restart(t, kept, 0, 3*second)
	begin(4*second, "child", use(`"2"`)).Commit()
	assert.Equal(t, 2, calls())
	assert.Equal(t, session.Unknown, p.engine.State("child"))

	p.drain(5 * second)
	begin(6*second, "child", use(`"3"`)).Commit()
	assert.Equal(t, session.Unknown, p.engine.State("child"), "what comes late opens nothing")
	assert.Equal(t, session.Ended, p.engine.State("parent"))
	sound(t, p.engine)
}
