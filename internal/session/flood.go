package session

import "time"

// flood counts a session's notifications of one second.
type flood struct {
	second  int64
	n       int32
	dropped bool // since it began, some were
}

// floods tells whether the session sends more notifications than it may. Seconds
// are those of the messages' times, so that what a sender held back while the
// collector was away, or replays, is not taken for a flood.
func (tx *Tx) floods(s *Session, o *Observation) bool {
	f := &s.flood
	if second := o.Time / int64(time.Second); second != f.second {
		f.second, f.n = second, 0
	}
	if int(f.n) < tx.t.opt.NoticesPerSecond {
		f.n++
		return false
	}
	tx.note(Flood)
	if !f.dropped {
		f.dropped = true
		tx.note(FloodBegins)
	}
	return true
}
