package store

// Sizes counts what is open now.
type Sizes struct {
	Sessions, Calls int
	CallBytes       int64
	Working         int            // transactions in progress
	Stuck           int            // calls
	Stalled         int            // sessions
	Phases          map[string]int // sessions by their host's phase, "" if it has none
}
