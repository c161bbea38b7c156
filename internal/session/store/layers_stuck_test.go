package store_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session/store"
)

// A call that hangs in both layers is reported as stuck once: as the one on the wire, which
// knows the server. Where only one of them is open, it is that one.
func TestTwoLayersAreStuckOnce(t *testing.T) {
	for steps, stuck := range map[string]string{
		"agent, wire": "1", "agent, wire below": "1", "wire, agent": "1", "agent": `"t1"`, "wire": "1", "agent, wire, wire ok": `"t1"`,
	} {
		t.Run(steps, func(t *testing.T) {
			opt := testOptions()
			opt.StuckAfter, opt.CallTimeout, opt.IdleTimeout = 100*time.Second, time.Hour, 10*time.Hour
			l := &layered{T: t, engine: session.New(opt), now: 1000 * second, link: byID}
			for what := range strings.SplitSeq(steps, ", ") {
				l.now += 60 * second
				l.step(what)
			}
			last, sum := l.now, newStory(l.engine)
			for range 40 {
				l.now += 10 * second
				told, _ := sweep(l.engine, l.now, true)
				sum.silences = append(sum.silences, told.silences...)
				sum.lines = append(sum.lines, told.lines...)
			}
			require.Len(t, sum.silences, 1, "%v", sum.lines)
			assert.Equal(t, mcpconv.SpanCallStuck, sum.silences[0].what)
			assert.Equal(t, stuck, sum.silences[0].about.(*store.CallRecord).Key.ID)
			assert.EqualValues(t, 1, l.summary().Errors)
			if steps == "agent, wire" {
				l.step("wire fails")
				l.step("agent fails")
				l.step("later")
				assert.EqualValues(t, 2, l.summary().Errors, "that it hung, and that it failed")
			}
			if steps == "agent, wire, wire ok" {
				assert.Contains(t, sum.lines[0], fmt.Sprintf("at %d after", last+100*second), "of the time since the answer")
			}
		})
	}
}

// An agent's call that was stuck before its message was sent moves again by that: what comes
// next is another alarm. That it then fails in both layers is one more error.
func TestTwoLayersMoveTogether(t *testing.T) {
	opt := testOptions()
	opt.StuckAfter, opt.CallTimeout, opt.IdleTimeout = 100*time.Second, time.Hour, 10*time.Hour
	l := &layered{T: t, engine: session.New(opt), now: 1000 * second, link: byID}
	sum := newStory(l.engine)
	late := func() {
		l.now += 150 * second
		told, _ := sweep(l.engine, l.now, true)
		sum.silences = append(sum.silences, told.silences...)
	}
	for _, what := range []string{"agent", "wire"} {
		l.step(what)
		late()
		late()
	}
	assert.EqualValues(t, 2, l.summary().Errors, "stuck before the message was sent, and then after")
	require.Len(t, sum.silences, 2)
	l.step("wire fails")
	l.step("agent fails")
	l.step("later")
	assert.EqualValues(t, 3, l.summary().Errors)
	assert.EqualValues(t, 1, l.summary().ToolCalls)
}
