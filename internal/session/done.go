package session

import (
	"strings"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session/store"
)

// resolution is how far apart two sources may see the beginning of one turn or sub-agent, in ns.
const resolution = int64(2e9)

// deed is one thing that an agent did, as one source tells of it.
type deed struct {
	Kind   event.CallKind
	Key    store.CallKey
	Name   string // of the tool or model
	Start  int64  // Unix ns
	Source event.Source
}

// loose reports whether the source gave it no id.
func (d *deed) loose() bool { return strings.HasPrefix(d.Key.ID, store.GeneratedID) }

// near reports whether two sources may mean the same by these times.
func near(a, b int64) bool { return max(a-b, b-a) <= resolution }
