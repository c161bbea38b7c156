package mcpreceiver

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
	"github.com/otelcol-mcp/otelcol-mcp/receiver/mcpreceiver/internal/metadata"
)

// The processor knows our spans by their scope.
func TestScope(t *testing.T) {
	assert.Equal(t, mcpconv.ReceiverScope, metadata.ScopeName)
}
