// Package telemetry turns what the tracker says happened into pdata.
package telemetry

import (
	"strings"
	"sync"

	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonscan"
)

// Options say how spans look.
type Options struct {
	Inspector        bool // mcp.* keys that have a twin in the semantic conventions
	OTel             bool // semantic conventions
	Payloads         bool
	PayloadInspector bool // payloads under the Inspector's keys
	PayloadOTel      bool // payloads under the GenAI keys
	TextBytes        int
	ServiceName      string // instead of the senders' names
	ScopeName        string
	ScopeVersion     string
	Names            *Names
	Logs             bool // log records are wanted
	Metrics          bool // measurements are wanted
}

// nameBytes bounds a name from the wire that becomes a resource.
const nameBytes = 64

// otherName stands for all names beyond the limit.
const otherName = "_other"

// Names bounds how many different names clients can make up. It is safe for
// concurrent use.
type Names struct {
	max  int
	mu   sync.RWMutex
	seen map[string]string
}

// NewNames lets limit names through.
func NewNames(limit int) *Names { return &Names{max: limit, seen: map[string]string{}} }

// Bound is the name, cut to 64 bytes, or "_other" when there are too many.
func (n *Names) Bound(name string) string {
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
		return otherName
	}
	name = strings.Clone(name)
	n.seen[name] = name
	return name
}
