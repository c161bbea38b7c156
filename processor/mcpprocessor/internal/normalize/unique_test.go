package normalize

import (
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"pgregory.net/rapid"

	"github.com/otelcol-mcp/otelcol-mcp/internal/dialect"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// written are the keys that are written besides those of facts.
var written = []string{
	mcpconv.DialectOperation, mcpconv.DialectErrorType, mcpconv.DialectToolType, mcpconv.DialectRepeats, mcpconv.DialectKind,
	mcpconv.DialectSpanName, mcpconv.DialectStatus, mcpconv.DialectStatusMessage, mcpconv.StatusCode, mcpconv.ErrorCode, mcpconv.ErrorMessage,
}

func requireUnique(t require.TestingT, m pcommon.Map) {
	seen := map[string]bool{}
	for key := range m.All() {
		require.False(t, seen[key], "%s is there twice", key)
		seen[key] = true
	}
}

// TestWhatIsThereStays: a key that would be written besides is not if it is there.
func TestWhatIsThereStays(t *testing.T) {
	n := newNormalizer(t, func(c *Config) { c.RenameSpans = true })
	for dialect, list := range examples {
		for _, key := range written {
			td := batchOfExamples(list, len(list))
			for _, span := range td.ResourceSpans().At(0).ScopeSpans().At(0).Spans().All() {
				span.Attributes().PutStr(key, "before")
			}
			_, _ = n.Traces(t.Context(), td)
			for _, span := range td.ResourceSpans().At(0).ScopeSpans().At(0).Spans().All() {
				requireUnique(t, span.Attributes())
				v, _ := span.Attributes().Get(key)
				require.Equal(t, "before", v.Str(), "%s: %s", dialect, span.Name())
			}
		}
	}
}

// TestKeysAreUnique: whatever is there, no key is there twice afterwards.
func TestKeysAreUnique(t *testing.T) {
	normalizers := map[string]*Normalizer{}
	for name, change := range variants {
		normalizers[name] = newNormalizer(t, change)
	}
	rapid.Check(t, func(r *rapid.T) {
		td := drawTraces(r)
		m := onlySpan(td).Attributes()
		for range rapid.IntRange(0, 3).Draw(r, "written") {
			drawValue(r, m.PutEmpty(rapid.SampledFrom(written).Draw(r, "besides")))
		}
		for _, n := range normalizers {
			after := ptrace.NewTraces()
			td.CopyTo(after)
			_, _ = n.Traces(t.Context(), after)
			requireUnique(r, onlySpan(after).Attributes())
		}
	})
}

// TestFactsHaveKeysOfTheirOwn: it is known of each whether it is there.
func TestFactsHaveKeysOfTheirOwn(t *testing.T) {
	seen := map[string]bool{"": true}
	for _, target := range dialect.Targets {
		for _, key := range []string{target.Key, target.Inspector} {
			require.False(t, key != "" && seen[key], key)
			seen[key] = true
		}
	}
	for _, key := range written {
		require.False(t, seen[key], key)
	}
}
