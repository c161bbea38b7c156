package native

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// A native span keeps what it says itself, but for an operation that the semantic
// conventions do not have.
func TestNativeOperations(t *testing.T) {
	for _, tt := range []struct {
		name, own, want string
		kept            any
	}{
		{"none", "", "execute_tool", nil},
		{"of the conventions", "generate_content", "generate_content", nil},
		{"another", "tool_call", "execute_tool", "tool_call"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			added := pcommon.NewMap()
			added.PutStr("gen_ai.operation.name", "execute_tool")
			added.PutStr("gen_ai.tool.name", "ours")
			span := ptrace.NewSpan()
			span.Attributes().PutStr("gen_ai.tool.name", "its own")
			if tt.own != "" {
				span.Attributes().PutStr("gen_ai.operation.name", tt.own)
			}
			for range 2 { // twice changes nothing
				(&Addition{Attributes: added}).Complete(span)
			}
			got := span.Attributes().AsRaw()
			assert.Equal(t, tt.want, got["gen_ai.operation.name"])
			assert.Equal(t, tt.kept, got["mcp.dialect.operation"])
			assert.Equal(t, "its own", got["gen_ai.tool.name"])
		})
	}
}
