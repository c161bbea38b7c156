package telemetry

import (
	"encoding/json"

	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonrpc"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session"
)

func (b *Batch) sampling(c *session.Call, reply *jsonrpc.Message) {
	a := &b.attrs
	a.otel(mcpconv.GenAIOperation, mcpconv.OperationChat)
	a.payload(mcpconv.LLMPrompt, c.Input)
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
		b.sampled(&reply.Result, model)
	}
	if c.Hint != "" {
		model = c.Hint
	}
	a.otel(mcpconv.GenAIRequestModel, model)
}

// sampled writes what the model answered.
func (b *Batch) sampled(r *jsonrpc.Result, model string) {
	a := &b.attrs
	a.inspector(mcpconv.LLMModel, model)
	a.otel(mcpconv.GenAIResponseModel, model)
	if r.Role != "" && r.Content != "" && b.opt.Payloads {
		a.payload(mcpconv.LLMResponse, `{"role":`+string(r.Role)+`,"content":`+string(r.Content)+`}`)
	}
	stop := a.text(r.StopReason.Str())
	a.inspector(mcpconv.StopReason, stop)
	if stop != "" && b.opt.OTel {
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

// instructions is a system prompt in the GenAI schema.
func instructions(prompt string) string {
	if prompt == "" {
		return ""
	}
	type part struct {
		Type    string `json:"type"`
		Content string `json:"content"`
	}
	text, err := json.Marshal([]part{{"text", prompt}})
	if err != nil {
		return ""
	}
	return string(text)
}
