package main

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-mcp/otelcol-mcp/internal/dialect"
	"github.com/otelcol-mcp/otelcol-mcp/internal/dialects"
)

const fixtures = "../normalize/testdata"

// TestDocumentIsCurrent: docs/dialects.md is what the tables and the recordings say.
func TestDocumentIsCurrent(t *testing.T) {
	want, err := document(fixtures)
	require.NoError(t, err)
	got, err := os.ReadFile("../../../../docs/dialects.md")
	require.NoError(t, err)
	require.Equal(t, want, string(got), "run make generate")
}

// TestEveryFixtureIsShown: each dialect has a row for each of its producers, and no
// fact gets lost.
func TestEveryFixtureIsShown(t *testing.T) {
	for _, name := range dialects.Names() {
		groups, err := groupsOf(fixtures, name)
		require.NoError(t, err)
		require.NotEmpty(t, groups, name)
		for _, g := range groups {
			assert.NotEmpty(t, g.inputs, "%s: %s", name, g.producer)
			var before, after [dialect.Fields]int
			for _, input := range g.inputs {
				require.NoError(t, count(input, &before))
				require.NoError(t, count(input[:len(input)-len(".json")]+".expected.json", &after))
			}
			for _, c := range columns {
				assert.LessOrEqual(t, before[c.fact], after[c.fact], "%s: %s: %s", name, g.producer, c.title)
			}
		}
	}
}
