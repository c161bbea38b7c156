package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestPage: what is committed is what is written.
func TestPage(t *testing.T) {
	root := filepath.Join("..", "..")
	want, err := page(root)
	require.NoError(t, err)
	got, err := os.ReadFile(filepath.Join(root, "docs", "metrics.md"))
	require.NoError(t, err)
	require.Equal(t, want, string(got), "run make generate")
	require.Contains(t, want, "| `mcp.llm.cost` | `mcp_llm_cost_total` | counter, {USD} |")
	require.Contains(t, want, "`otelcol_mcp_receiver_losses`")
}
