package stitch

// mode joins the two sides of a call: [linkMode] or [rewriteMode]. All
// methods are called under the lock.
type mode interface {
	// observe records what the spans of a batch mean.
	observe(items)
	// place links and rewrites the spans of a batch that was observed, and marks
	// those that have to wait. It returns how many these are.
	place(items) (waiting int)
	// addClaim records a claim, perhaps not for the first time, and returns the
	// place of its value.
	addClaim(Value, Claim) Place
	// onDecision handles the answer to a query about a trace. If there is no answer,
	// answered is false.
	onDecision(q *Query, answered bool)
}
