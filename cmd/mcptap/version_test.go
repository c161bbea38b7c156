//go:build unix

package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestVersion(t *testing.T) {
	out, err := mcptap(t, "--version").Output()
	require.NoError(t, err)
	assert.Regexp(t, `^mcptap version \S.*\n$`, string(out))
}
