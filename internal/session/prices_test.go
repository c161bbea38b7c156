package session

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/otelcol-mcp/otelcol-mcp/internal/session/store"
)

// The first pattern that fits counts. Input includes what the cache had.
func TestPrices(t *testing.T) {
	prices := Prices{{Model: "big-*", Input: 10, Output: 20, CacheRead: 1, CacheWrite: 12}, {Model: "*", Input: 1}}
	cost, ok := prices.Of("big-1", &store.Usage{Input: 1e6, CacheRead: 4e5, CacheWrite: 1e5, Output: 1e5})
	assert.True(t, ok)
	assert.InDelta(t, 5+2+0.4+1.2, cost, 1e-9)
	cost, ok = prices.Of("small", &store.Usage{Input: 2e6})
	assert.True(t, ok)
	assert.InDelta(t, 2, cost, 1e-9)
	_, ok = prices[:1].Of("small", &store.Usage{})
	assert.False(t, ok)
}

// Windows that are configured come before those that are known anyway.
func TestWindows(t *testing.T) {
	windows := WithKnownWindows([]Window{{Model: "claude-x", Tokens: 5}})
	assert.EqualValues(t, 5, windows.Of("claude-x"))
	assert.EqualValues(t, 200_000, windows.Of("claude-y"))
	assert.EqualValues(t, 1_000_000, windows.Of("claude-y[1m]"))
	assert.Zero(t, windows.Of("unknown"))
}
