package telemetry

import (
	"cmp"
	"time"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session/store"
)

// writeOfAgent writes what an agent reported of itself: no message was seen, so it
// has nothing of JSON-RPC.
func writeOfAgent(a *attrs, e *session.CallEnd) {
	switch e.Call.Kind {
	case event.ModelCall:
		writeModel(a, e)
	case event.AgentTurn:
		writeTurn(a, e)
	default:
		writeReportedTool(a, e)
	}
}

// writeModel writes what a call of a language model has.
func writeModel(a *attrs, e *session.CallEnd) {
	c, m := e.Call, e.Call.Model
	if m == nil {
		m = &store.Model{}
	}
	answered := cmp.Or(m.Answered, c.Target)
	a.session(e.Session)
	a.operation(mcpconv.OperationChat, e.Session)
	a.provider(modelProvider(c.Target, m.Answered, m.Provider))
	a.otel(mcpconv.GenAIRequestModel, c.Target)
	a.inspector(mcpconv.LLMModel, answered)
	a.otel(mcpconv.GenAIResponseModel, m.Answered)
	a.otel(mcpconv.GenAIResponseID, m.ResponseID)
	a.str(mcpconv.LLMRequest, m.ID)
	a.str(mcpconv.LLMPurpose, m.Purpose)
	a.subAgent(c.SubAgent)
	a.inspector(mcpconv.StopReason, m.Finish)
	if m.Finish != "" && a.opt.OTel {
		a.mb.AppendEmpty(mcpconv.GenAIFinishReasons).SetEmptySlice().AppendEmpty().SetStr(genaiFinishReason(m.Finish))
	}
	writeUsage(a, m)
	if m.HasCost {
		a.float(mcpconv.LLMCost, m.Cost)
		a.flag(mcpconv.LLMCostEstimated, m.Priced)
	}
	if m.FirstToken > 0 {
		a.int(mcpconv.LLMFirstToken, m.FirstToken/int64(time.Millisecond))
	}
	a.positive(mcpconv.LLMAttempt, m.Attempt)
	if a.opt.OTel {
		a.positive(mcpconv.HTTPStatus, m.Status)
	}
	a.payloads(mcpconv.LLMPrompt, mcpconv.GenAIInputMessages, c.Input)
	a.payloads(mcpconv.LLMResponse, mcpconv.GenAIOutputMessages, m.Output)
}

// writeUsage writes the tokens of a call, and how full the context is with them.
func writeUsage(a *attrs, m *store.Model) {
	u := &m.Usage
	if !m.HasUsage {
		return
	}
	a.usage(u)
	writeFill(a, u.Input, m.Window, m.Estimated)
}

// writeFill writes how full the context is with that input; window is 0 if the input does
// not fill it, or if it is not known.
func writeFill(a *attrs, input, window int64, estimated bool) {
	if window <= 0 {
		return
	}
	a.int(mcpconv.HostTokensUsed, input)
	a.int(mcpconv.HostTokensLimit, window)
	a.float(mcpconv.HostTokensShare, 100*float64(input)/float64(window))
	a.flag(mcpconv.HostEstimated, estimated)
}

// writeTurn writes what an agent's turn has. Its tokens and cost are sums over its calls of
// models, under keys of their own: backends add up those of calls.
func writeTurn(a *attrs, e *session.CallEnd) {
	t := e.Call.Turn
	a.session(e.Session)
	a.operation(mcpconv.OperationAgent, e.Session)
	a.otel(mcpconv.GenAIAgentName, e.Call.Client)
	a.int(mcpconv.TurnIndex, t.Index)
	a.str(mcpconv.TurnID, t.ID)
	a.payload(mcpconv.TurnPrompt, e.Call.Input)
	if r := e.Call.Report; r != nil {
		a.payload(mcpconv.WorkflowOutput, r.Output)
	}
	a.int(mcpconv.TurnTools, t.Tools)
	a.int(mcpconv.TurnModels, t.Models)
	if t.Input+t.Output > 0 {
		a.int(mcpconv.TurnInput, t.Input)
		a.int(mcpconv.TurnOutput, t.Output)
		a.positive(mcpconv.TurnCached, t.CacheRead)
	}
	if t.HasCost {
		a.float(mcpconv.TurnCost, t.Cost)
		if t.Estimated > 0 {
			a.float(mcpconv.TurnEstimated, t.Estimated)
		}
	}
}

// writeReport writes what sources reported of a tool call beside its result.
func writeReport(a *attrs, r *store.Report) {
	if r == nil {
		return
	}
	a.str(mcpconv.ToolDecision, r.Decision)
	a.str(mcpconv.ToolDecider, r.Decider)
	a.positive(mcpconv.ToolInputBytes, r.InSize)
	a.positive(mcpconv.ToolOutputBytes, r.OutSize)
}

// subAgent writes which sub-agent did it.
func (a *attrs) subAgent(id string) {
	a.inspector(mcpconv.AgentID, id)
}

// positive writes a number, and nothing for 0.
func (a *attrs) positive(key string, value int64) {
	if value > 0 {
		a.int(key, value)
	}
}
