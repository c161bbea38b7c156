package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The pages are as committed, and each test that they name exists.
func TestPages(t *testing.T) {
	root := filepath.Join("..", "..")
	for file, page := range pages {
		want, err := page(root)
		require.NoError(t, err)
		got, err := os.ReadFile(filepath.Join(root, file))
		require.NoError(t, err)
		require.Equal(t, want, string(got), "%s: run make generate", file)
	}
}

func TestMetricsPage(t *testing.T) {
	text, err := metrics(filepath.Join("..", ".."))
	require.NoError(t, err)
	assert.Contains(t, text, "| `mcp.llm.cost` | `mcp_llm_cost_total` | counter, {USD} |")
	assert.Contains(t, text, "`otelcol_mcp_receiver_losses`")
}

func TestWhatDoesNotExist(t *testing.T) {
	root := filepath.Join("..", "..")
	for by, want := range map[string]string{
		"no-such-case":                           "there is no case no-such-case",
		"test/docgen TestNoSuchTest":             "there is no test TestNoSuchTest in test/docgen",
		"test/docgen TestWhatDoesNot":            "there is no test TestWhatDoesNot in test/docgen",
		"test/no-such-package TestWhatDoesNotEx": "there is no test TestWhatDoesNotEx in test/no-such-package",
	} {
		_, err := linkTo(root, by)
		assert.EqualError(t, err, want)
	}
	link, err := linkTo(root, "test/docgen TestWhatDoesNotExist")
	require.NoError(t, err)
	assert.Equal(t, "[TestWhatDoesNotExist](../test/docgen/main_test.go)", link)
	_, err = rule{Says: "x"}.held(root)
	assert.EqualError(t, err, `"x": name tests with by, or a reason with not`)
}
