package store

import "time"

// patience limits the time in which the disk writes nothing and senders wait. After it lines are lost.
const patience = 5 * time.Second

// room makes who appends wait for the writer. It is guarded by the store's mutex.
type room struct {
	writer bool          // Run is running
	hangs  bool          // nothing was written for so long that nobody waits
	made   chan struct{} // closed when something was written
}

// writing notes whether the writer runs.
func (s *Store) writing(runs bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.room.writer = runs
	s.room.wake()
}

// wake lets who waits look again.
func (r *room) wake() {
	r.hangs = false
	close(r.made)
	r.made = make(chan struct{})
}

// await waits until n more bytes fit, as long as writing works. The mutex is held before and after, not meanwhile.
func (s *Store) await(n int) {
	for s.pending > 0 && s.pending+n > s.opt.MaxPending && s.room.writer && !s.room.hangs && s.outcome.failing() == nil {
		made := s.room.made
		s.mu.Unlock()
		s.nudge()
		timeout := time.NewTimer(patience)
		select {
		case <-made:
			timeout.Stop()
			s.mu.Lock()
		case <-timeout.C:
			s.mu.Lock()
			s.room.hangs = s.room.hangs || s.room.made == made
		}
	}
}
