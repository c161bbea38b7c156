package index

import "hash/maphash"

func (m *memo[K, V]) hash(key K) uint32 {
	k := [16]byte(key)
	return uint32(maphash.Bytes(m.seed, k[:])) //nolint:gosec // half of it is enough
}

func (m *memo[K, V]) slot(hash uint32) uint32 {
	return hash & uint32(len(m.table)-1) //nolint:gosec // twice the ring
}

func (m *memo[K, V]) find(hash uint32, key K) (place uint32, ok bool) {
	for i := m.slot(hash); m.table[i] != 0; i = m.slot(i + 1) {
		if at, tag := split(m.table[i]); tag == hash && m.ring[at].key == key {
			return at, true
		}
	}
	return 0, false
}

// split is the two halves of what is in the table.
func split(word uint64) (place, hash uint32) {
	return uint32(word) - 1, uint32(word >> 32) //nolint:gosec // its halves
}

func (m *memo[K, V]) enter(hash, place uint32) {
	i := m.slot(hash)
	for m.table[i] != 0 {
		i = m.slot(i + 1)
	}
	m.table[i] = uint64(hash)<<32 | uint64(place+1)
}

// leave takes an entry out of the table, and moves up what stood behind it.
func (m *memo[K, V]) leave(hash, place uint32) {
	hole := m.slot(hash)
	for at, _ := split(m.table[hole]); at != place; at, _ = split(m.table[hole]) {
		hole = m.slot(hole + 1)
	}
	for i := m.slot(hole + 1); m.table[i] != 0; i = m.slot(i + 1) {
		_, tag := split(m.table[i])
		home := m.slot(tag)
		if m.slot(i-home) >= m.slot(i-hole) {
			m.table[hole] = m.table[i]
			hole = i
		}
	}
	m.table[hole] = 0
}
