package session

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/stretchr/testify/require"
)

// snapshot is the whole state of a Tracker in words, to the last pointer. The
// wake token and the counter of transactions are not state.
func snapshot(t *Tracker) string {
	var b strings.Builder
	for i, book := range t.books {
		for _, name := range slices.Sorted(maps.Keys(book)) {
			e := book[name]
			fmt.Fprintf(&b, "entry %d %s %p owner %p seen %d held %d\n", i, name, e, e.owner, e.seen, e.held)
			writeSession(&b, e.s)
		}
	}
	for i, l := range []*list[*entry]{&t.lru, &t.idle, &t.heavy, &t.ended, &t.out} {
		fmt.Fprintf(&b, "list %d of %d:", i, l.n)
		for n := l.front; n != nil; n = n.next {
			fmt.Fprintf(&b, " %d/%s", n.value.book, n.value.name)
		}
		b.WriteByte('\n')
	}
	fmt.Fprintf(&b, "stuck %d phases %v busy %v watched %d\n", t.stuck, t.phases, t.busy, t.watch.n)
	for i, l := range []*list[*Call]{&t.calls, &t.patient, &t.still} {
		fmt.Fprintf(&b, "calls %d of %d:", i, l.n)
		for n := l.front; n != nil; n = n.next {
			fmt.Fprintf(&b, " %p", n.value)
		}
		b.WriteByte('\n')
	}
	fmt.Fprintf(&b, "bytes %d held %d\n", t.bytes, t.held)
	return b.String()
}

// writeSession writes a session; empty and missing collections are the same.
func writeSession(b *strings.Builder, s *Session) {
	if s == nil {
		b.WriteString("  no session\n")
		return
	}
	flat := *s
	flat.calls, flat.tokens, flat.waits, flat.agents, flat.pending = nil, nil, nil, nil, nil
	flat.parked, flat.redirects = nil, nil
	fmt.Fprintf(b, "  %p %+v\n", s, flat)
	if s.hooks != nil {
		fmt.Fprintf(b, "  hooks %+v\n", *s.hooks)
	}
	for _, key := range sortedKeys(s.calls) {
		writeCall(b, key, s.calls[key])
	}
	for _, key := range sortedKeys(s.parked) {
		writeCall(b, key, s.parked[key])
	}
	for _, key := range sortedKeys(s.redirects) {
		fmt.Fprintf(b, "  redirect %v %s\n", key, s.redirects[key])
	}
	for _, key := range sortedKeys(s.tokens) {
		fmt.Fprintf(b, "  token %v %p\n", key, s.tokens[key])
	}
	for _, a := range s.agents {
		fmt.Fprintf(b, "  agent %p %+v\n", a, *a)
	}
	fmt.Fprintf(b, "  pending %v\n", append([]pending{}, s.pending...))
	for _, w := range s.waits {
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

// sound checks what holds whenever no transaction runs.
func sound(t tb, tr *Tracker) {
	t.Helper()
	require.True(t, tr.settled(), "an entry is owned or in no list")
	soundList(t, &tr.lru)
	soundList(t, &tr.idle)
	soundList(t, &tr.ended)
	soundList(t, &tr.out)
	soundList(t, &tr.calls)
	soundList(t, &tr.patient)
	soundList(t, &tr.still)
	soundList(t, &tr.watch)
	open, bytes, held, stuck, settled, due, phases, busy := 0, int64(0), int64(0), 0, 0, 0, [phaseKinds]int{}, map[string]int{}
	for _, book := range tr.books {
		for name, e := range book {
			require.Equal(t, name, e.name)
			soundEntry(t, tr, e)
			if e.life.in == &tr.lru {
				held += e.s.held
			}
			if e.s.ended == 0 && !e.s.Connection {
				phases[phaseIndex(e.s.Phase)-1]++
			}
			for c := range e.s.everyOpen {
				open++
				bytes += c.bytes
				if c.deadline != 0 {
					due++
				}
				if (c.Stuck || c.dropped) && !c.mayWait() {
					settled++
				}
				if c.Stuck {
					stuck++
				}
				if c.host != "" {
					busy[c.host]++
				}
			}
		}
	}
	require.Equal(t, open, tr.calls.n+tr.patient.n, "listed calls are not the open ones")
	require.Equal(t, bytes, tr.bytes, "bytes of calls")
	require.Equal(t, held, tr.held, "bytes of sessions")
	require.Equal(t, stuck, tr.stuck, "stuck calls")
	require.Len(t, tr.due, due, "calls with a deadline")
	for i, c := range tr.due {
		require.Equal(t, i+1, c.at)
		require.Equal(t, c.deadline, c.due)
	}
	require.Equal(t, tr.calls.n-settled, tr.still.n, "calls that may get stuck")
	require.Equal(t, phases, tr.phases, "sessions by phase")
	require.Equal(t, busy, tr.busy, "open calls by host")
	sessions := tr.opt.MaxSessions
	if tr.out.n >= tr.opt.MaxPending { // what is to be evicted has to wait its turn
		sessions *= 2
	}
	require.LessOrEqual(t, tr.lru.n, sessions)
	require.LessOrEqual(t, tr.calls.n+tr.patient.n, 2*tr.opt.MaxOpenCalls)
	require.LessOrEqual(t, tr.bytes, 2*tr.opt.MaxOpenBytes)
	require.LessOrEqual(t, tr.held, 2*tr.opt.MaxOpenBytes)
	require.LessOrEqual(t, tr.out.n, tr.opt.MaxPending)
	require.LessOrEqual(t, tr.ended.n, tr.opt.MaxSessions)
}

func soundList[T any](t tb, l *list[T]) {
	t.Helper()
	n := 0
	var last *node[T]
	for x := l.front; x != nil; x = x.next {
		require.Same(t, l, x.in)
		require.Same(t, last, x.prev)
		last = x
		n++
	}
	require.Same(t, last, l.back)
	require.Equal(t, n, l.n)
}

// ordered checks that who is due first is found first. Transactions at the same
// time may settle in another order than they began, by as long as they last.
func ordered(t tb, tr *Tracker) {
	t.Helper()
	inOrderOf(t, &tr.idle, func(e *entry) int64 { return e.seen })
	inOrderOf(t, &tr.watch, func(e *entry) int64 { return e.alive })
	inOrderOf(t, &tr.calls, func(c *Call) int64 { return c.arrival })
	inOrderOf(t, &tr.still, func(c *Call) int64 { return c.moved })
}

// inOrderOf checks that what is due first stands in front, where it is found.
func inOrderOf[T any](t tb, l *list[T], due func(T) int64) {
	t.Helper()
	for n := l.front; n != nil && n.next != nil; n = n.next {
		require.LessOrEqual(t, due(n.value), due(n.next.value), "not in order")
	}
}

func soundEntry(t tb, tr *Tracker, e *entry) {
	t.Helper()
	s := e.s
	require.NotNil(t, s)
	require.Equal(t, s.ended != 0, e.life.in == &tr.ended)
	require.Equal(t, e.life.in == &tr.lru && s.quiet(), e.idle.in == &tr.idle, "only quiet sessions may be idle")
	require.Equal(t, e.life.in == &tr.lru && s.watched(), e.watch.in == &tr.watch, "only what would mean something is watched")
	if s.ended != 0 {
		require.Empty(t, s.agents)
		require.Nil(t, s.Phase)
		require.Zero(t, s.open())
		require.Empty(t, s.waits)
		return
	}
	held := int64(len(s.ErrorText) + len(s.Task) + len(s.FirstPrompt()))
	for _, p := range s.pending {
		held += int64(len(p.id))
	}
	for key, session := range s.redirects {
		held += redirectBytes(key, session)
	}
	for _, a := range s.agents {
		held += a.bytes()
	}
	for key, c := range s.parked {
		require.Equal(t, key, c.parked)
	}
	for key, c := range s.calls {
		require.Equal(t, key, c.key())
		require.Zero(t, c.parked)
	}
	for c := range s.everyOpen {
		require.Same(t, e, c.entry)
		require.False(t, c.reported)
		require.NotNil(t, c.node.in)
		require.Equal(t, weightOf(c), c.bytes, "bytes of a call")
	}
	for _, w := range s.waits {
		held += int64(len(w.Prompt) + len(w.Schema))
	}
	for key, c := range s.tokens {
		require.Same(t, c, s.calls[c.key()], "the token %v of a call that is not open", key)
	}
	require.Equal(t, held, s.held, "bytes held by a session")
}

// weightOf is what a call should count for.
func weightOf(c *Call) int64 {
	n := callBytes
	for _, s := range []string{
		c.Connection, c.ID, c.Method, c.Token, c.Target, c.Client, c.Server, c.ServerURI,
		c.TaskID, c.Tool, c.taskText, c.leg, c.SubAgent, c.ToolKind, c.Output,
		c.Sender, c.Hint, c.Version, c.Context.State, c.Link.State, c.RequestID, c.Input, c.Text, c.Preference, c.Envelope,
	} {
		n += len(s)
	}
	for _, p := range c.Progress {
		n += len(p.Message)
	}
	if c.wait != nil {
		n += len(c.wait.Prompt) + len(c.wait.Schema)
	}
	return int64(n)
}

// settled tells whether nobody works on any of the sessions.
func (t *Tracker) settled() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, book := range t.books {
		for _, e := range book {
			if e.owner != nil || !slices.Contains([]*list[*entry]{&t.lru, &t.ended, &t.out}, e.life.in) {
				return false
			}
		}
	}
	return true
}
