package session

// recents remembers the last few things by their hashes, with a time each. It
// never changes: adding to it makes another, so that a transaction can be rolled
// back. nil is empty.
type recents struct {
	Hashes [recentsMost]uint64
	Times  [recentsMost]int64
	N      int
}

// recentsMost is more than what an agent does at once.
const recentsMost = 32

// with is the same with one more in the place of the oldest.
func (r *recents) with(hash uint64, time int64) *recents {
	var next recents
	if r != nil {
		next = *r
	}
	at := next.N % len(next.Hashes)
	next.Hashes[at], next.Times[at] = hash, time
	next.N++
	return &next
}

// find is the time of the last with that hash, 0 if there is none.
func (r *recents) find(hash uint64) (time int64) {
	if r == nil {
		return 0
	}
	for i := range min(r.N, len(r.Hashes)) {
		if r.Hashes[i] == hash {
			time = max(time, r.Times[i])
		}
	}
	return time
}
