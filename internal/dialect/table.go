package dialect

import (
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// Table is a dialect's table, ready to look up keys. It is safe for concurrent use.
type Table struct {
	*Dialect
	// first is where the rows of a [slot] begin, none for most: so it is small enough
	// to stay in the cache from one span to the next.
	first [slots]uint16
	// rows holds the contents of the table. The first one is no key's.
	rows []row
}

// row is a key of a table.
type row struct {
	key  string
	next uint16 // the next one of the slot, 0 if there is none
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

// find returns what the table knows of a key, nil if nothing.
func (t *Table) find(key string) *entry {
	for i := t.first[slot(key)]; i != 0; i = t.rows[i].next {
		if t.rows[i].key == key {
			return &t.rows[i].entry
		}
	}
	return nil
}

// add adds a row.
func (t *Table) add(key string, e entry) {
	at := &t.first[slot(key)]
	t.rows = append(t.rows, row{key, *at, e})
	*at = uint16(len(t.rows) - 1) //nolint:gosec // a few hundred
}

// entry holds what a key means; of several for one fact that of the least rank counts.
type entry struct {
	to        Field
	rank      uint8
	own       Field // the fact whose own attribute it is
	inspector Field // the fact whose attribute of the Inspector it is
	kept      bool  // it is written besides those of facts
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
	keys[mcpconv.ErrorCode] = entry{to: errorCode, own: errorCode}
	for i, k := range d.Keys {
		before := keys[k.From]
		keys[k.From] = entry{to: k.To, rank: uint8(i + 1), as: k.As, own: before.own, inspector: before.inspector}
	}
	for _, key := range besides {
		e := keys[key]
		e.kept = true
		keys[key] = e
	}
	t := &Table{Dialect: d, rows: make([]row, 1, len(keys)+1)}
	for key, e := range keys {
		t.add(key, e)
	}
	return t
}

// Read reads the attributes of the span, and finishes what they say.
func (t *Table) Read(s *Span) {
	s.prefixes = t.Prefixes
	for key, v := range s.Attributes.All() {
		if e := t.find(key); e != nil {
			s.read(e, v)
		} else {
			s.prefixed(key)
		}
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
	if e := t.find(key); e != nil {
		return e.own == 0 && e.inspector == 0 && (written|s.used|s.own)&(1<<e.to) != 0
	}
	for i, prefix := range t.Prefixes {
		if rest, ok := strings.CutPrefix(key, prefix); ok && rest != "" && rest[0] >= '0' && rest[0] <= '9' {
			return s.spent&(1<<i) != 0
		}
	}
	return false
}
