package sessions

import (
	"cmp"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-mcp/otelcol-mcp/exporter/inspectorexporter/internal/attribute"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// fetched reads which resource a span fetched, nil if it names none.
func fetched(m pcommon.Map) *Fetched {
	f := &Fetched{URI: attribute.Text(attribute.Str(m, mcpconv.ResourceURI)), MimeType: attribute.Text(attribute.Str(m, mcpconv.ResourceMimeType))}
	if n, ok := attribute.Amount(m, mcpconv.ResourceBytes); ok {
		f.Bytes = &n
	}
	if f.URI == "" {
		return nil
	}
	return f
}

// prompted reads which prompt a span applied, nil if it names none.
func prompted(m pcommon.Map) *Prompted {
	p := &Prompted{
		TemplateID: attribute.Text(cmp.Or(attribute.Str(m, mcpconv.PromptTemplate), attribute.Str(m, mcpconv.GenAIPromptName))),
		Parameters: objectOf(attribute.Str(m, mcpconv.PromptParameters)),
	}
	if p.TemplateID == "" {
		return nil
	}
	return p
}

// progressed reads how far a call is, nil if its share of the whole is not known.
func progressed(m pcommon.Map) *Progressed {
	share, ok := attribute.Float(m, mcpconv.ProgressPercent)
	if !ok {
		done, _ := attribute.Float(m, mcpconv.Progress)
		total, known := attribute.Float(m, mcpconv.ProgressTotal)
		share, ok = 100*done/total, known && total > 0
	}
	p := &Progressed{Token: attribute.Text(attribute.Any(m, mcpconv.ProgressToken)), Percent: share, Message: attribute.Text(attribute.Str(m, mcpconv.ProgressMessage))}
	if !ok || p.Token == "" || !(share >= 0 && share <= 100) {
		return nil
	}
	return p
}
