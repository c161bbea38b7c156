package agenthost

import (
	"cmp"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonscan"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
	"github.com/otelcol-mcp/otelcol-mcp/internal/protocol/jsonrpc"
)

// report reads the members of a notification other than a heartbeat, and what is
// wrong with them.
func report(r *event.HostReport, n *event.Notice, p *jsonrpc.Params) {
	*r = event.HostReport{
		Kind: kindOf(n.Method), Reason: p.Reason, Message: p.Message,
		TokensUsed: p.Host.TokensUsed, TokensLimit: p.Host.TokensLimit, ToolCallsTotal: p.Host.ToolCallsTotal,
		Agent: event.SubAgent{Tokens: p.Host.TokensUsed},
	}
	jsonrpc.Fill(p.Raw, func(name string) *jsonscan.Value { return member(r, name) })
	if n.Invalid == "" {
		n.Invalid = cmp.Or(p.InvalidParams(), invalidReport(r))
	}
}

func kindOf(method string) event.HostReportKind {
	switch method {
	case mcpconv.HostCompacting:
		return event.CompactionReport
	case mcpconv.HostTokenPressure:
		return event.PressureReport
	case mcpconv.HostError:
		return event.ErrorReport
	case mcpconv.HostAgentSpawned:
		return event.SpawnReport
	}
	return event.OtherReport
}

// member is where the value of a member belongs that is not read with the
// message: only a heartbeat comes so often. It is nil for all others.
func member(r *event.HostReport, name string) *jsonscan.Value {
	switch name {
	case "tokens_before":
		return &r.TokensBefore
	case "tokens_after":
		return &r.TokensAfter
	case "messages_dropped":
		return &r.MessagesDropped
	case "subagent_id":
		return &r.Agent.ID
	case "subagent_type":
		return &r.Agent.Type
	case "task":
		return &r.Agent.Task
	case "model":
		return &r.Agent.Model
	case "duration_seconds":
		return &r.Agent.Duration
	case "outcome":
		return &r.Agent.Outcome
	case "percent":
		return &r.Percent
	case "threshold":
		return &r.Threshold
	case "error_type":
		return &r.ErrorType
	case "retrying":
		return &r.Retrying
	case "retry_count":
		return &r.RetryCount
	}
	return nil
}
