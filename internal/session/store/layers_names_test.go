package store_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/identity"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session"
)

// A message in an agent's call is of that call if it has the tool's name, before which the
// agent may set more. Else the call is of a tool that calls others.
func TestNamesOfTwoLayers(t *testing.T) {
	for _, c := range []struct {
		agent, wire string
		calls       int64
	}{
		{"create_issue", "create_issue", 1},
		{"github_create_issue", "create_issue", 1},
		{"github-mcp-server-create_issue", "create_issue", 1},
		{"mcp__claude_ai_Linear__create_issue", "create_issue", 1},
		{"files.read", "read", 1},
		{"read", "files/read", 1},
		{"get_issue", "create_issue", 2},
		{"create_issue", "get_issue", 2},
		{"github_get_issue", "create_issue", 2},
		{"reread", "read", 2},
		{"run", "read", 2},
	} {
		for _, first := range []string{"agent", "wire", "open"} {
			t.Run(fmt.Sprintf("%s as %s, %s first", c.agent, c.wire, first), func(t *testing.T) {
				l := &layered{T: t, engine: session.New(testOptions()), now: 1000 * second}
				trace, span := identity.TraceID{7}, identity.SpanID{8}
				message := func() {
					l.now += second
					say(t, l.engine, l.now, event.FromClient, fmt.Sprintf(
						`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q,"_meta":{"traceparent":"00-%s-%s-01"}}}`, c.wire, trace, span))
					l.step("wire ok")
				}
				use := event.ToolUse{ID: `"t1"`, Tool: event.JSON(fmt.Sprintf("%q", c.agent))}
				switch first {
				case "open":
					l.apply(&event.ToolStarted{SelfReport: event.SelfReport{Notice: event.Notice{Source: event.Hook}}, Use: use})
					for _, own := range tableOf(l.engine).Session("s").Calls {
						trace, span = own.Trace, own.Span
					}
					message()
				case "wire":
					message()
				}
				ended := &event.ToolEnded{Use: use}
				ended.Source = event.AgentSpan
				ended.Native = event.Native{Trace: trace, Span: span, Start: l.now, End: l.now + 1}
				l.apply(ended)
				if first == "agent" {
					message()
				}
				assert.Equal(t, c.calls, l.summary().ToolCalls)
			})
		}
	}
}
