package dialect

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

func TestEveryDialectIsComplete(t *testing.T) {
	seen := map[string]bool{}
	for _, d := range All() {
		assert.False(t, seen[d.Name], "%s is listed twice", d.Name)
		seen[d.Name] = true
		assert.NotEmpty(t, d.Title, d.Name)
		assert.NotEmpty(t, d.Source, d.Name)
		for i, k := range d.Keys {
			assert.Less(t, k.To, Fields, "%s: %s", d.Name, k.From)
			for _, other := range d.Keys[:i] {
				assert.NotEqual(t, k.From, other.From, "%s reads it twice", d.Name)
			}
		}
		if len(d.Detect.With) > 0 {
			assert.NotEmpty(t, d.Detect.Names, "%s: With is only for names", d.Name)
		}
	}
	assert.Contains(t, Payloads(), "gcp.vertex.agent.llm_request")
	assert.Contains(t, Payloads(), "llm.input_messages.*")
	assert.NotContains(t, Payloads(), "prompt", "a key of one word may be anybody's")
}

// TestBestKeyCounts: of several keys for one fact the first of the table counts, the
// fact's own attribute before all.
func TestBestKeyCounts(t *testing.T) {
	table := NewTable(&Dialect{Name: "some", Keys: []Key{{From: "tool", To: ToolName}, {From: "function", To: ToolName}}})
	for want, keys := range map[string][]string{
		"gen_ai.tool.name": {"function", "gen_ai.tool.name", "tool"}, "tool": {"function", "tool"}, "function": {"function"},
	} {
		for range 2 {
			slices.Reverse(keys)
			s := &Span{Attributes: Attributes{Map: pcommon.NewMap()}, Events: ptrace.NewSpanEventSlice()}
			for _, key := range keys {
				s.Attributes.PutStr(key, key)
			}
			table.Read(s)
			require.Equal(t, want, s.Text(ToolName), "%v", keys)
			require.True(t, table.Consumed(s, "function", 1<<ToolName))
		}
	}
}
