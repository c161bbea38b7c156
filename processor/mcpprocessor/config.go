package mcpprocessor

import (
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/confmap"

	shared "github.com/otelcol-mcp/otelcol-mcp/internal/component"
	"github.com/otelcol-mcp/otelcol-mcp/processor/mcpprocessor/internal/mask"
	"github.com/otelcol-mcp/otelcol-mcp/processor/mcpprocessor/internal/normalize"
	"github.com/otelcol-mcp/otelcol-mcp/processor/mcpprocessor/internal/stitch"
	"github.com/otelcol-mcp/otelcol-mcp/processor/mcpprocessor/internal/truncate"
)

// Config configures the processor.
type Config struct {
	// Normalize translates what frameworks and SDKs write in dialects of their own.
	Normalize NormalizeConfig `mapstructure:"normalize"`
	// Mask replaces secrets.
	Mask MaskConfig `mapstructure:"mask"`
	// Truncate cuts long values.
	Truncate TruncateConfig `mapstructure:"truncate"`
	// Stitch joins the traces of clients and the servers that they called.
	Stitch StitchConfig `mapstructure:"stitch"`
	// prevent unkeyed literal initialization
	_ struct{}
}

var _ component.Config = (*Config)(nil)

// Unmarshal decodes the configuration.
func (c *Config) Unmarshal(conf *confmap.Conf) error { return shared.Unmarshal(conf, c) }

type (
	// NormalizeConfig says which dialects are translated, and to what.
	NormalizeConfig = normalize.Config
	// MaskConfig says which secrets are replaced.
	MaskConfig = mask.Config
	// TruncateConfig says which values are too long and how they are cut.
	TruncateConfig = truncate.Config
	// Mode selects how a value is cut.
	Mode = truncate.Mode
	// StitchConfig says which spans belong together and how long they wait.
	StitchConfig = stitch.Config
	// StitchMode selects how two traces are joined.
	StitchMode = stitch.Mode
	// IndexConfig says where claims and decisions are kept.
	IndexConfig = stitch.IndexConfig
	// IndexType is where claims and decisions are kept.
	IndexType = stitch.IndexType
)

// Values of [TruncateConfig] and [StitchConfig].
const (
	ModePrefix    = truncate.ModePrefix
	ModeJSON      = truncate.ModeJSON
	StitchRewrite = stitch.ModeRewrite
	StitchLink    = stitch.ModeLink
	IndexMemory   = stitch.IndexMemory
	IndexRedis    = stitch.IndexRedis
)
