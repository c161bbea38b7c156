package instrumentations

import "github.com/otelcol-mcp/otelcol-mcp/internal/dialect"

// Traceloop is the dialect of spans of others in what OpenLLMetry calls a workflow.
var Traceloop = dialect.Dialect{
	Name: "traceloop", Title: "Others' spans in a workflow of Traceloop",
	Source: "traceloop/openllmetry packages/traceloop-sdk, the processor of its spans",
	Detect: dialect.Detect{Keys: []string{"traceloop.*"}},
	Keys: []dialect.Key{
		{From: "traceloop.association.properties.session_id", To: dialect.Conversation},
		{From: "traceloop.association.properties.user_id", To: dialect.UserID},
	},
	Notes: []string{"Traceloop's SDK writes the workflow and who is served on every span, whatever made it. If another dialect made it, that one counts."},
}
