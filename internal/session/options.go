package session

import (
	"time"
)

// AgentOptions are how what agents report of themselves is joined. They do not
// change while they are in use.
type AgentOptions struct {
	JoinWait     time.Duration // for which what has ended is held for a better source
	StalledAfter time.Duration // silence after which an agent with hooks is stalled
	Prices       Prices
	Windows      Windows
}
