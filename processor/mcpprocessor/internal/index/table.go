package index

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
