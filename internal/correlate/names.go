package correlate

import (
	"strings"

	"github.com/cespare/xxhash/v2"
)

// label holds the names of a thing.
type label struct{ name, alias string }

// separators may stand between a prefix and the name of a tool.
const separators = "_-./:"

// names interns the labels of a set.
type names struct {
	all   []label
	index map[label]uint32 // nil while there are few
}

const fewNames = 8

// intern returns the number of the label.
func (n *names) intern(l label) uint32 {
	if n.index == nil {
		for i := range n.all {
			if n.all[i] == l {
				return uint32(i)
			}
		}
	} else if i, ok := n.index[l]; ok {
		return i
	}
	at := uint32(len(n.all)) //nolint:gosec // there are fewer than reports
	l = label{strings.Clone(l.name), strings.Clone(l.alias)}
	n.all = append(n.all, l)
	switch {
	case n.index != nil:
		n.index[l] = at
	case len(n.all) > fewNames:
		n.index = make(map[label]uint32, 2*fewNames)
		for i, l := range n.all {
			n.index[l] = uint32(i)
		}
	}
	return at
}

// better returns the label that a source keeps of two that it gave: the longer one.
func (n *names) better(a, b uint32) uint32 {
	if a == b {
		return a
	}
	x, y := n.all[a], n.all[b]
	if dx, dy := len(x.name)+len(x.alias), len(y.name)+len(y.alias); dx != dy {
		if dx > dy {
			return a
		}
		return b
	}
	if x.name > y.name || x.name == y.name && x.alias > y.alias {
		return a
	}
	return b
}

// same reports whether both labels may be of one thing of that kind.
func (n *names) same(kind Kind, a, b uint32) bool {
	if a == b {
		return true
	}
	x, y := n.all[a], n.all[b]
	if kind != ToolCall && (x.name == "" || y.name == "") {
		return true // an error may not say of which model
	}
	if kind == ToolCall && !sameServer(x, y) {
		return false
	}
	for _, p := range [...]string{x.name, x.alias} {
		for _, q := range [...]string{y.name, y.alias} {
			if p != "" && q != "" && (p == q || kind == ToolCall && SameTool(p, q)) {
				return true
			}
		}
	}
	return false
}

// sameServer reports whether both may be names of tools of one server, which an agent sets
// before the server's name of the tool.
func sameServer(x, y label) bool {
	a, b := x.server(), y.server()
	return a == "" || b == "" || SameTool(a, b)
}

// server returns what the agent sets before the server's name of the tool.
func (l label) server() string {
	before, ok := strings.CutSuffix(l.name, l.alias)
	if l.alias == "" || !ok {
		return ""
	}
	return strings.Trim(before, separators)
}

// SameTool reports whether both are names of one tool: an agent may set a prefix before it.
func SameTool(a, b string) bool {
	if len(a) < len(b) {
		a, b = b, a
	}
	before, ok := strings.CutSuffix(a, b)
	return ok && (before == "" || strings.ContainsRune(separators, rune(before[len(before)-1])))
}

// groupKey is equal for all things that may be joined by time.
func groupKey(kind Kind, l label) uint64 {
	h := uint64(kind) * 0x9e3779b97f4a7c15
	if kind != ToolCall {
		return h
	}
	name := l.name
	if name == "" {
		name = l.alias
	}
	return h ^ xxhash.Sum64String(name[strings.LastIndexAny(name, separators)+1:])
}

// The threads of an account. Sub-agents have greater numbers: hashes of their ids, which are
// compared within the reach only.
const (
	anyThread  uint16 = 0
	mainThread uint16 = 1
)

// threadOf returns the thread of a report.
func threadOf(r *Report) uint16 {
	switch {
	case r.Thread != "":
		return max(uint16(xxhash.Sum64String(r.Thread)>>48), mainThread+1)
	case r.AnyThread:
		return anyThread
	}
	return mainThread
}

// sameThread reports whether both may be one thread.
func sameThread(a, b uint16) bool { return a == b || a == anyThread || b == anyThread }
