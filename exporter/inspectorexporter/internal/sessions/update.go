package sessions

import (
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-mcp/otelcol-mcp/exporter/inspectorexporter/internal/daily"
)

// Update is what one span or log record changed.
type Update struct {
	ID     string     // of the session; empty if it belongs to none
	Stream daily.Kind // that it belongs to then
	Events []Event
	Ended  bool     // the session is over
	Noted  bool     // the row is to be stored with the session
	Opened *Opening // a span that runs now, of which nothing was seen yet
	Folds  []Fold   // sessions that are part of another one since the last Update
}

// Opening is a span that runs, for the trace: everything known of it, but no end.
type Opening struct {
	Name   string
	Span   pcommon.SpanID
	Parent pcommon.SpanID // its root's, where nothing else is known
}
