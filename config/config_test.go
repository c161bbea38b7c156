package config

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestRead(t *testing.T) {
	text, err := Read("default")
	require.NoError(t, err)
	assert.Contains(t, string(text), "pipelines:")
}

func TestReadUnknown(t *testing.T) {
	_, err := Read("nosuch")
	require.Error(t, err)
	for _, name := range Names() {
		assert.ErrorContains(t, err, name)
	}
}
