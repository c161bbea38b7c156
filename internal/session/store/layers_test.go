package store_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/identity"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session/store"
)

const (
	byID   = `"claudecode/toolUseId":"t1"`
	bySpan = `"traceparent":"00-07000000000000000000000000000000-0800000000000000-01"`
)

// layered is a session in which one call is told by its agent and seen on the wire.
type layered struct {
	*testing.T
	engine *session.Engine
	now    int64
	told   int    // calls that are measured
	link   string // what the call on the wire carries of the agent's
}

func (l *layered) apply(e event.Event) {
	env := event.Envelope{Arrival: l.now, Time: l.now, Session: "s", Client: "agent", Direction: event.FromClient}
	l.tell(commit(l.T, l.engine, l.now, func(tx *session.Tx) error { return tx.Apply(context.Background(), &env, e) }))
}

func (l *layered) tell(s *story, _ map[string]int64) { l.told += s.measured }

// step is what one of the two layers reports next.
func (l *layered) step(what string) {
	l.now += second
	use := event.ToolUse{ID: `"t1"`, Tool: `"mcp__files__read"`, Server: "files", Name: "read"}
	ended := &event.ToolEnded{Use: use, Failed: strings.HasSuffix(what, "fails"), Text: "it failed"}
	ended.Source = event.Hook
	switch what {
	case "agent":
		started := &event.ToolStarted{Use: use}
		started.Source = event.Hook
		l.apply(started)
	case "span ok", "span fails", "other span ok":
		ended.Source = event.AgentSpan
		ended.Native = event.Native{Trace: identity.TraceID{7}, Span: identity.SpanID{8}, Start: l.now - second/2, End: l.now}
		if what == "other span ok" { // of a tool that calls others
			ended.Use = event.ToolUse{ID: `"t2"`, Tool: `"run"`}
		}
		l.apply(ended)
	case "agent ok", "agent fails":
		l.apply(ended)
	case "refused":
		denied := &event.ToolDenied{Use: use}
		denied.Source = event.Hook
		l.apply(denied)
	case "wire below":
		for _, c := range tableOf(l.engine).Session("s").Calls {
			l.link = fmt.Sprintf(`"traceparent":"00-%s-%s-01"`, c.Trace, c.Span)
		}
		l.step("wire")
	case "wire":
		l.tell(say(l.T, l.engine, l.now, event.FromClient, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read","_meta":{`+l.link+`}}}`))
	case "wire ok":
		l.tell(say(l.T, l.engine, l.now, event.FromServer, `{"jsonrpc":"2.0","id":1,"result":{"content":[]}}`))
	case "wire fails":
		l.tell(say(l.T, l.engine, l.now, event.FromServer, `{"jsonrpc":"2.0","id":1,"result":{"content":[],"isError":true}}`))
	case "later": // no better source tells of it in time
		l.now += 20 * second
		s, _ := sweep(l.engine, l.now, true)
		l.tell(s, nil)
	default:
		l.Fatal(what)
	}
}

func (l *layered) summary() store.Summary { return tableOf(l.engine).Session("s").AllTotals() }

// What an agent reports of a call and what is seen of it on the wire are one call, which
// fails once, whichever of the two comes first and tells of it.
func TestTwoLayersAreOneCall(t *testing.T) {
	for _, c := range []struct {
		link, steps   string
		calls, errors int64
		refusals      int32
	}{
		{byID, "agent, wire, wire fails, agent fails", 1, 1, 0},
		{byID, "agent, wire, wire fails, agent ok", 1, 1, 0},
		{byID, "agent, wire, wire ok, agent fails", 1, 1, 0},
		{byID, "agent, wire, wire ok, agent ok", 1, 0, 0},
		{byID, "wire, wire fails, agent, agent fails", 1, 1, 0},
		{byID, "wire, wire ok, agent, agent fails", 1, 1, 0},
		{byID, "wire, wire fails, agent, agent ok", 1, 1, 0},
		{byID, "agent, agent fails, wire, wire fails", 1, 1, 0},
		{byID, "agent, agent ok, wire, wire fails", 1, 1, 0},
		{byID, "agent, agent fails, wire, wire ok", 1, 1, 0},
		{byID, "agent, refused", 1, 0, 1},
		{"", "agent, wire below, wire fails, agent fails", 1, 1, 0},
		{"", "agent, wire below, wire fails, wire, wire fails, agent ok", 1, 1, 0},
		{byID, "agent, wire, wire fails, agent ok, span fails", 1, 1, 0},
		{byID, "agent, wire, wire ok, agent ok, span fails", 1, 1, 0},
		{byID, "agent, wire, wire fails, agent ok, later, span fails", 1, 1, 0},
		{byID, "agent, wire, wire ok, agent ok, later, span fails", 1, 1, 0},
		{byID, "agent, agent ok, later, wire, wire fails", 1, 1, 0},
		{byID, "agent, agent fails, later, wire, wire fails", 1, 1, 0},
		{byID, "wire, wire fails, wire, wire fails, agent, agent ok", 1, 1, 0},
		{bySpan, "wire, wire fails, span fails", 1, 1, 0},
		{bySpan, "wire, wire fails, span ok", 1, 1, 0},
		{bySpan, "wire, wire ok, span fails", 1, 1, 0},
		{bySpan, "wire, wire ok, span ok", 1, 0, 0},
		{bySpan, "span fails, wire, wire fails", 1, 1, 0},
		{bySpan, "span ok, wire, wire fails", 1, 1, 0},
		{bySpan, "wire, span fails, wire fails", 1, 1, 0},
		{bySpan, "agent, wire, wire fails, span fails", 1, 1, 0},
		{bySpan, "agent, wire, wire ok, agent ok, later, span ok", 1, 0, 0},
		{bySpan, "agent, wire, wire fails, agent fails, later, span fails", 1, 1, 0},
		{bySpan, "agent, wire, wire fails, agent fails, later, span fails, span fails", 1, 1, 0},
		{bySpan, "agent, wire, wire fails, agent ok, later, span fails", 1, 1, 0},
		{bySpan, "agent, wire, wire fails, agent fails, later, span ok", 1, 1, 0},
		{bySpan, "agent, agent fails, later, span fails, wire, wire fails", 1, 1, 0},
		{bySpan, "agent, agent fails, later, wire, span fails, wire fails", 1, 1, 0},
		{bySpan, "wire, wire fails, wire, wire fails", 2, 2, 0}, // in a turn, for example
		{bySpan, "wire, wire fails, other span ok", 2, 1, 0},
		{bySpan, "other span ok, wire, wire fails", 2, 1, 0},
	} {
		name := "by id: "
		if c.link == bySpan {
			name = "by span: "
		}
		t.Run(name+c.steps, func(t *testing.T) {
			l := &layered{T: t, engine: session.New(testOptions()), now: 1000 * second, link: c.link}
			for what := range strings.SplitSeq(c.steps, ", ") {
				l.step(what)
			}
			l.step("later")
			u := l.summary()
			assert.Equal(t, c.calls, u.ToolCalls, "calls")
			assert.EqualValues(t, c.calls-int64(c.refusals)-int64(strings.Count(c.steps, "other span")), l.told, "measured operations")
			assert.Equal(t, c.errors, u.Errors, "errors")
			assert.Equal(t, c.refusals, u.Refusals, "refusals")
		})
	}
}
