package inspectorevent

import (
	"cmp"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-mcp/otelcol-mcp/exporter/inspectorexporter/internal/facts"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// Fetch reads which resource a span fetched, nil if it names none.
func Fetch(m pcommon.Map) *Fetched {
	f := &Fetched{URI: facts.Text(facts.Str(m, mcpconv.ResourceURI)), MimeType: facts.Text(facts.Str(m, mcpconv.ResourceMimeType))}
	if n, ok := facts.Amount(m, mcpconv.ResourceBytes); ok {
		f.Bytes = &n
	}
	if f.URI == "" {
		return nil
	}
	return f
}

// Prompt reads which prompt a span applied, nil if it names none.
func Prompt(m pcommon.Map) *Prompted {
	p := &Prompted{
		TemplateID: facts.Text(cmp.Or(facts.Str(m, mcpconv.PromptTemplate), facts.Str(m, mcpconv.GenAIPromptName))),
		Parameters: object(facts.Str(m, mcpconv.PromptParameters)),
	}
	if p.TemplateID == "" {
		return nil
	}
	return p
}

// Progress reads how far a call is, nil if its share of the whole is not known.
func Progress(m pcommon.Map) *Progressed {
	share, ok := facts.Float(m, mcpconv.ProgressPercent)
	if !ok {
		done, _ := facts.Float(m, mcpconv.Progress)
		total, known := facts.Float(m, mcpconv.ProgressTotal)
		share, ok = 100*done/total, known && total > 0
	}
	p := &Progressed{Token: facts.Text(facts.Any(m, mcpconv.ProgressToken)), Percent: share, Message: facts.Text(facts.Str(m, mcpconv.ProgressMessage))}
	if !ok || p.Token == "" || !(share >= 0 && share <= 100) {
		return nil
	}
	return p
}
