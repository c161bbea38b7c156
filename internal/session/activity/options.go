package activity

import (
	"time"

	"github.com/otelcol-mcp/otelcol-mcp/internal/session/models"
)

// AgentOptions are how what agents report of themselves is joined. They do not
// change while they are in use.
type AgentOptions struct {
	JoinWait     time.Duration // for which what has ended is held for a better source
	StalledAfter time.Duration // silence after which an agent with hooks is stalled
	Prices       models.Prices
	Windows      models.Windows
}
