package correlate

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"iter"
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
	// tools are the last words of tools by the hashes of those, "" while none is known; nil
	// until a name is hashed.
	tools map[string]string
}

const fewNames = 8

// find returns the number of the label, and whether it has one.
func (n *names) find(l label) (uint32, bool) {
	if n.index != nil {
		i, ok := n.index[l]
		return i, ok
	}
	for i := range n.all {
		if n.all[i] == l {
			return uint32(i), true
		}
	}
	return 0, false
}

// intern returns the number of the label.
func (n *names) intern(l label) uint32 {
	if i, ok := n.find(l); ok {
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
	if _, tool, ok := hashedTool(l.name); ok {
		if n.tools == nil {
			n.tools = make(map[string]string)
			for _, l := range n.all {
				n.reveal(l)
			}
		}
		if _, known := n.tools[tool]; !known && len(n.tools) < maxTools {
			n.tools[tool] = "" // it waits
		}
	}
	if n.tools != nil {
		n.reveal(l)
	}
	return at
}

// hashedTool returns the hashes of server and tool in {SHA-256}/{SHA-256}, in hex: an agent
// may hide the names of a server and its tool so.
func hashedTool(name string) (server, tool string, ok bool) {
	if len(name) != 2*hashBytes+1 || name[hashBytes] != '/' {
		return "", "", false
	}
	server, tool = name[:hashBytes], name[hashBytes+1:]
	for _, c := range []byte(server + tool) {
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return "", "", false
		}
	}
	return server, tool, true
}

// IsHashed reports whether the name of a tool is hidden behind hashes: of its server and of
// the tool itself.
func IsHashed(name string) bool {
	_, _, ok := hashedTool(name)
	return ok
}

func (l label) hashed() bool { return IsHashed(l.name) }

const hashBytes = 2 * sha256.Size // in hex

func hash(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:])
}

// cuts yields the ways in which the name may be a prefix and the server's name of a tool.
func cuts(name string) iter.Seq2[string, string] {
	return func(yield func(before, tool string) bool) {
		for i := range name {
			if (i == 0 || strings.IndexByte(separators, name[i-1]) >= 0) && !yield(name[:i], name[i:]) {
				return
			}
		}
	}
}

// maxTools limits the tools of which the hash is kept: no hash of a further one is known.
const maxTools = 4096

// reveal keeps of what tools the label may be, by their hashes.
func (n *names) reveal(l label) {
	for _, name := range [...]string{l.name, l.alias} {
		for _, tool := range cuts(name) {
			key := hash(tool)
			if _, waits := n.tools[key]; waits || len(n.tools) < maxTools {
				n.tools[key] = lastWord(tool)
			}
		}
	}
}

// revealed returns the hashes that only this label tells the tools of.
func (n *names) revealed(l label) (hashes []string) {
	if n.tools == nil {
		return nil
	}
	for _, name := range [...]string{l.name, l.alias} {
		for _, tool := range cuts(name) {
			key := hash(tool)
			if word, waits := n.tools[key]; waits && word == "" {
				hashes = append(hashes, key)
			}
		}
	}
	return hashes
}

// better returns the label that a source keeps of two that it gave: one that is not hashed,
// the longer one.
func (n *names) better(a, b uint32) uint32 {
	if a == b {
		return a
	}
	x, y := n.all[a], n.all[b]
	if p, q := x.hashed(), y.hashed(); p != q {
		if q {
			return a
		}
		return b
	}
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
			if p != "" && q != "" && (p == q || kind == ToolCall && (SameTool(p, q) || isHash(p, q) || isHash(q, p))) {
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
	if h := x.hashed(); h != y.hashed() {
		return a == "" || b == "" || h && hash(serverIn(b)) == a || !h && hash(serverIn(a)) == b
	}
	return a == "" || b == "" || SameTool(a, b)
}

// isHash reports whether the name may be a hash of the other one.
func isHash(name, of string) bool {
	server, tool, ok := hashedTool(name)
	if !ok {
		return false
	}
	for before, plain := range cuts(of) {
		if hash(plain) == tool && (before == "" || hash(serverIn(before)) == server) {
			return true
		}
	}
	return false
}

// serverIn returns the server in what an agent sets before the name of a tool.
func serverIn(before string) string {
	before = strings.Trim(before, separators)
	if rest, ok := strings.CutPrefix(before, "mcp"); ok && strings.IndexAny(rest, separators) == 0 {
		return strings.TrimLeft(rest, separators)
	}
	return before
}

// server returns what the agent sets before the server's name of the tool.
func (l label) server() string {
	if server, _, ok := hashedTool(l.name); ok {
		return server
	}
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
func (n *names) groupKey(kind Kind, l label) uint64 {
	h := uint64(kind) * 0x9e3779b97f4a7c15
	if kind != ToolCall {
		return h
	}
	name := l.name
	if name == "" {
		name = l.alias
	}
	word := lastWord(name)
	if _, tool, ok := hashedTool(name); ok {
		word = cmp.Or(n.tools[tool], word)
	}
	return h ^ xxhash.Sum64String(word)
}

func lastWord(name string) string { return name[strings.LastIndexAny(name, separators)+1:] }

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
