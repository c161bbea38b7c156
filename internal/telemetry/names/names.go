// Package names bounds how many different names clients can make up for something
// that costs memory: services, values of metric attributes.
package names

import (
	"strings"
	"sync"

	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonscan"
)

// nameBytes bounds a name from the wire.
const nameBytes = 64

// Other stands for all names beyond the limit.
const Other = "_other"

// Set is the names that are known. It is safe for concurrent use.
type Set struct {
	max  int
	mu   sync.RWMutex
	seen map[string]string
}

// New accepts up to limit names.
func New(limit int) *Set { return &Set{max: limit, seen: map[string]string{}} }

// Bound is the name, cut to 64 bytes, or [Other] if there are too many.
func (n *Set) Bound(name string) string {
	name = jsonscan.Cut(name, nameBytes)
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
		return Other
	}
	name = strings.Clone(name)
	n.seen[name] = name
	return name
}

// Label is Bound, but an absent name stays absent.
func (n *Set) Label(name string) string {
	if name == "" {
		return ""
	}
	return n.Bound(name)
}
