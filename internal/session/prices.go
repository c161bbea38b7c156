package session

import (
	"slices"

	"github.com/otelcol-mcp/otelcol-mcp/internal/session/store"
)

// Price is the price of a model in US dollars per million tokens.
type Price struct {
	Model      string // pattern, in which * stands for any text
	Input      float64
	Output     float64
	CacheRead  float64
	CacheWrite float64
}

// of returns the cost of that usage. Input includes what was read from and written to
// the cache.
func (p *Price) of(u *store.Usage) float64 {
	plain := max(0, u.Input-u.CacheRead-u.CacheWrite)
	const million = 1e6
	return (float64(plain)*p.Input + float64(u.CacheRead)*p.CacheRead + float64(u.CacheWrite)*p.CacheWrite + float64(u.Output)*p.Output) / million
}

// Prices is a list of prices. The first that matches a model counts.
type Prices []Price

// Of returns the cost of that usage of the model, false if it has no price.
func (all Prices) Of(model string, used *store.Usage) (cost float64, ok bool) {
	for i := range all {
		if store.Matches(all[i].Model, model) {
			return all[i].of(used), true
		}
	}
	return 0, false
}

// Window is the size of the context of a model in tokens.
type Window struct {
	Model  string // pattern, in which * stands for any text
	Tokens int64
}

// Windows is a list of sizes. The first that matches a model counts.
type Windows []Window

// Of returns the size of the context of a model in tokens, 0 if it is not known.
func (all Windows) Of(model string) int64 {
	for _, w := range all {
		if store.Matches(w.Model, model) {
			return w.Tokens
		}
	}
	return 0
}

// known are the context windows of models whose agents do not report them, in tokens, as
// their makers documented them in October 2026. What an agent says and what is configured
// go first, and what comes from here is marked as an estimate.
var known = Windows{
	{Model: "claude-*[1m]", Tokens: 1_000_000},
	{Model: "claude-*", Tokens: 200_000},
	{Model: "gpt-5*", Tokens: 400_000},
	{Model: "gpt-4.1*", Tokens: 1_047_576},
	{Model: "gpt-4o*", Tokens: 128_000},
	{Model: "o3*", Tokens: 200_000},
	{Model: "o4-mini*", Tokens: 200_000},
	{Model: "gemini-1.5-pro*", Tokens: 2_097_152},
	{Model: "gemini-*", Tokens: 1_048_576},
}

// WithKnownWindows returns those windows, followed by the built-in ones.
func WithKnownWindows(first Windows) Windows { return slices.Concat(first, known) }
