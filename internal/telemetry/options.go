// Package telemetry turns what sessions report, which package emit describes,
// into traces, logs and metrics.
//
// A [Batch] collects the spans and log records of one transaction, a [Meter]
// the metrics of all of them.
package telemetry

import (
	"strings"
	"sync"

	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonscan"
)

// Options are how telemetry looks. They must not change while they are in use.
type Options struct {
	Inspector        bool   // mcp.* keys that have a twin in the semantic conventions
	OTel             bool   // keys of the semantic conventions
	SemconvNames     bool   // span names of the semantic conventions rather than the Inspector's
	Payloads         bool   // arguments, results, messages, titles
	PayloadInspector bool   // payloads under the Inspector's keys
	PayloadOTel      bool   // payloads under the GenAI keys
	TextBytes        int    // limit of a short text
	ServiceName      string // replaces the senders' names unless it is empty
	ScopeName        string
	ScopeVersion     string
	Names            *Names // of services
	Logs             bool   // log records are wanted
	Metrics          bool   // measurements are wanted
}

// bodies reports whether log records have bodies of their own.
func (o *Options) bodies() bool { return o.Logs && o.Payloads }

// nameBytes bounds a name from the wire that becomes a resource or a label.
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

// NewNames accepts up to limit names.
func NewNames(limit int) *Names { return &Names{max: limit, seen: map[string]string{}} }

// Bound is the name, cut to 64 bytes, or "_other" if there are too many.
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

// boundLabel is Bound, but an absent label stays absent.
func (n *Names) boundLabel(name string) string {
	if name == "" {
		return ""
	}
	return n.Bound(name)
}
