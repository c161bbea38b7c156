package mcpprocessor

import (
	"go.opentelemetry.io/collector/component"

	"github.com/otelcol-mcp/otelcol-mcp/processor/mcpprocessor/internal/truncate"
)

// Config configures the processor.
type Config struct {
	// Truncate cuts long values.
	Truncate TruncateConfig `mapstructure:"truncate"`
	// Stitch joins the traces of clients and the servers that they called.
	Stitch StitchConfig `mapstructure:"stitch"`
	// prevent unkeyed literal initialization
	_ struct{}
}

var _ component.Config = (*Config)(nil)

// TruncateConfig says which values are too long and how they are cut.
type TruncateConfig = truncate.Config

// Mode is how a value is cut.
type Mode = truncate.Mode

// How a value is cut.
const (
	ModePrefix = truncate.ModePrefix
	ModeJSON   = truncate.ModeJSON
)
