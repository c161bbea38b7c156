package store

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/otelcol-mcp/otelcol-mcp/internal/intrusive"
)

// Snapshot is the whole state of a Table in words, to the last pointer. The wake
// token and the counter of transactions are not state.
func Snapshot(t *Table) string {
	var b strings.Builder
	for i, names := range t.names {
		for _, name := range slices.Sorted(maps.Keys(names)) {
			e := names[name]
			fmt.Fprintf(&b, "entry %d %s %p owner %p seen %d held %d alive %d phase %d slot %d\n",
				i, name, e, e.owner, e.seen, e.held, e.alive, e.phase, e.slot)
			writeSession(&b, e.s)
		}
	}
	for i, l := range []*intrusive.List[*Entry]{&t.lru, &t.idle, &t.withPayload, &t.ended, &t.filed, &t.evicted, &t.revived, &t.watch[0], &t.watch[1]} {
		fmt.Fprintf(&b, "list %d of %d:", i, l.Len())
		for n := l.Front(); n != nil; n = n.Next() {
			fmt.Fprintf(&b, " %d/%s", n.Value.book, n.Value.name)
		}
		b.WriteByte('\n')
	}
	fmt.Fprintf(&b, "stuck %d phases %v busy %v\n", t.stuck, t.phases, t.busy)
	for i, l := range []*intrusive.List[*Call]{&t.calls, &t.lost, &t.long, &t.kept, &t.still} {
		fmt.Fprintf(&b, "calls %d of %d:", i, l.Len())
		for n := l.Front(); n != nil; n = n.Next() {
			fmt.Fprintf(&b, " %p", n.Value)
		}
		b.WriteByte('\n')
	}
	fmt.Fprintf(&b, "bytes %d held %d due %d\n", t.bytes, t.held, len(t.due))
	return b.String()
}

// writeSession writes a session; empty and missing collections are the same.
func writeSession(b *strings.Builder, s *Session) {
	if s == nil {
		b.WriteString("  no session\n")
		return
	}
	flat := *s
	flat.Calls, flat.Tokens, flat.Parked = nil, nil, nil
	flat.Waits, flat.Agents, flat.Pending, flat.Redirects = nil, nil, nil, nil
	fmt.Fprintf(b, "  %p %+v\n", s, flat)
	if s.Agent != nil {
		fmt.Fprintf(b, "  agent %+v\n", *s.Agent)
	}
	for _, key := range sortedKeys(s.Calls) {
		writeCall(b, key, s.Calls[key])
	}
	for _, key := range sortedKeys(s.Parked) {
		writeCall(b, key, s.Parked[key])
	}
	for _, key := range sortedKeys(s.Redirects) {
		fmt.Fprintf(b, "  redirect %v %s\n", key, s.Redirects[key])
	}
	for _, key := range sortedKeys(s.Tokens) {
		fmt.Fprintf(b, "  token %v %p\n", key, s.Tokens[key])
	}
	for _, a := range s.Agents {
		fmt.Fprintf(b, "  agent %p %+v\n", a, *a)
	}
	fmt.Fprintf(b, "  pending %v\n", append(Reminders{}, s.Pending...))
	for _, w := range s.Waits {
		fmt.Fprintf(b, "  wait %p %+v\n", w, *w)
	}
}

// writeCall writes a call; its place among the deadlines is not state.
func writeCall(b *strings.Builder, key any, c *Call) {
	flat := *c
	flat.at = 0
	fmt.Fprintf(b, "  call %v %p %+v\n", key, c, flat)
}

func sortedKeys[K comparable, V any](m map[K]V) []K {
	return slices.SortedFunc(maps.Keys(m), func(a, b K) int {
		return strings.Compare(fmt.Sprint(a), fmt.Sprint(b))
	})
}
