package session

import (
	"slices"

	"github.com/otelcol-mcp/otelcol-mcp/internal/prices"
)

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
		if prices.Matches(w.Model, model) {
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
