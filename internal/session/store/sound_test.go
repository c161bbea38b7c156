package store

import (
	"reflect"
	"slices"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-mcp/otelcol-mcp/internal/intrusive"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// Sound checks what holds whenever no transaction runs.
func Sound(t TB, tab *Table) {
	t.Helper()
	require.True(t, tab.settled(), "an entry is owned or in no list")
	for _, l := range []*intrusive.List[*Entry]{&tab.lru, &tab.idle, &tab.withPayload, &tab.ended, &tab.filed, &tab.evicted, &tab.revived, &tab.watch[0], &tab.watch[1]} {
		soundList(t, l)
	}
	for _, l := range []*intrusive.List[*Call]{&tab.calls, &tab.lost, &tab.long, &tab.kept, &tab.still} {
		soundList(t, l)
	}
	sum := summed{busy: map[string]int{}}
	for _, names := range tab.names {
		for name, e := range names {
			require.Equal(t, name, e.name)
			soundEntry(t, tab, e)
			sum.add(tab, e)
		}
	}
	sum.check(t, tab)
	limited(t, tab)
	soundParents(t, tab)
}

// soundParents checks that sub-agents are found by the sessions that remember them,
// and by no other.
func soundParents(t TB, tab *Table) {
	t.Helper()
	for hash, all := range tab.parents {
		require.NotEmpty(t, all)
		for _, e := range all {
			require.Same(t, e, tab.names[BySession][e.name], "a parent that is forgotten")
			require.NotZero(t, e.s.Spawned.Find(hash))
		}
	}
	for _, e := range tab.names[BySession] {
		require.Same(t, e.s.Spawned, e.spawned)
		for hash := range e.spawned.Each {
			require.Contains(t, tab.parents[hash], e)
		}
	}
}

// summed is what the totals of a Table should be.
type summed struct {
	open, stuck, settled, due int
	bytes, held               int64
	phases                    phaseCounts
	busy                      map[string]int
}

func (u *summed) add(tab *Table, e *Entry) {
	switch {
	case e.life.In(&tab.lru):
		u.held += e.s.Held + e.s.factBytes()
	case e.life.In(&tab.ended):
		u.held += e.s.endedBytes()
	}
	if e.s.Open() && !e.s.Connection {
		u.phases.in[phaseOf(e.s.Phase)]++
		if e.s.Stalled {
			u.phases.stalled++
		}
	}
	for c := range e.s.EveryCall {
		u.open++
		u.bytes += c.Bytes
		if c.Deadline != 0 {
			u.due++
		}
		if (c.Stuck || c.Dropped) && !c.Uncertain && !c.LongRunning() && !c.Kept() {
			u.settled++
		}
		if c.Stuck {
			u.stuck++
		}
		if c.Busy != "" {
			u.busy[c.Busy]++
		}
	}
}

func phaseOf(p *Phase) int {
	if p == nil {
		return 0
	}
	return 1 + slices.Index(mcpconv.Phases, p.Name)
}

func (u *summed) check(t TB, tab *Table) {
	t.Helper()
	require.Equal(t, u.open, tab.calls.Len()+tab.lost.Len()+tab.long.Len()+tab.kept.Len(), "listed calls are not the open ones")
	require.Equal(t, u.bytes, tab.bytes, "bytes of calls")
	require.Equal(t, u.held, tab.held, "bytes of sessions")
	require.Equal(t, u.stuck, tab.stuck, "stuck calls")
	require.Len(t, tab.due, u.due, "calls with a deadline")
	for i, c := range tab.due {
		require.Equal(t, i+1, c.at)
		require.Equal(t, c.Deadline, c.due)
	}
	require.Equal(t, tab.calls.Len()-u.settled, tab.still.Len(), "calls that may get stuck")
	require.Equal(t, u.phases, tab.phases, "sessions by phase")
	require.Equal(t, u.busy, tab.busy, "open calls by host")
}

// limited checks that nothing grows beyond its limit.
func limited(t TB, tab *Table) {
	t.Helper()
	sessions := tab.opt.MaxSessions
	if tab.evicted.Len() >= tab.opt.MaxPending { // what is to be evicted has to wait its turn
		sessions *= 2
	}
	require.LessOrEqual(t, tab.lru.Len(), sessions)
	require.LessOrEqual(t, tab.openCalls(), 2*tab.opt.MaxOpenCalls)
	require.LessOrEqual(t, tab.bytes, 2*tab.opt.MaxOpenBytes)
	require.LessOrEqual(t, tab.held, 2*tab.opt.MaxOpenBytes)
	require.LessOrEqual(t, tab.evicted.Len(), tab.opt.MaxPending)
	require.LessOrEqual(t, tab.ended.Len(), tab.opt.MaxSessions)
	require.LessOrEqual(t, tab.filed.Len(), tab.opt.MaxSessions)
}

func soundList[T any](t TB, l *intrusive.List[T]) {
	t.Helper()
	n := 0
	var last *intrusive.Node[T]
	for x := l.Front(); x != nil; x = x.Next() {
		require.True(t, x.In(l))
		require.Equal(t, unsafe.Pointer(last), reflect.ValueOf(x).Elem().FieldByName("prev").UnsafePointer())
		last = x
		n++
	}
	require.Same(t, last, l.Back())
	require.Equal(t, n, l.Len())
}

// Ordered checks that who is due first is found first. Transactions at the same
// time may settle in another order than they began, by as long as they last.
func Ordered(t TB, tab *Table) {
	t.Helper()
	inOrderOf(t, &tab.idle, func(e *Entry) int64 { return e.seen })
	for i := range tab.watch {
		inOrderOf(t, &tab.watch[i], func(e *Entry) int64 { return e.alive })
	}
	inOrderOf(t, &tab.calls, func(c *Call) int64 { return c.Arrival })
	inOrderOf(t, &tab.still, func(c *Call) int64 { return c.ProgressArrival })
}

// inOrderOf checks that what is due first stands in front, where it is found.
func inOrderOf[T any](t TB, l *intrusive.List[T], due func(T) int64) {
	t.Helper()
	for n := l.Front(); n != nil && n.Next() != nil; n = n.Next() {
		require.LessOrEqual(t, due(n.Value), due(n.Next().Value), "not in order")
	}
}

func soundEntry(t TB, tab *Table, e *Entry) {
	t.Helper()
	s := e.s
	require.NotNil(t, s)
	require.Equal(t, !s.Open() && e.book != ByFile, e.life.In(&tab.ended))
	require.Equal(t, e.book == ByFile, e.life.In(&tab.filed))
	busy := e.book == BySession && tab.busy[e.name] > 0
	require.Equal(t, e.life.In(&tab.lru) && s.quiet() && !busy, e.idle.In(&tab.idle), "only quiet sessions may be idle")
	require.Equal(t, e.life.In(&tab.lru) && s.Watched(), e.watch.In(&tab.watch[kindOf(s)]), "only what would mean something is watched")
	require.Equal(t, s.GivenUp(), e.given)
	require.Equal(t, e.given && e.sign != 0, e.again.In(&tab.revived))
	if !s.Open() {
		require.Empty(t, s.Agents)
		require.Nil(t, s.Phase)
		require.Zero(t, s.OpenCalls())
		require.Empty(t, s.Waits)
		return
	}
	for key, c := range s.Parked {
		require.Equal(t, key, c.Parked)
	}
	for key, c := range s.Calls {
		require.Equal(t, key, c.OpenKey())
		require.Zero(t, c.Parked)
	}
	for c := range s.EveryCall {
		require.Same(t, e, c.entry)
		require.False(t, c.Ended)
		require.True(t, c.node.Listed())
		require.Equal(t, weightOf(&c.CallRecord), c.Bytes, "bytes of a call")
	}
	for key, c := range s.rare().asked {
		require.Contains(t, []CallKey{c.Key, c.OpenKey()}, key)
		require.False(t, c.Ended)
	}
	for account, c := range s.rare().byFacts {
		require.Equal(t, account, c.Account)
		require.False(t, c.Ended)
		require.True(t, c.OfAgent())
	}
	for key, c := range s.Tokens {
		require.Same(t, c, s.Calls[c.OpenKey()], "the token %v of a call that is not open", key)
	}
	require.Equal(t, heldBy(s), s.Held, "bytes held by a session")
}

// heldBy is what a session should count for.
func heldBy(s *Session) int64 {
	held := int64(len(s.ErrorText) + len(s.Task) + len(s.FirstPrompt()))
	for _, p := range s.Pending {
		held += int64(len(p.ID))
	}
	for key, session := range s.Redirects {
		held += RouteBytes(key, session)
	}
	for _, a := range s.Agents {
		held += a.Bytes()
	}
	for _, w := range s.Waits {
		held += int64(len(w.Prompt) + len(w.Schema))
	}
	if s.Agent != nil {
		held += 40 * int64(len(s.Agent.Done))
	}
	return held
}

// weightOf is what a call should count for.
func weightOf(c *CallRecord) int64 {
	n := 768
	for _, s := range []string{
		c.Key.Connection, c.Key.ID, c.Method, c.Token, c.Target, c.Client, c.Server, c.ServerURI,
		c.TaskID, c.ToolID, c.Use, c.TaskText, c.RoundID, c.SubAgent, c.ToolKind, c.Output,
		c.Sender, c.Hint, c.Version, c.Context.State, c.Link.State, c.RequestID, c.Input, c.Text, c.Preference, c.Envelope,
	} {
		n += len(s)
	}
	for _, p := range c.Progress {
		n += len(p.Message)
	}
	if c.Wait != nil {
		n += len(c.Wait.Prompt) + len(c.Wait.Schema)
	}
	return int64(n) + c.AgentBytes()
}

// settled reports whether nobody works on any of the sessions.
func (t *Table) settled() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, names := range t.names {
		for _, e := range names {
			if e.owner != nil || !e.life.In(&t.lru) && !e.life.In(&t.ended) && !e.life.In(&t.filed) && !e.life.In(&t.evicted) {
				return false
			}
		}
	}
	return true
}
