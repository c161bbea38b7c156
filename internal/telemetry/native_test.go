package telemetry

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

// What an agent calls the error of a tool is what the semantic conventions call it; a type
// that says more than that stays.
func TestNativeToolErrors(t *testing.T) {
	for _, tt := range []struct {
		own, ours, want string
		kept            any
	}{
		{"ToolError", "tool_error", "tool_error", "ToolError"},
		{"tool_error", "tool_error", "tool_error", nil},
		{"timeout", "timeout", "timeout", nil},
		{"timeout", "", "timeout", nil},
		{"", "tool_error", "tool_error", nil},
	} {
		added, span := pcommon.NewMap(), ptrace.NewSpan()
		if tt.ours != "" {
			added.PutStr("error.type", tt.ours)
		}
		if tt.own != "" {
			span.Attributes().PutStr("error.type", tt.own)
		}
		for range 2 { // twice changes nothing
			(&Addition{Attributes: added}).Complete(span)
		}
		got := span.Attributes().AsRaw()
		assert.Equal(t, tt.want, got["error.type"])
		assert.Equal(t, tt.kept, got["mcp.dialect.error_type"])
	}
}
