package truncate

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/confmap"
)

func TestDefaultKeys(t *testing.T) {
	assert.True(t, slices.IsSorted(defaultKeys))
	require.NoError(t, confmap.Validate(component.Config(&Config{MaxBytes: 1, Mode: ModePrefix, Keys: defaultKeys})))
}
