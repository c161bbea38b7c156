package facts

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// TestIsModel: frameworks name a call of a model by one of three operations.
func TestIsModel(t *testing.T) {
	for operation, want := range map[string]bool{
		"chat": true, "generate_content": true, "text_completion": true, "embeddings": false, "execute_tool": false, "": false,
	} {
		span := ptrace.NewSpan()
		span.Attributes().PutStr("gen_ai.operation.name", operation)
		assert.Equal(t, want, IsModel(span), operation)
		span.Attributes().PutStr("mcp.dialect.repeats", "usage")
		assert.False(t, IsModel(span), operation)
	}
	llm := ptrace.NewSpan()
	llm.SetName("llm.generate")
	assert.True(t, IsModel(llm))
}
