package session

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// Windows that are configured come before those that are known anyway.
func TestWindows(t *testing.T) {
	windows := WithKnownWindows([]Window{{Model: "claude-x", Tokens: 5}})
	assert.EqualValues(t, 5, windows.Of("claude-x"))
	assert.EqualValues(t, 200_000, windows.Of("claude-y"))
	assert.EqualValues(t, 1_000_000, windows.Of("claude-y[1m]"))
	assert.Zero(t, windows.Of("unknown"))
}
