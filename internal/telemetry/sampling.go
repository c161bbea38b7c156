package telemetry

import (
	"cmp"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session/state"
)

// writeSampling writes what is asked of a model, and its answer; reply may be nil.
func writeSampling(a *attrs, c *state.Call, reply *event.Reply) {
	a.otel(mcpconv.GenAIOperation, mcpconv.OperationChat)
	a.messages(mcpconv.LLMPrompt, mcpconv.GenAIInputMessages, c.Input, c.Input)
	a.payload(mcpconv.ModelPreferences, c.Preference)
	if a.opt.PayloadInspector {
		a.payload(mcpconv.LLMSystemPrompt, c.Text)
	}
	if a.opt.PayloadOTel {
		a.payload(mcpconv.GenAISystem, instructions(c.Text))
	}
	var model string
	if reply != nil {
		model = a.text(reply.Result.Model.Str())
		writeSampled(a, &reply.Result, model)
	}
	a.otel(mcpconv.GenAIRequestModel, cmp.Or(c.Hint, model))
}

// writeSampled writes what the model answered.
func writeSampled(a *attrs, r *event.Result, model string) {
	a.inspector(mcpconv.LLMModel, model)
	a.otel(mcpconv.GenAIResponseModel, model)
	if r.Role != "" && r.Content != "" && a.opt.Payloads {
		answer := `{"role":` + string(r.Role) + `,"content":` + string(r.Content) + `}`
		a.messages(mcpconv.LLMResponse, mcpconv.GenAIOutputMessages, answer, "["+answer+"]")
	}
	stop := a.text(r.StopReason.Str())
	a.inspector(mcpconv.StopReason, stop)
	if stop != "" && a.opt.OTel {
		a.mb.AppendEmpty(mcpconv.GenAIFinishReasons).SetEmptySlice().AppendEmpty().SetStr(finishReason(stop))
	}
}

// finishReason is MCP's stopReason in the words of the semantic conventions.
func finishReason(stop string) string {
	switch stop {
	case "endTurn", "stopSequence":
		return "stop"
	case "maxTokens":
		return "length"
	case "toolUse":
		return "tool_calls"
	}
	return stop
}
