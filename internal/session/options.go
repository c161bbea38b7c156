package session

import "time"

// Options are the limits and switches of a [Tracker]; all must be set.
type Options struct {
	Namespace      string
	IdleTimeout    time.Duration // silence after which a session ends
	Linger         time.Duration // how long late messages reopen nothing
	MaxSessions    int           // open ones, and as many ended ones are remembered
	MaxSpans       int           // spans after which a session goes on in a new epoch
	CallTimeout    time.Duration
	MaxOpenCalls   int
	MaxOpenBytes   int64 // payload held for open calls
	ProgressEvents int   // span events kept for each call, at least 2
	TextBytes      int   // names and short texts are cut at this length
	KeepPayloads   bool
	KeepEnvelopes  bool
	DropMethods    map[string]bool

	StuckAfter       time.Duration // without progress, after which a call is told to be stuck
	StalledAfter     time.Duration // without a sign, after which a host is told to be stalled
	NoticesPerSecond int           // of one session
	DedupeKeys       int           // of reminders not yet shown, kept for each session
	DropUndeclared   bool          // reminders of servers that did not declare them
	InBand           bool          // spans that servers send along are wanted
	MinLevel         uint8         // of log messages, of [Levels]
	MaxPending       int           // evicted sessions that wait for a pipeline to take them

	// Lost is called when a "session" or "call" is dropped untold, because it was
	// to be evicted and no pipeline took that in time. It must be quick and must
	// not call the Tracker.
	Lost func(kind string)
}

// What [Tx.Counts] counts beside the reasons for which messages are invalid.
const (
	OrphanReply    = "orphan reply"      // no request with its id is open
	LateReply      = "late reply"        // its call was cancelled
	Repeated       = "repeated"          // equal to what is open
	ReusedID       = "reused id"         // the id of an open call came again
	NegativeDelta  = "negative delta"    // a heartbeat that counts backwards
	BadContext     = "bad trace context" // a traceparent that is not valid
	AmbiguousState = "ambiguous state"   // two calls ask for input with the same state
	SessionEvicted = "session evicted"
	CallEvicted    = "call evicted"
)

// What it counts of messages that were dropped on purpose.
const (
	HostRepeated = "host repeated" // equal to what the host told another server
	BelowLevel   = "below level"   // a log message nobody wants
	Undeclared   = "undeclared"    // a reminder of a server that did not declare any
	Flood        = "flood"         // more notifications in a second than a session may send
	StreamUpdate = "stream update" // of ACP: a piece of text, mostly
	ForeignSpan  = "foreign span"  // sent along, but not of the call's trace
	FloodBegins  = "flood begins"  // the first of these in a session
)
