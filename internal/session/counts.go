package session

// What a transaction counts, beside the reasons for which messages are invalid.
const (
	OrphanReply    = "orphan reply"      // no request with its id is open
	LateReply      = "late reply"        // its call was cancelled, or has ended
	ReusedID       = "reused id"         // the id of an open call came again
	NegativeDelta  = "negative delta"    // a heartbeat that counts backwards
	BadContext     = "bad trace context" // a traceparent that is not valid
	AmbiguousState = "ambiguous state"   // two calls ask for input with the same state
	SessionEvicted = "session evicted"
	CallEvicted    = "call evicted"
	FactsMerged    = "facts merged" // two facts turned out to be one
)

// What it counts of messages that were dropped on purpose.
const (
	Repeated         = "repeated"           // came before
	HostRepeated     = "host repeated"      // equal to what the host sent to another server
	BelowLevel       = "below level"        // a log message that nobody wants
	Undeclared       = "undeclared"         // a reminder of a server that did not declare any
	Flood            = "flood"              // more notifications in a second than a session may send
	FloodBegins      = "flood begins"       // the first of these in a session
	BelowLevelBegins = "below level begins" // the first of these in a session
	UndeclaredBegins = "undeclared begins"  // likewise
	StreamUpdate     = "stream update"      // of ACP: a piece of text, mostly
	ForeignSpan      = "foreign span"       // sent along, but not of the call's trace
)
