package store_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/identity"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session"
)

// An agent sends its own spans in batches: those of many calls come after what was seen of
// them on the wire.
func TestBatchesOfSpansAreWhatWasSeenOnTheWire(t *testing.T) {
	const calls = 100
	opt := testOptions()
	opt.MaxSpans = 10 * calls
	l := &layered{T: t, engine: session.New(opt), now: 1000 * second}
	began := map[byte]int64{}
	report := func(i byte) {
		e := &event.ToolEnded{Use: event.ToolUse{ID: event.JSON(fmt.Sprintf(`"t%d"`, i)), Tool: `"read"`}, Failed: true}
		e.Source = event.AgentSpan
		e.Native = event.Native{Trace: identity.TraceID{7}, Span: identity.SpanID{8, i}, Start: began[i], End: began[i] + 2*second}
		l.apply(e)
	}
	began[calls] = l.now - 2*second
	report(calls) // the agent is known
	for i := range byte(calls) {
		l.link = fmt.Sprintf(`"traceparent":"00-07000000000000000000000000000000-08%02x000000000000-01"`, i)
		began[i] = l.now
		l.step("wire")
		l.step("wire fails")
	}
	for i := range byte(calls) {
		report(i)
	}
	assert.EqualValues(t, calls+1, l.summary().ToolCalls)
	assert.EqualValues(t, calls+1, l.summary().Errors)
}

// What an ACP agent reports of a call that is over opens none, with a trace context or
// without: as many are remembered.
func TestUpdatesOfCallsThatAreOver(t *testing.T) {
	for _, meta := range []string{"", `,"_meta":{"traceparent":"00-07000000000000000000000000000000-0800000000000000-01"}`} {
		e := session.New(testOptions())
		now := 1000 * second
		say := func(text string, dir event.Direction) {
			now += second
			env := event.Envelope{Arrival: now, Time: now, Session: "a", Connection: "c", Direction: dir, ACP: true}
			commit(t, e, now, func(tx *session.Tx) error { return message(context.Background(), tx, &env, parse(t, text)) })
		}
		say(`{"jsonrpc":"2.0","id":1,"method":"session/prompt","params":{"sessionId":"a","prompt":[]}}`, event.FromClient)
		update := func(i int, status string) {
			say(fmt.Sprintf(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"a","update":{"sessionUpdate":"tool_call_update",`+
				`"toolCallId":"t%d","title":"read %d","kind":"read","status":%q}%s}}`, i, i, status, meta), event.FromServer)
		}
		const calls = 30
		for i := range calls {
			update(i, "in_progress")
			update(i, "failed")
		}
		update(0, "in_progress")
		s := tableOf(e).Session("a")
		assert.EqualValues(t, calls, s.AllTotals().ToolCalls)
		assert.Equal(t, 1, s.OpenCalls(), "the prompt")
		update(0, "failed")
		assert.EqualValues(t, calls, s.AllTotals().ToolCalls)
	}
}

// Nothing tells that an agent stands behind a session until it reports something: until
// then little is kept for it.
func TestSessionsWithoutAnAgentRememberLittle(t *testing.T) {
	l := &layered{T: t, engine: session.New(testOptions()), now: 1000 * second}
	for i := range 200 {
		l.link = fmt.Sprintf(`"traceparent":"00-07000000000000000000000000000000-08%02x000000000000-01"`, i)
		l.step("wire")
		l.step("wire fails")
	}
	s := tableOf(l.engine).Session("s")
	assert.Nil(t, s.Finished)
	assert.LessOrEqual(t, s.Facts.Bytes(), int64(40_000))
}
