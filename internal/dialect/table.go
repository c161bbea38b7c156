package dialect

import (
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// Table is a dialect's table, ready to look up keys. It is safe for concurrent use.
type Table struct {
	*Dialect
	// keys are what the table knows, by [slot]: most of the keys of a span are not in it.
	keys [slots][]row
}

// row is a key of a table.
type row struct {
	key string
	entry
}

// slots is for how many hashes a table has room: a power of two, several times as many
// as a table has keys.
const slots = 512

// slot is where a key belongs. Keys share their beginnings, so its end and its length
// tell the most.
func slot(key string) uint {
	n := uint(len(key))
	if n < 4 {
		return n
	}
	return (n*7 ^ uint(key[n-1]) ^ uint(key[n-2])<<3 ^ uint(key[n/2])<<4 ^ uint(key[n-4])<<1) % slots
}

// find is what the table knows of a key.
func (t *Table) find(key string) (*entry, bool) {
	rows := t.keys[slot(key)]
	for i := range rows {
		if rows[i].key == key {
			return &rows[i].entry, true
		}
	}
	return nil, false
}

// entry is what a key means; of several for one fact that of the least rank counts.
type entry struct {
	to        Field
	rank      uint8
	own       Field // the fact whose own attribute it is
	inspector Field // the fact whose attribute of the Inspector it is
	as        func(*Span, Field, pcommon.Value)
}

// Ranks that come after those of a dialect's own keys.
const (
	inspectorRank = 199
	formerRank    = 200
)

// NewTable makes the table of a dialect: its own keys, the attributes of the facts
// themselves, and their former names.
func NewTable(d *Dialect) *Table {
	keys := make(map[string]entry, len(d.Keys)+len(former)+2*int(Fields))
	for _, k := range former {
		keys[k.From] = entry{to: k.To, rank: formerRank, as: k.As}
	}
	for f := range Targets {
		target := &Targets[f]
		if target.Inspector != "" {
			keys[target.Inspector] = entry{to: Field(f), rank: inspectorRank, inspector: Field(f)}
		}
		if target.Key != "" {
			keys[target.Key] = entry{to: Field(f), own: Field(f)}
		}
	}
	keys[mcpconv.StatusCode] = entry{to: statusWord, own: statusWord}
	keys[mcpconv.ErrorMessage] = entry{to: errorMessage, own: errorMessage}
	for i, k := range d.Keys {
		before := keys[k.From]
		keys[k.From] = entry{to: k.To, rank: uint8(i + 1), as: k.As, own: before.own, inspector: before.inspector}
	}
	t := &Table{Dialect: d}
	for key, e := range keys {
		t.keys[slot(key)] = append(t.keys[slot(key)], row{key, e})
	}
	return t
}

// Read reads the attributes of the span, and finishes what they say.
func (t *Table) Read(s *Span) {
	s.prefixes = t.Prefixes
	for key, v := range s.Attributes.All() {
		e, ok := t.find(key)
		if !ok {
			s.prefixed(key)
			continue
		}
		s.read(e, v)
	}
	foreignOperation(s)
	if t.Finish != nil {
		t.Finish(s)
	}
	complete(s)
}

// Consumed reports whether the value of an attribute is now under the keys of the
// conventions, so that it can be removed. written are the facts that were written, a
// bit each.
func (t *Table) Consumed(s *Span, key string, written uint64) bool {
	if e, ok := t.find(key); ok {
		return e.own == 0 && e.inspector == 0 && (written|s.used|s.own)&(1<<e.to) != 0
	}
	for i, prefix := range t.Prefixes {
		if rest, ok := strings.CutPrefix(key, prefix); ok && rest != "" && rest[0] >= '0' && rest[0] <= '9' {
			return s.spent&(1<<i) != 0
		}
	}
	return false
}
