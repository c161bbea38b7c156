package stitch

import (
	"encoding/binary"
	"hash/maphash"
	"iter"
	"math/bits"
)

// ttlMap is a map whose entries expire keep after they were last added, oldest
// first when there are limit of them; an entry that is held stays. Entries stand
// in a ring in the order in which they were put there, and stay in their place
// when they are added again: those that are still valid when they reach the end
// of the ring move to its start. A hash table finds them. Neither contains
// pointers, so the garbage collector skips both, and a look-up misses the
// processor's caches twice at most, however many entries there are.
type ttlMap[K ~[16]byte, V any] struct {
	table  table
	ring   []entry[K, V]
	oldest uint64 // number of the oldest entry; its place is the number modulo the ring
	next   uint64 // number of the next entry
	limit  uint64
	keep   int64
	held   func(*V) bool
	seed   seed

	slots   []uint32 // scratch of prefetch
	touched uint64   // meaningless; it keeps the compiler from dropping prefetch's reads
}

type entry[K, V any] struct {
	key   K
	hash  uint32
	put   int64 // when it came to this place
	since int64 // when it was added last
	value V
}

// Place is where an entry was, as a hint where to look first. Any value is valid.
type Place uint32

const (
	firstRing = 64
	// When the map is full, an entry leaves before others if it was only added
	// again within this part of its time.
	lazy = 16
	// A few entries move or leave for each that comes, so that no call takes long.
	few = 4
	// Few look-ups go farther in the table than this, to the next line of the cache.
	ahead = 4
	// Words of a table that is likely to be in the processor's caches: 256 KiB.
	cached = 1 << 15
)

func newTTLMap[K ~[16]byte, V any](limit int, keep int64, held func(*V) bool) *ttlMap[K, V] {
	return &ttlMap[K, V]{
		table: newTable(firstRing), ring: make([]entry[K, V], firstRing), limit: uint64(max(limit, 1)),
		keep: keep, held: held, seed: newSeed(),
	}
}

// get returns the value, nil if there is none. It is valid until the next add.
func (m *ttlMap[K, V]) get(key K, now int64) *V {
	place, ok := m.find(m.hash(key), key)
	if !ok || m.expired(&m.ring[place], now) {
		return nil
	}
	return &m.ring[place].value
}

// add returns the value, a new one if there is none, and its place. Its time
// starts again.
func (m *ttlMap[K, V]) add(key K, now int64) (*V, Place) {
	hash := m.hash(key)
	if place, ok := m.find(hash, key); ok {
		return m.renew(&m.ring[place], now), Place(place)
	}
	m.makeRoom(now)
	place := m.push(entry[K, V]{key: key, hash: hash, put: now, since: now})
	return &m.ring[place].value, Place(place)
}

func (m *ttlMap[K, V]) renew(e *entry[K, V], now int64) *V {
	if m.expired(e, now) {
		e.value = *new(V)
	}
	e.since = now
	return &e.value
}

// at is get for a key that was at that place when it was added.
func (m *ttlMap[K, V]) at(place Place, key K, now int64) *V {
	if e := m.hint(place, key); e != nil && !m.expired(e, now) {
		return &e.value
	}
	return m.get(key, now)
}

// addAt is add for a key that was at that place when it was added.
func (m *ttlMap[K, V]) addAt(place Place, key K, now int64) *V {
	if e := m.hint(place, key); e != nil {
		return m.renew(e, now)
	}
	v, _ := m.add(key, now)
	return v
}

func (m *ttlMap[K, V]) hint(place Place, key K) *entry[K, V] {
	if !m.occupied(place) || m.ring[place].key != key {
		return nil
	}
	return &m.ring[place]
}

func (m *ttlMap[K, V]) occupied(place Place) bool {
	return int(place) < len(m.ring) && int(m.place(uint64(place)-m.oldest)) < m.len()
}

func (m *ttlMap[K, V]) hash(key K) uint32 { return m.seed.hash(key) }

func (m *ttlMap[K, V]) find(hash uint32, key K) (place uint32, ok bool) {
	for i := m.table.slot(hash); m.table[i] != 0; i = m.table.slot(i + 1) {
		if at, tag := split(m.table[i]); tag == hash && m.ring[at].key == key {
			return at, true
		}
	}
	return 0, false
}

// prefetch reads the table where find will look for the keys, and where makeRoom
// will look for as many of the oldest entries. Then the processor waits for memory
// once for the batch, not once for each key. A small table is not worth it.
func (m *ttlMap[K, V]) prefetch(keys iter.Seq[K]) {
	if len(m.table) <= cached {
		return
	}
	slots, number := m.slots[:0], m.oldest
	for key := range keys {
		slots = append(slots, m.table.slot(m.hash(key)), m.table.slot(m.ring[m.place(number)].hash))
		number++
	}
	for _, slot := range slots {
		m.touched ^= m.table[slot] ^ m.table[m.table.slot(slot+ahead)]
	}
	m.slots = slots
}

func (m *ttlMap[K, V]) expired(e *entry[K, V], now int64) bool {
	return e.since+m.keep <= now && !m.held(&e.value)
}

func (m *ttlMap[K, V]) place(number uint64) uint32 {
	return uint32(number & uint64(len(m.ring)-1)) //nolint:gosec // a ring is never that long
}

// push puts an entry at the start of the ring.
func (m *ttlMap[K, V]) push(e entry[K, V]) (place uint32) {
	if m.len() == len(m.ring) {
		m.grow()
	}
	place = m.place(m.next)
	m.ring[place] = e
	m.next++
	m.table.enter(e.hash, place)
	return place
}

// makeRoom drops entries that expired, or that are too many.
func (m *ttlMap[K, V]) makeRoom(now int64) {
	for i := range few {
		full := m.next-m.oldest >= m.limit
		e := &m.ring[m.place(m.oldest)]
		if m.next == m.oldest || !full && e.put+m.keep > now {
			return
		}
		valid := e.since+m.keep > now
		if full { // one has to go, the last of these if no other
			valid = valid && e.since-e.put > m.keep/lazy && i < few-1
		}
		m.takeOldest(now, valid || m.held(&e.value))
	}
}

// takeOldest takes the oldest entry off the end of the ring, and may put it at
// its start.
func (m *ttlMap[K, V]) takeOldest(now int64, again bool) {
	place := m.place(m.oldest)
	e := &m.ring[place]
	m.table.leave(e.hash, place)
	m.oldest++
	if again {
		moved := *e
		moved.put = now
		m.push(moved)
	}
}

// grow doubles the ring; each entry's place follows from its number.
func (m *ttlMap[K, V]) grow() {
	old := m.ring
	m.ring = make([]entry[K, V], 2*len(old))
	m.table = newTable(len(m.ring))
	for number := m.oldest; number < m.next; number++ {
		e := &old[number&uint64(len(old)-1)] //nolint:gosec // never empty
		m.ring[m.place(number)] = *e
		m.table.enter(e.hash, m.place(number))
	}
}

// all iterates over the entries, oldest first.
func (m *ttlMap[K, V]) all(now int64) iter.Seq2[K, *V] {
	return func(yield func(K, *V) bool) {
		for number := m.oldest; number < m.next; number++ {
			e := &m.ring[m.place(number)]
			if !m.expired(e, now) && !yield(e.key, &e.value) {
				return
			}
		}
	}
}

func (m *ttlMap[K, V]) len() int { return int(m.next - m.oldest) } //nolint:gosec // as long as the ring

// table is a hash table with open addressing. A word is a hash and, behind it, a
// place plus 1; an empty slot is 0.
type table []uint64

// newTable returns a table for that many places, which is a power of two.
func newTable(places int) table { return make(table, 2*places) }

// slot is the slot of a hash. That of a slot plus 1 is the next one.
func (t table) slot(hash uint32) uint32 {
	return hash & uint32(len(t)-1) //nolint:gosec // twice the ring
}

func split(word uint64) (place, hash uint32) {
	return uint32(word) - 1, uint32(word >> 32) //nolint:gosec // its halves
}

func (t table) enter(hash, place uint32) {
	i := t.slot(hash)
	for t[i] != 0 {
		i = t.slot(i + 1)
	}
	t[i] = uint64(hash)<<32 | uint64(place+1)
}

// leave removes an entry, and moves up the entries behind it.
func (t table) leave(hash, place uint32) {
	hole := t.slot(hash)
	for at, _ := split(t[hole]); at != place; at, _ = split(t[hole]) {
		hole = t.slot(hole + 1)
	}
	for i := t.slot(hole + 1); t[i] != 0; i = t.slot(i + 1) {
		_, tag := split(t[i])
		home := t.slot(tag)
		if t.slot(i-home) >= t.slot(i-hole) {
			t[hole] = t[i]
			hole = i
		}
	}
	t[hole] = 0
}

// seed makes the hashes of a table differ from process to process, so that nobody
// can choose keys that all land in one place of it.
type seed struct{ low, high uint64 }

func newSeed() seed { return seed{random(), random()} }

// random returns the hash of nothing with a seed of its own.
func random() uint64 { return maphash.String(maphash.MakeSeed(), "") }

// hash folds the product of both halves, as the runtime does for short keys where
// the processor has no instructions for it. It is inlined, so it takes a fraction
// of what [maphash] does.
func (s seed) hash(key [16]byte) uint32 {
	high, low := bits.Mul64(binary.LittleEndian.Uint64(key[:8])^s.low, binary.LittleEndian.Uint64(key[8:])^s.high)
	return uint32((high ^ low) >> 32) // half of it is enough
}
