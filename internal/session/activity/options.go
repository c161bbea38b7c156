package activity

import (
	"time"

	"github.com/otelcol-mcp/otelcol-mcp/internal/session/state"
)

// AgentOptions are how what agents report of themselves is joined. They do not
// change while they are in use.
type AgentOptions struct {
	JoinWait     time.Duration // for which what has ended is held for a better source
	StalledAfter time.Duration // silence after which an agent with hooks is stalled
	Prices       []Price       // the first that fits counts, as of the next
	Windows      []Window
}

// Price is what a model costs, in US dollars per million tokens.
type Price struct {
	Model      string // pattern, in which * stands for any text
	Input      float64
	Output     float64
	CacheRead  float64
	CacheWrite float64
}

// of is what that usage costs. Input includes what was read from and written to
// the cache.
func (p *Price) of(u *state.Usage) float64 {
	plain := max(0, u.Input-u.CacheRead-u.CacheWrite)
	const million = 1e6
	return (float64(plain)*p.Input + float64(u.CacheRead)*p.CacheRead + float64(u.CacheWrite)*p.CacheWrite + float64(u.Output)*p.Output) / million
}

// Window is how many tokens fit into the context of a model.
type Window struct {
	Model  string // pattern, in which * stands for any text
	Tokens int64
}
