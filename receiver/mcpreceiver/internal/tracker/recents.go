package tracker

// recents remembers the last few things by their hashes, with a time each. It
// never changes: adding to it makes another, so that a transaction can be rolled
// back. nil is empty.
type recents struct {
	hashes [8]uint64
	times  [8]int64
	n      int
}

// with is the same with one more in the place of the oldest.
func (r *recents) with(hash uint64, time int64) *recents {
	var next recents
	if r != nil {
		next = *r
	}
	at := next.n % len(next.hashes)
	next.hashes[at], next.times[at] = hash, time
	next.n++
	return &next
}

// find is the time of the last with that hash, 0 if there is none.
func (r *recents) find(hash uint64) (time int64) {
	if r == nil {
		return 0
	}
	for i := range min(r.n, len(r.hashes)) {
		if r.hashes[i] == hash {
			time = max(time, r.times[i])
		}
	}
	return time
}

// near tells whether one with that hash is no further than window from time.
func (r *recents) near(hash uint64, time, window int64) bool {
	if r == nil {
		return false
	}
	for i := range min(r.n, len(r.hashes)) {
		if d := time - r.times[i]; r.hashes[i] == hash && d <= window && d >= -window {
			return true
		}
	}
	return false
}
