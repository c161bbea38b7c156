package index

import (
	"hash/maphash"
	"iter"
)

// memo is a map that forgets: what was not added for keep, and the oldest when it
// has limit entries, but nothing that is held. Entries stand in a ring in the order
// in which they were put there, where they stay when they are added again; those
// that still count when they come to its end are put at its beginning. A table with
// open addressing finds them. Neither holds pointers, so that the garbage collector
// has nothing to look at, and a look-up misses the processor's caches twice at most,
// however much is remembered.
type memo[K ~[16]byte, V any] struct {
	table  []uint64 // hash<<32 | place in the ring + 1
	ring   []entry[K, V]
	oldest uint64 // number of the oldest entry; its place is the number modulo the ring
	next   uint64 // number of the next entry
	limit  uint64
	keep   int64
	seed   maphash.Seed
	held   func(*V) bool
	recent Place    // of what add returned last
	slots  []uint32 // of warm
	warmed uint64   // says nothing
}

type entry[K, V any] struct {
	key   K
	hash  uint32
	put   int64 // when it came to this place
	since int64 // when it was added last
	value V
}

// Place is where something was, as a hint where to look first.
type Place uint32

const (
	firstRing = 64
	// When there is no room, an entry leaves before others if it was added again
	// only within this part of its time.
	lazy = 16
	// A few entries are moved or leave for each that comes, so that no call takes long.
	few = 4
)

func newMemo[K ~[16]byte, V any](limit int, keep int64, held func(*V) bool) *memo[K, V] {
	return &memo[K, V]{
		table: make([]uint64, 2*firstRing), ring: make([]entry[K, V], firstRing), limit: uint64(max(limit, 1)),
		keep: keep, seed: maphash.MakeSeed(), held: held,
	}
}

// get is the value, nil if it is unknown. It may be changed until the next add.
func (m *memo[K, V]) get(key K, now int64) *V {
	place, ok := m.find(m.hash(key), key)
	if !ok || m.old(&m.ring[place], now) {
		return nil
	}
	return &m.ring[place].value
}

// add is the value, a new one if it is unknown; it is remembered from now on.
func (m *memo[K, V]) add(key K, now int64) *V {
	hash := m.hash(key)
	if place, ok := m.find(hash, key); ok {
		m.recent = Place(place)
		return m.again(&m.ring[place], now)
	}
	m.makeRoom(now)
	return m.push(entry[K, V]{key: key, hash: hash, put: now, since: now})
}

func (m *memo[K, V]) again(e *entry[K, V], now int64) *V {
	if m.old(e, now) {
		e.value = *new(V)
	}
	e.since = now
	return &e.value
}

// at is get for a key that was at that place when it was added.
func (m *memo[K, V]) at(place Place, key K, now int64) *V {
	if e := m.hint(place, key); e != nil && !m.old(e, now) {
		return &e.value
	}
	return m.get(key, now)
}

// addAt is add for a key that was at that place when it was added.
func (m *memo[K, V]) addAt(place Place, key K, now int64) *V {
	if e := m.hint(place, key); e != nil {
		return m.again(e, now)
	}
	return m.add(key, now)
}

func (m *memo[K, V]) hint(place Place, key K) *entry[K, V] {
	if !m.taken(place) || m.ring[place].key != key {
		return nil
	}
	return &m.ring[place]
}

// taken reports whether an entry is at that place.
func (m *memo[K, V]) taken(place Place) bool {
	return int(place) < len(m.ring) && int(m.place(uint64(place)-m.oldest)) < m.len()
}

// warm has the processor fetch what find will want for the keys, and what makeRoom
// will want to drop as many of the oldest entries. Many are fetched at once, with
// nothing else in between, because it waits for memory only once then.
func (m *memo[K, V]) warm(keys iter.Seq[K]) {
	slots, number := m.slots[:0], m.oldest
	for key := range keys {
		slots = append(slots, m.slot(m.hash(key)), m.slot(m.ring[m.place(number)].hash))
		number++
	}
	for _, slot := range slots {
		m.warmed ^= m.table[slot]
	}
	m.slots = slots
}

func (m *memo[K, V]) old(e *entry[K, V], now int64) bool {
	return e.since+m.keep <= now && !m.held(&e.value)
}

func (m *memo[K, V]) place(number uint64) uint32 {
	return uint32(number & uint64(len(m.ring)-1)) //nolint:gosec // a ring is never that long
}

func (m *memo[K, V]) push(e entry[K, V]) *V {
	if m.len() == len(m.ring) {
		m.grow()
	}
	place := m.place(m.next)
	m.ring[place] = e
	m.next++
	m.recent = Place(place)
	m.enter(e.hash, place)
	return &m.ring[place].value
}

// makeRoom drops what is too old or too much.
func (m *memo[K, V]) makeRoom(now int64) {
	for i := range few {
		full := m.next-m.oldest >= m.limit
		e := &m.ring[m.place(m.oldest)]
		if m.next == m.oldest || !full && e.put+m.keep > now {
			return
		}
		counts := e.since+m.keep > now
		if full { // something has to go, if need be at last
			counts = counts && e.since-e.put > m.keep/lazy && i < few-1
		}
		m.takeOldest(now, counts || m.held(&e.value))
	}
}

// takeOldest takes the oldest entry off the ring's end, and may put it at its
// beginning.
func (m *memo[K, V]) takeOldest(now int64, again bool) {
	place := m.place(m.oldest)
	e := &m.ring[place]
	m.leave(e.hash, place)
	m.oldest++
	if again {
		moved := *e
		moved.put = now
		m.push(moved)
	}
}

// grow doubles the ring; each entry's place follows from its number.
func (m *memo[K, V]) grow() {
	old := m.ring
	m.ring = make([]entry[K, V], 2*len(old))
	m.table = make([]uint64, 2*len(m.ring))
	for number := m.oldest; number < m.next; number++ {
		e := &old[number&uint64(len(old)-1)] //nolint:gosec // never empty
		m.ring[m.place(number)] = *e
		m.enter(e.hash, m.place(number))
	}
}

// all is what is remembered, oldest first.
func (m *memo[K, V]) all(now int64) iter.Seq2[K, *V] {
	return func(yield func(K, *V) bool) {
		for number := m.oldest; number < m.next; number++ {
			e := &m.ring[m.place(number)]
			if !m.old(e, now) && !yield(e.key, &e.value) {
				return
			}
		}
	}
}

func (m *memo[K, V]) len() int { return int(m.next - m.oldest) } //nolint:gosec // as long as the ring
