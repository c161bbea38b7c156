package opencode

import (
	"time"

	"github.com/otelcol-mcp/otelcol-mcp/internal/agent/hook"
	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonscan"
	"github.com/otelcol-mcp/otelcol-mcp/internal/protocol/jsonrpc"
)

// called holds what the plugin reports of the call of a model, in its usage member.
type called struct {
	ID, Provider, Purpose, Finish, Summary, Cost jsonscan.Value
	Input, Output, Reasoning, Read, Write        jsonscan.Value
	Started, First, Ended, Attempt               jsonscan.Value
}

func (c *called) field(name string) *jsonscan.Value {
	switch name {
	case "id":
		return &c.ID
	case "provider":
		return &c.Provider
	case "purpose":
		return &c.Purpose
	case "finish":
		return &c.Finish
	case "summary":
		return &c.Summary
	case "cost":
		return &c.Cost
	}
	return c.number(name)
}

func (c *called) number(name string) *jsonscan.Value {
	switch name {
	case "input":
		return &c.Input
	case "output":
		return &c.Output
	case "reasoning":
		return &c.Reasoning
	case "cache_read":
		return &c.Read
	case "cache_write":
		return &c.Write
	}
	return c.time(name)
}

func (c *called) time(name string) *jsonscan.Value {
	switch name {
	case "started":
		return &c.Started
	case "first":
		return &c.First
	case "ended":
		return &c.Ended
	case "attempt":
		return &c.Attempt
	}
	return nil
}

// providers maps names that are certain to the provider that runs the model.
var providers = map[string]string{
	"amazon-bedrock": "aws.bedrock", "anthropic": "anthropic", "azure": "azure.ai.openai", "cohere": "cohere",
	"deepseek": "deepseek", "google": "gcp.gemini", "google-vertex": "gcp.vertex_ai",
	"google-vertex-anthropic": "gcp.vertex_ai", "groq": "groq", "mistral": "mistral_ai", "openai": "openai",
	"perplexity": "perplexity", "xai": "x_ai",
}

// model is a message of the assistant, which is one call of a model.
func (d *Decoder) model(b *hook.Body) event.Event {
	var c called
	jsonrpc.FillPresent(b.Use.Usage, c.field)
	agent := b.Agent.ID.Str()
	use := event.ModelUse{
		ID: c.ID.Str(), Model: b.Facts.Model.Str(), Provider: providers[c.Provider.Str()], Usage: c.tokens(),
		HasUsage: true, Start: unix(c.Started), End: unix(c.Ended), Purpose: c.Purpose.Str(), Finish: c.Finish.Str(),
		SubAgent: agent, Aside: agent != "" || c.Summary.IsTrue(),
	}
	use.HasUsage = use.Usage != event.Usage{}
	if use.End != 0 {
		use.End = max(use.End, use.Start) // its clock may have jumped
	}
	if first := unix(c.First); first > use.Start && use.Start != 0 {
		use.FirstToken = first - use.Start
	}
	if cost, ok := c.Cost.Float(); ok && cost >= 0 {
		use.Cost, use.HasCost = cost, true
	}
	d.Info().Error = jsonrpc.Member(b.Error, "name")
	if b.ErrorType() == interrupted {
		e := d.ModelEnded(&use, "", "").(*event.ModelEnded)
		e.Interrupted = true
		return e
	}
	return d.ModelEnded(&use, b.ErrorType(), b.ErrorText())
}

// retried is a call of a model that failed, and is tried again.
func (d *Decoder) retried(b *hook.Body) event.Event {
	if b.Status.Str() != "retry" {
		return d.Unknown()
	}
	agent := b.Agent.ID.Str()
	use := event.ModelUse{
		Attempt: count(jsonrpc.Member(b.Use.Usage, "attempt")), SubAgent: agent, Aside: agent != "", End: b.When(),
	}
	e := d.ModelEnded(&use, "", b.ErrorText()).(*event.ModelEnded)
	e.Failed, e.Retries = true, true
	return e
}

// tokens: opencode's input is without what the cache had or got, and its output is
// without the reasoning.
func (c *called) tokens() event.Usage {
	read, written, thought := count(c.Read), count(c.Write), count(c.Reasoning)
	return event.Usage{
		Input: count(c.Input) + read + written, Output: count(c.Output) + thought,
		CacheRead: read, CacheWrite: written, Reasoning: thought,
	}
}

// countMax is beyond what any call uses.
const countMax = 1 << 50

func count(v jsonscan.Value) int64 {
	n, _ := v.Int()
	return min(max(n, 0), countMax)
}

// unix is a time in ms as Unix ns, 0 if it is none.
func unix(v jsonscan.Value) int64 {
	ms, ok := v.Int()
	if !ok || ms < 0 || ms >= 1<<43 {
		return 0
	}
	return ms * int64(time.Millisecond)
}
