package session

import "slices"

// knownWindows are the context windows of models whose agents do not report them,
// in tokens, as their makers documented them in October 2026. What an agent says
// and what is configured go first, and what comes from here is marked as an
// estimate. The first pattern that fits counts.
var knownWindows = []Window{
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

// WithKnownWindows are those windows, before the ones that are known anyway.
func WithKnownWindows(first []Window) []Window {
	return slices.Concat(first, knownWindows)
}
