package attribute

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
)

// TestCallName: a call that has begun has the name that its span will have.
func TestCallName(t *testing.T) {
	for want, attributes := range map[string]map[string]any{
		"tool.call":       {"mcp.rpc.method": "tools/call", "gen_ai.operation.name": "execute_tool"},
		"resource.fetch":  {"mcp.method.name": "resources/read"},
		"completion/list": {"mcp.rpc.method": "completion/list"},
		"llm.generate":    {"gen_ai.operation.name": "chat"},
		"agent.call":      {"gen_ai.operation.name": "invoke_agent", "mcp.agent.name": "Explore"},
		"call":            {"other": 1},
	} {
		m := pcommon.NewMap()
		require.NoError(t, m.FromRaw(attributes))
		assert.Equal(t, want, CallName(m))
	}
	m := pcommon.NewMap()
	m.PutStr("mcp.tool.name", "Bash") // of hooks
	assert.Equal(t, "tool.call", CallName(m))
}
