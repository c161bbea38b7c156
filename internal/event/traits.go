package event

// Traits hold what an agent's reports of itself lack or delay. Rules ask for them, and
// never for the name of an agent.
type Traits struct {
	HooksLackEnd          bool // its hooks leave out the ends of some calls of tools
	SubAgentSpansComeLate bool // its own span of a sub-agent follows the hook of the end
	CostOnlyInLogs        bool // its log records have the cost of a model call, its spans do not
	CostOnlyInHooks       bool // likewise its hooks
}
