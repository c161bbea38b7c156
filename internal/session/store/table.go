package store

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/otelcol-mcp/otelcol-mcp/internal/intrusive"
)

// Options are the limits and time-outs of a [Table]; all must be set. While
// pipelines refuse the ends of sessions and calls, up to twice MaxSessions,
// MaxOpenCalls and MaxOpenBytes stay open; then the oldest are lost, see bound.
type Options struct {
	IdleTimeout  time.Duration // silence after which a session ends
	CallTimeout  time.Duration
	StuckAfter   time.Duration // without progress, after which a call is stuck
	StalledAfter time.Duration // without a sign of life, after which a host is stalled
	AgentStalled time.Duration // the same, of an agent with hooks
	MaxSessions  int           // open ones, and as many ended ones are remembered
	Remember     time.Duration // how long the facts of ended ones are kept
	MaxFacts     int           // of a session whose agent is known, at least 100
	MaxOpenCalls int
	MaxOpenBytes int64 // payload held for open calls, and as much for sessions
	MaxPending   int   // evicted sessions that wait for a pipeline to accept them

	KeepPayloads  bool // of what is restored
	KeepEnvelopes bool // likewise
	MaxProgress   int  // progress events kept for a call that is restored

	// Lost is called when a "session" or "call" is dropped unreported, because it
	// was to be evicted and no pipeline accepted that in time. It must be quick
	// and must not call the Table.
	Lost func(kind string)
}

// Table holds all sessions. Its methods are safe for concurrent use.
type Table struct {
	opt Options
	seq atomic.Uint64 // ages of transactions

	mu          sync.Mutex
	names       books
	lru         intrusive.List[*Entry] // open, the longest untouched first
	idle        intrusive.List[*Entry] // of these, those that silence may end
	withPayload intrusive.List[*Entry] // of these, those that keep payloads
	ended       intrusive.List[*Entry] // remembered, the longest ended first
	remembered  intrusive.List[*Entry] // of these, those whose facts are kept
	filed       intrusive.List[*Entry] // likewise, of which only a trace file told
	evicted     intrusive.List[*Entry] // waiting for a pipeline
	revived     intrusive.List[*Entry] // of hosts that were given up and are heard of again
	watch       watched                // sessions of hosts whose silence would mean something
	rows        rowQueue
	beats       rowQueue            // of sessions at work
	working     intrusive.List[*Tx] // transactions with messages that are not settled, the longest at work first
	queues                          // of open calls
	busy        map[string]int      // open calls by host
	parents     kin                 // sessions by their sub-agents
	latest      int64               // arrival of the latest transaction
	deaf        int64               // arrival time until which nothing could be heard
	earliest    int64               // deadline of which the sweeper knows, 0 if there is none
	phases      phaseCounts         // open sessions by phase
	stuck       int                 // calls that were reported
	bytes       int64               // held by calls
	held        int64               // held by sessions
	dirty       dirty
	restored    amounts // what was restored, which is not dropped for being too much

	rowsOn atomic.Bool

	wake chan struct{} // holds one token when a sweep has work at once
}

// amounts counts what is open.
type amounts struct {
	sessions, calls int
	callBytes, held int64
}

// Book is the namespace of a name.
type Book int

// The books of a Table. In ByFile are sessions of which only a trace file told so far:
// they have neither begun nor a number, and as many are remembered as ended ones.
const (
	BySession    Book = iota
	ByConnection      // of those without session
	ByFile
	booksMax
)

// books are all entries by their names.
type books [booksMax]map[string]*Entry

func newBooks() books { return books{{}, {}, {}} }

// Entry is the place of one session, through all its epochs.
type Entry struct {
	name     string
	s        *Session
	owner    *Tx
	released chan struct{} // closed when the owner lets go; made by the first who waits
	seen     int64         // Arrival of the session, as of the last commit; later if that keeps the order
	held     int64         // bytes its session keeps, as of the last commit
	alive    int64         // arrival of the last sign of its host
	heard    int64         // Heard of the session, as of the last commit
	book     Book
	phase    uint8 // in which it is counted, from 1
	stalled  bool  // as which it is counted
	quiet    bool  // nothing was open in its session, as of the last commit
	given    bool  // up, see GivenUp, as of the last commit
	rowWaits bool  // the state of its session is to be reported, and the entry is in rows
	rowBeats bool  // its session is at work, and the entry is in beats
	rowAgain bool  // a transaction reports its state again
	sign     int64 // arrival of what its servers said since, or while that was not certain; else 0

	spawned *Recents // sub-agents by which its session is found

	wanted bool  // it was in use when it was to be stored
	slot   int32 // of its record, 0 if it has none
	lent   int   // place of its copy in dirty.lent, from 1

	life        intrusive.Node[*Entry] // in lru, ended, filed or evicted
	idle        intrusive.Node[*Entry]
	withPayload intrusive.Node[*Entry] // in withPayload, or in remembered
	watch       intrusive.Node[*Entry]
	again       intrusive.Node[*Entry] // in revived
	dirty       intrusive.Node[*Entry]
}

// Name returns the key of the session or connection.
func (e *Entry) Name() string { return e.name }

// Session is the latest epoch, nil if there is none. Only the transaction that
// claimed the entry may use it.
func (e *Entry) Session() *Session { return e.s }

// SetSession begins another epoch.
func (e *Entry) SetSession(s *Session) { e.s = s }

// New creates a Table.
func New(opt Options) *Table {
	return &Table{
		opt:   opt,
		names: newBooks(),
		busy:  map[string]int{},

		parents: kin{},
		wake:    make(chan struct{}, 1),
	}
}

// Deafened notes that nothing could be heard for a while until then, an arrival time: what was
// silent has all the time there is from there on.
func (t *Table) Deafened(until int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.deaf = max(t.deaf, until)
}

// heardAt returns an arrival time, or the end of the last gap in which nothing could arrive if
// that is later. The caller holds t.mu.
func (t *Table) heardAt(arrival int64) int64 { return max(arrival, t.deaf) }

// OpenSessions returns the names of open sessions.
func (t *Table) OpenSessions() (names []string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for n := t.lru.Front(); n != nil; n = n.Next() {
		if n.Value.book == BySession {
			names = append(names, n.Value.name)
		}
	}
	return names
}

// Sizes counts what is open.
func (t *Table) Sizes() Sizes {
	t.mu.Lock()
	defer t.mu.Unlock()
	return Sizes{
		Sessions: t.lru.Len() + t.evicted.Len(), Calls: t.waitingCalls(), CallBytes: t.bytes,
		Working: t.working.Len(), Stuck: t.stuck, Stalled: t.phases.stalled, Phases: t.phases.byName(),
	}
}

// State is the state of a session.
type State uint8

// The states of a session. One that is being opened by a transaction that is
// not committed is unknown.
const (
	Unknown State = iota
	Open
	Ended // or evicted, which ends it soon
)

// State is the state of the session of that name, as of the last commit.
func (t *Table) State(name string) State {
	t.mu.Lock()
	defer t.mu.Unlock()
	e := t.names[BySession][name]
	switch {
	case e == nil || !e.life.Listed():
		return Unknown
	case e.life.In(&t.lru):
		return Open
	}
	return Ended
}

// ErrYield makes a transaction give up all it holds and start again.
var ErrYield = errors.New("an older transaction holds the session")

// claim makes the entry of that name tx's own, waiting until it is free; mine
// reports whether it already was.
func (t *Table) claim(ctx context.Context, tx *Tx, book Book, name string) (e *Entry, mine bool, err error) {
	for {
		t.mu.Lock()
		if !tx.work.Listed() {
			tx.work.Value = tx
			t.working.MoveToBack(&tx.work)
		}
		if e = t.names[book][name]; e == nil {
			e = t.newEntry(book, name)
		}
		if mine = e.owner == tx; mine || e.owner == nil {
			e.owner = tx
			t.mu.Unlock()
			return e, mine, nil
		}
		older := e.owner.seq < tx.seq
		released := e.whenReleased()
		t.mu.Unlock()
		if older && len(tx.touched) > 0 {
			tx.yieldTo = released
			return nil, false, ErrYield
		}
		select {
		case <-released:
		case <-ctx.Done():
			return nil, false, ctx.Err()
		}
	}
}

// newEntry makes an entry; the name aliases a body and is copied.
func (t *Table) newEntry(book Book, name string) *Entry {
	e := &Entry{book: book, name: string([]byte(name))}
	e.life.Value, e.idle.Value, e.withPayload.Value, e.watch.Value, e.again.Value, e.dirty.Value = e, e, e, e, e, e
	t.names[book][e.name] = e
	return e
}

// whenReleased is closed when the entry's owner lets go. The caller holds t.mu.
func (e *Entry) whenReleased() <-chan struct{} {
	if e.released == nil {
		e.released = make(chan struct{})
	}
	return e.released
}

// release lets go of the entry. The caller holds t.mu.
func (e *Entry) release() {
	e.owner = nil
	if e.released != nil {
		close(e.released)
		e.released = nil
	}
}
