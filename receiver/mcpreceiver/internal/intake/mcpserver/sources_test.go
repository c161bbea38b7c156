package mcpserver

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session"
)

// apply lets the session cc-1 take an event that came over that connection, if any.
func (b *bench) apply(t *testing.T, connection string, e event.Event) {
	require.NoError(t, b.runner.Run(t.Context(), "/test", func(tx *session.Tx, now int64) error {
		return tx.Apply(t.Context(), &event.Envelope{
			Arrival: now, Time: now, Session: "cc-1", Connection: connection, Direction: event.FromClient,
		}, e)
	}))
}

// The root says all ways by which something was said of an agent's session, whether that
// came before the agent reported on itself or after.
func TestSourcesOfAnAgentsSession(t *testing.T) {
	reported := func() event.Event {
		return &event.HostReported{Notice: event.Notice{
			Contact: event.Contact{Method: "notifications/host.token_pressure"}, Name: "notifications/host.token_pressure", FromClient: true,
		}}
	}
	for name, c := range map[string]struct {
		say  func(*testing.T, *bench)
		want string
	}{
		"heartbeat tool": {func(t *testing.T, b *bench) {
			id := openAs(t, b, "codex-mcp-client")
			require.Equal(t, http.StatusOK, b.post(callWith(`{"callId":"call_1","threadId":"cc-1"}`), sessionHeader, id).Code)
		}, "mcp"},
		"heartbeat": {func(t *testing.T, b *bench) {
			require.Equal(t, http.StatusAccepted, b.post(heartbeatNote, "X-Session-Id", "cc-1").Code)
		}, "mcp"},
		"tap":       {func(t *testing.T, b *bench) { b.apply(t, "c-1", reported()) }, "tap"},
		"push":      {func(t *testing.T, b *bench) { b.apply(t, "", reported()) }, "push"},
		"inspector": {func(t *testing.T, b *bench) { b.apply(t, "", &event.WorkflowStarted{Title: "x"}) }, "inspector"},
	} {
		for _, first := range []string{"first", "last"} {
			t.Run(name+" "+first, func(t *testing.T) {
				b := newBench(t)
				hook := func(build func(event.SelfReport) event.Event) {
					b.apply(t, "", build(event.SelfReport{Notice: event.Notice{
						Source: event.Hook, Prefix: mcpconv.SpanHook, Contact: event.Contact{Method: "E"},
					}}))
				}
				prompt := func() {
					hook(func(a event.SelfReport) event.Event { return &event.PromptSubmitted{SelfReport: a, Prompt: `"go"`} })
				}
				if first == "last" {
					prompt()
				}
				c.say(t, b)
				if first == "first" {
					prompt()
				}
				hook(func(a event.SelfReport) event.Event { return &event.SessionEnded{SelfReport: a} })
				sources := b.last(t, "workflow.run").Attributes().AsRaw()["mcp.session.sources"]
				assert.Equal(t, []any{"hooks", c.want}, sources)
			})
		}
	}
}

// So it does if nothing told of the agent but its servers and itself over MCP.
func TestSourcesOfAnAgentKnownByItsServers(t *testing.T) {
	b := newBench(t)
	require.NoError(t, b.runner.Run(t.Context(), "/tap", func(tx *session.Tx, now int64) error {
		env := &event.Envelope{Arrival: now, Time: now, Session: "cc-1", Connection: "tap-1", Part: true, Direction: event.FromClient}
		return tx.Apply(t.Context(), env, &event.HostReported{Notice: event.Notice{
			Contact: event.Contact{Method: "notifications/host.token_pressure"}, Name: "notifications/host.token_pressure",
		}})
	}))
	require.Equal(t, http.StatusAccepted, b.post(heartbeatNote, "X-Session-Id", "cc-1").Code)
	b.apply(t, "", &event.Closed{})
	assert.Equal(t, []any{"tap"}, b.last(t, "session.start").Attributes().AsRaw()["mcp.session.sources"])
	assert.Equal(t, []any{"tap", "mcp"}, b.last(t, "workflow.run").Attributes().AsRaw()["mcp.session.sources"])
}
