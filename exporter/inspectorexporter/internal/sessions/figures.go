package sessions

import "github.com/otelcol-mcp/otelcol-mcp/exporter/inspectorexporter/internal/figures"

// The figures of a row.
type (
	Time    = figures.Time
	Usage   = figures.Usage
	Totals  = figures.Totals
	Context = figures.Context
)
