package store_test

import (
	"context"
	"fmt"
	"strconv"

	"pgregory.net/rapid"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/identity"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session"
)

// drawAgent is what an agent reports in a log record or a span of its own, of the
// same calls that hooks report.
func drawAgent(t *rapid.T, env event.Envelope) op {
	if env.Session == "" {
		env.Session = "a"
	}
	env.Connection, env.Client, env.Transport, env.Direction = "", "claude-code", "", event.FromClient
	a := drawSelfReport(t, env.Time)
	what := rapid.SampledFrom([]string{
		"tool", "tool", "ended", "ended", "denied", "model", "answered", "answered", "prompt", "rest", "agent", "done", "compacted",
		"server", "used", "told", "closed",
	}).Draw(t, "report")
	number := rapid.Int64Range(0, 3).Draw(t, "number")
	return op{fmt.Sprintf("%s %v %v %s %d", what, a.Source, a.Native, a.Turn, number), func(ctx context.Context, _ tb, tx *session.Tx, env event.Envelope) error {
		return tx.Apply(ctx, &env, agentEvent(what, a, number, env.Time))
	}, env}
}

func drawSelfReport(t *rapid.T, at int64) event.SelfReport {
	a := event.SelfReport{
		Notice: event.Notice{Source: rapid.SampledFrom([]event.Source{event.AgentLog, event.AgentSpan}).Draw(t, "source")},
		Turn:   rapid.SampledFrom([]string{"", "", "t1", "t2"}).Draw(t, "turn"),
	}
	if a.Source == event.AgentSpan && rapid.Bool().Draw(t, "native") {
		a.Native = event.Native{
			Trace: identity.TraceID{1}, Span: identity.SpanID{byte(rapid.IntRange(1, 4).Draw(t, "span"))}, Start: at - second, End: at,
		}
	}
	if rapid.IntRange(0, 9).Draw(t, "facts") == 0 {
		a.Facts = &event.Facts{Model: "m", Dir: "/d/p", Sources: []string{mcpconv.SourceLogs}}
	}
	return a
}

func agentEvent(what string, a event.SelfReport, number, at int64) event.Event {
	id := ""
	if number > 0 {
		id = "u" + strconv.FormatInt(number, 10)
	}
	use := event.ToolUse{Tool: `"T"`, Decision: "accept", OutSize: number}
	if id != "" {
		use.ID = event.JSON(strconv.Quote(id))
	}
	model := event.ModelUse{
		ID: id, Model: "m", Start: at - second, End: at, Usage: event.Usage{Input: 3, Output: number}, HasUsage: number > 1, Cost: 1, HasCost: number == 3,
	}
	agent := event.SubAgent{ID: event.JSON(`"g` + strconv.FormatInt(number, 10) + `"`)}
	switch what {
	case "tool":
		return &event.ToolStarted{SelfReport: a, Use: use}
	case "ended":
		return &event.ToolEnded{SelfReport: a, Use: use, Failed: number == 2}
	case "denied":
		return &event.ToolDenied{SelfReport: a, Use: use, Reason: "no"}
	case "model":
		return &event.ModelStarted{SelfReport: a, Use: model}
	case "answered":
		return &event.ModelEnded{SelfReport: a, Use: model, Failed: number == 1}
	case "prompt":
		return &event.PromptSubmitted{SelfReport: a, Prompt: `"p"`}
	case "rest":
		return &event.TurnEnded{SelfReport: a, Failed: number == 3, Text: "x"}
	case "agent":
		return &event.AgentStarted{SelfReport: a, Agent: agent}
	case "done":
		return &event.AgentEnded{SelfReport: a, Agent: agent}
	case "compacted":
		return &event.CompactionEnded{SelfReport: a, Before: 2, After: 1}
	case "server":
		return &event.ServerChanged{SelfReport: a, Server: "s", Status: "failed"}
	case "used":
		return &event.TurnUsed{SelfReport: a, Usage: event.Usage{Input: 1}}
	case "closed":
		return &event.SessionEnded{SelfReport: a}
	}
	return &a
}
