package telemetry

import (
	"strings"
	"sync"

	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonscan"
)

// nameMaxBytes bounds a name from the wire.
const nameMaxBytes = 64

// OtherName stands for all names beyond the limit.
const OtherName = "_other"

// Names bounds how many different names clients can make up for something that costs
// memory: services, values of metric attributes. It is safe for concurrent use.
type Names struct {
	max  int
	mu   sync.RWMutex
	seen map[string]string
}

// NewNames accepts up to limit names.
func NewNames(limit int) *Names { return &Names{max: limit, seen: map[string]string{}} }

// Bound is the name, cut to 64 bytes, or [OtherName] if there are too many.
func (n *Names) Bound(name string) string {
	name = jsonscan.Cut(name, nameMaxBytes)
	n.mu.RLock()
	known, ok := n.seen[name]
	n.mu.RUnlock()
	if ok {
		return known
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if known, ok = n.seen[name]; ok {
		return known
	}
	if len(n.seen) >= n.max {
		return OtherName
	}
	name = strings.Clone(name)
	n.seen[name] = name
	return name
}

// Label is Bound, but an absent name stays absent.
func (n *Names) Label(name string) string {
	if name == "" {
		return ""
	}
	return n.Bound(name)
}
