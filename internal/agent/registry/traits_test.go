package registry

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

func TestTraits(t *testing.T) {
	assert.Equal(t, event.Traits{CostOnlyInLogs: true}, Traits(mcpconv.ClaudeCode))
	assert.Equal(t, event.Traits{HooksLackEnd: true, SubAgentSpansComeLate: true}, Traits(mcpconv.Copilot))
	assert.Equal(t, event.Traits{CostOnlyInHooks: true}, Traits(mcpconv.OpenCode))
	assert.Zero(t, Traits(mcpconv.Cursor))
	assert.Zero(t, Traits("unknown"))
}

func TestEachAgentHasAName(t *testing.T) {
	names := map[string]bool{}
	for i := range known {
		assert.NotEmpty(t, known[i].name)
		assert.False(t, names[known[i].name], known[i].name)
		names[known[i].name] = true
	}
}

func TestHooksHaveAMemoryOfTheirOwn(t *testing.T) {
	for name, decoder := range Hooks() {
		first, second := decoder(), decoder()
		assert.NotSame(t, first, second, name)
	}
	assert.Len(t, Hooks(), 6)
}
