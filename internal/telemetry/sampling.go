package telemetry

import (
	"cmp"
	"strings"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session"
)

// writeSampling writes what is asked of a model, and its answer, if there is one.
func writeSampling(a *attrs, e *session.CallEnd) {
	c, reply := e.Call, e.Reply
	a.operation(mcpconv.OperationChat, e.Session)
	a.messages(mcpconv.LLMPrompt, mcpconv.GenAIInputMessages, c.Input, c.Input)
	a.payload(mcpconv.ModelPreferences, c.Preference)
	if a.opt.PayloadInspector {
		a.payload(mcpconv.LLMSystemPrompt, c.Text)
	}
	if a.opt.PayloadOTel {
		a.payload(mcpconv.GenAISystem, genaiInstructions(c.Text))
	}
	var model string
	if reply != nil {
		model = a.cutCopy(reply.Result.Model.Str())
		writeSampled(a, &reply.Result, model)
	}
	a.otel(mcpconv.GenAIRequestModel, cmp.Or(c.Hint, model))
}

// writeSampled writes what the model answered.
func writeSampled(a *attrs, r *event.Result, model string) {
	a.inspector(mcpconv.LLMModel, model)
	a.provider(providerOf(model))
	a.otel(mcpconv.GenAIResponseModel, model)
	if r.Role != "" && r.Content != "" && a.opt.Payloads {
		answer := `{"role":` + string(r.Role) + `,"content":` + string(r.Content) + `}`
		a.messages(mcpconv.LLMResponse, mcpconv.GenAIOutputMessages, answer, "["+answer+"]")
	}
	stop := a.cutCopy(r.StopReason.Str())
	a.inspector(mcpconv.StopReason, stop)
	if stop != "" && a.opt.OTel {
		a.mb.AppendEmpty(mcpconv.GenAIFinishReasons).SetEmptySlice().AppendEmpty().SetStr(genaiFinishReason(stop))
	}
}

// providers are those that the beginning of a model's name makes certain. Others serve
// the same models under other names.
var providers = [...]struct{ prefix, name string }{
	{"claude-", "anthropic"},
	{"gpt-", "openai"},
	{"chatgpt-", "openai"},
	{"o1", "openai"},
	{"o3", "openai"},
	{"o4-", "openai"},
	{"grok-", "x_ai"},
	{"deepseek-", "deepseek"},
	{"mistral-", "mistral_ai"},
	{"codestral-", "mistral_ai"},
	{"command-", "cohere"},
}

// provider writes the provider of a model under both names.
func (a *attrs) provider(name string) {
	a.inspector(mcpconv.LLMProvider, name)
	a.otel(mcpconv.GenAIProvider, name)
}

// modelProvider returns the provider that was reported for a call, else the one that the
// name of the model that answered, or was requested, makes certain.
func modelProvider(requested, answered, reported string) string {
	return cmp.Or(reported, providerOf(cmp.Or(answered, requested)))
}

// providerOf returns the provider of a model, "" if its name does not make that certain.
func providerOf(model string) string {
	if strings.ContainsAny(model, "/@:") { // of a gateway, or a cloud
		return ""
	}
	for _, p := range providers {
		if strings.HasPrefix(model, p.prefix) {
			return p.name
		}
	}
	return ""
}

// messages writes what was sent to a model, or by it, under the keys that payloads
// are wanted under; list is the same as an array. What has not the shape of
// messages has a place under the Inspector's key only.
func (a *attrs) messages(inspector, otel, sent, list string) {
	if !a.opt.Payloads || sent == "" {
		return
	}
	var converted string
	if a.opt.PayloadOTel {
		converted = genaiMessages(list)
		a.str(otel, converted)
	}
	if a.opt.PayloadInspector || converted == "" {
		a.str(inspector, sent)
	}
}
