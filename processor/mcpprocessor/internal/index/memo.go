package index

import "iter"

// memo is a map that forgets: what is older than keep, and the oldest when it
// has limit entries. Entries stand in a ring by age and hold no pointers, so
// that the garbage collector has nothing to look at.
type memo[K comparable, V any] struct {
	at     map[K]uint64 // the entry's number
	ring   []entry[K, V]
	oldest uint64 // number of the oldest entry
	next   uint64 // number of the next entry
	limit  uint64
	keep   int64
}

type entry[K comparable, V any] struct {
	key   K
	value V
	since int64
}

const firstRing = 64

func newMemo[K comparable, V any](limit int, keep int64) *memo[K, V] {
	return &memo[K, V]{at: map[K]uint64{}, ring: make([]entry[K, V], firstRing), limit: uint64(max(limit, 1)), keep: keep}
}

func (m *memo[K, V]) slot(number uint64) *entry[K, V] {
	return &m.ring[number&uint64(len(m.ring)-1)] //nolint:gosec // never empty
}

// get is the value; it may be changed until the next put. Nil if unknown.
func (m *memo[K, V]) get(key K, now int64) *V {
	number, ok := m.at[key]
	if !ok {
		return nil
	}
	e := m.slot(number)
	if e.since+m.keep <= now {
		return nil
	}
	return &e.value
}

// put remembers the value. An entry that is there keeps its age.
func (m *memo[K, V]) put(key K, value V, now int64) {
	m.forget(now)
	if known := m.get(key, now); known != nil {
		*known = value
		return
	}
	if m.next-m.oldest == m.limit {
		m.drop()
	}
	if m.next-m.oldest == uint64(len(m.ring)) {
		m.grow()
	}
	*m.slot(m.next) = entry[K, V]{key, value, now}
	m.at[key] = m.next
	m.next++
}

// forget drops what is too old: two entries a call at most, which is more than
// come, so that no call takes long.
func (m *memo[K, V]) forget(now int64) {
	for range 2 {
		if m.next == m.oldest || m.slot(m.oldest).since+m.keep > now {
			return
		}
		m.drop()
	}
}

func (m *memo[K, V]) drop() {
	e := m.slot(m.oldest)
	if m.at[e.key] == m.oldest { // not if the key came again since
		delete(m.at, e.key)
	}
	*e = entry[K, V]{}
	m.oldest++
}

// grow doubles the ring; each entry's place follows from its number.
func (m *memo[K, V]) grow() {
	old := m.ring
	m.ring = make([]entry[K, V], 2*len(old))
	for number := m.oldest; number < m.next; number++ {
		*m.slot(number) = old[number&uint64(len(old)-1)] //nolint:gosec // never empty
	}
}

// all is what is remembered, oldest first.
func (m *memo[K, V]) all(now int64) iter.Seq2[K, V] {
	return func(yield func(K, V) bool) {
		for number := m.oldest; number < m.next; number++ {
			e := m.slot(number)
			if m.at[e.key] == number && e.since+m.keep > now && !yield(e.key, e.value) {
				return
			}
		}
	}
}

func (m *memo[K, V]) len() int { return int(m.next - m.oldest) } //nolint:gosec // at most limit
