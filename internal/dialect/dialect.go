// Package dialect knows how frameworks, SDKs, gateways and agents name in their spans
// and log records what OpenTelemetry's semantic conventions for generative AI and MCP
// have names for. Each dialect is one file: how it is recognised, a table of keys,
// and the few functions that a table cannot express. It reads, and changes nothing:
// the processor writes.
package dialect

import (
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// Dialect is one way to write telemetry of agents. It must not be changed.
type Dialect struct {
	// Name is its name in the configuration and in mcp.dialect.
	Name string
	// Title is what people call it.
	Title string
	// Source is where its facts are from.
	Source string
	Detect Detect
	// Keys are what it writes, and what that is by the conventions. If several keys
	// mean one fact, the first in the list that is there counts.
	Keys []Key
	// Prefixes begin keys that only a function reads.
	Prefixes []string
	// Finish adds what the table cannot express. It may be nil.
	Finish func(*Span)
	// Notes are for the documentation: what Finish does, a rule each.
	Notes []string
}

// Detect is how a dialect is recognised: by any of the first five, or by its names
// together with all keys of With. A text that ends in * is a prefix.
type Detect struct {
	Scopes   []string // names of instrumentation scopes
	Services []string // values of service.name
	Events   []string // names of log records: their event name, event.name or body
	Keys     []string // keys of attributes
	Names    []string // names of spans
	// With are keys that must be there too for Names to count.
	With []string
}

// Key is a row of a dialect's table.
type Key struct {
	From string // the key of the attribute that is read
	To   Field  // the fact that it is
	// As converts the value. If nil, it is taken as it is.
	As func(*Span, Field, pcommon.Value)
}

// All are the dialects in the order in which they are tried: the first that is
// recognised counts. The last one are former names of the conventions themselves.
func All() []*Dialect {
	return []*Dialect{
		&claudeCode, &codex, &geminiCLI, &copilot, &openInference, &openLLMetry, &langfuse, &adk, &vercel, &vercelOTel,
		&springAI, &mastra, &genkit, &fastMCP, &cSharp, &pythonSDK, &mcpGo, &logfire, &envoy, &toolHive, &agentgateway, &inspector, &semconv,
	}
}

// Names are the names of all dialects, in the order of [All].
func Names() (names []string) {
	for _, d := range All() {
		names = append(names, d.Name)
	}
	return names
}

// Payloads are the keys under which dialects have what people, models and tools said.
func Payloads() (keys []string) {
	for _, d := range All() {
		for _, k := range d.Keys {
			// A key of one word may be anybody's.
			if (Targets[k.To].Payload || k.To >= RawInput && k.To <= RawMore) && strings.ContainsAny(k.From, ".:") {
				keys = append(keys, k.From)
			}
		}
	}
	return keys
}

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
