package dialect

// traceloop is the dialect of spans of others in what OpenLLMetry calls a workflow.
var traceloop = Dialect{
	Name: "traceloop", Title: "Others' spans in a workflow of Traceloop",
	Source: "traceloop/openllmetry packages/traceloop-sdk, the processor of its spans",
	Detect: Detect{Keys: []string{"traceloop.*"}},
	Keys: []Key{
		{From: "traceloop.association.properties.session_id", To: Conversation},
		{From: "traceloop.association.properties.user_id", To: UserID},
	},
	Notes: []string{"Traceloop's SDK writes the workflow and who is served on every span, whatever made it. If another dialect made it, that one counts."},
}
