package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Each test that the page names exists, and what is committed is what is written.
func TestPage(t *testing.T) {
	root := filepath.Join("..", "..")
	want, err := page(root)
	require.NoError(t, err)
	got, err := os.ReadFile(filepath.Join(root, "docs", "conformance.md"))
	require.NoError(t, err)
	require.Equal(t, want, string(got), "run make generate")
}

func TestWhatDoesNotExist(t *testing.T) {
	root := filepath.Join("..", "..")
	for by, want := range map[string]string{
		"no-such-case":                           "there is no case no-such-case",
		"test/conformancedoc TestNoSuchTest":     "there is no test TestNoSuchTest in test/conformancedoc",
		"test/conformancedoc TestWhatDoesNot":    "there is no test TestWhatDoesNot in test/conformancedoc",
		"test/no-such-package TestWhatDoesNotEx": "there is no test TestWhatDoesNotEx in test/no-such-package",
	} {
		_, err := linkTo(root, by)
		assert.EqualError(t, err, want)
	}
	link, err := linkTo(root, "test/conformancedoc TestWhatDoesNotExist")
	require.NoError(t, err)
	assert.Equal(t, "[TestWhatDoesNotExist](../test/conformancedoc/main_test.go)", link)
	_, err = rule{Says: "x"}.held(root)
	assert.EqualError(t, err, `"x": name tests with by, or a reason with not`)
}
