package session

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
)

// Tracker holds all sessions. Its methods are safe for concurrent use.
type Tracker struct {
	opt Options
	seq atomic.Uint64 // ages of transactions

	mu      sync.Mutex
	books   [2]map[string]*entry // by session, by connection of those without session
	lru     list[*entry]         // open, the longest untouched first
	idle    list[*entry]         // of these, those that silence may end
	heavy   list[*entry]         // of these, those that keep payloads
	ended   list[*entry]         // remembered, the longest ended first
	calls   list[*Call]          // open, in order of arrival
	patient list[*Call]          // the same, but those that may take any time
	still   list[*Call]          // of calls, those not told to be stuck, the longest unmoved first
	due     deadlines            // calls that have one
	watch   list[*entry]         // sessions of hosts whose silence would mean something
	busy    map[string]int       // open calls by host
	latest  int64                // arrival of the latest transaction
	phases  [phaseKinds]int      // open sessions by phase
	stuck   int                  // calls that were told to be
	bytes   int64                // held by calls
	held    int64                // held by sessions
	out     list[*entry]         // evicted, waiting for a pipeline
	keep    keeping
	came    limits // what was brought back, which is not dropped for being too much

	wake chan struct{} // holds one token when Sweep has work at once
}

// limits are amounts of what is open.
type limits struct {
	sessions, calls int
	callBytes, held int64
}

// The books of a Tracker.
const (
	bySession = iota
	byConnection
)

// entry is the place of one session, through all its epochs.
type entry struct {
	name  string
	s     *Session
	owner *Tx
	free  chan struct{} // closed when the owner lets go; made by who waits
	seen  int64         // arrival of the last message, as of the last commit
	held  int64         // bytes its session keeps, as of the last commit
	alive int64         // arrival of the last sign of its host
	book  int
	phase uint8 // in which it is counted, from 1

	wanted bool  // it was in use when it was to be stored
	place  int32 // of its record, 0 if it has none

	life  node[*entry] // in lru, ended or out
	idle  node[*entry]
	heavy node[*entry]
	watch node[*entry]
	kept  node[*entry] // among those that are to be stored
}

// New creates a Tracker.
func New(opt Options) *Tracker {
	return &Tracker{
		opt:   opt,
		books: [2]map[string]*entry{{}, {}},
		busy:  map[string]int{},
		wake:  make(chan struct{}, 1),
	}
}

// Sizes are what a Tracker holds now.
type Sizes struct {
	Sessions, Calls int
	CallBytes       int64
	Stuck           int            // calls
	Phases          map[string]int // sessions by their host's phase, "" if it has none
}

// Sizes counts what is open.
func (t *Tracker) Sizes() Sizes {
	t.mu.Lock()
	defer t.mu.Unlock()
	return Sizes{
		Sessions: t.lru.n + t.out.n, Calls: t.calls.n + t.patient.n, CallBytes: t.bytes,
		Stuck: t.stuck, Phases: t.byPhase(),
	}
}

// errYield makes a transaction give up all it holds and start again.
var errYield = errors.New("an older transaction holds the session")

// claim makes the entry of that name tx's own, waiting until it is free; mine
// tells whether it already was.
func (t *Tracker) claim(ctx context.Context, tx *Tx, book int, name string) (e *entry, mine bool, err error) {
	for {
		t.mu.Lock()
		if e = t.books[book][name]; e == nil {
			e = t.newEntry(book, name)
		}
		if mine = e.owner == tx; mine || e.owner == nil {
			e.owner = tx
			t.mu.Unlock()
			return e, mine, nil
		}
		older := e.owner.seq < tx.seq
		free := e.freed()
		t.mu.Unlock()
		if older && len(tx.touched) > 0 {
			tx.yieldTo = free
			return nil, false, errYield
		}
		select {
		case <-free:
		case <-ctx.Done():
			return nil, false, ctx.Err()
		}
	}
}

// newEntry makes an entry; the name aliases a body and is copied.
func (t *Tracker) newEntry(book int, name string) *entry {
	e := &entry{book: book, name: string([]byte(name))}
	e.life.value, e.idle.value, e.heavy.value, e.watch.value, e.kept.value = e, e, e, e, e
	t.books[book][e.name] = e
	return e
}

// freed is closed when the entry's owner lets go. The caller holds t.mu.
func (e *entry) freed() <-chan struct{} {
	if e.free == nil {
		e.free = make(chan struct{})
	}
	return e.free
}

// release lets go of the entry. The caller holds t.mu.
func (e *entry) release() {
	e.owner = nil
	if e.free != nil {
		close(e.free)
		e.free = nil
	}
}
