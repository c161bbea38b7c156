package store

// Sweep removes the files of sessions that nothing was written to for
// [Options.Retention], and of the oldest ones while there are more bytes than
// [Options.MaxTotalBytes] or more sessions than [Options.MaxSessions].
func (s *Store) Sweep(removed func(id string)) {
	s.writes.Lock()
	defer s.writes.Unlock()
	for _, f := range s.expired() {
		if err := s.dir.drop(f); err != nil {
			s.outcome.set(err)
			continue
		}
		if removed != nil && !s.has(f.id) {
			removed(f.id)
		}
	}
}

// has tells whether there is a session of that id, perhaps since a moment.
func (s *Store) has(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.files[id] != nil
}

// expired takes out what is to be removed. What waits to be written stays.
func (s *Store) expired() []*file {
	s.mu.Lock()
	defer s.mu.Unlock()
	var total int64
	for _, f := range s.files {
		total += f.zsize()
	}
	oldest := s.opt.Now().Add(-s.opt.Retention)
	var out []*file
	for _, f := range s.byAge() {
		tooMuch := total > s.opt.MaxTotalBytes || len(s.files) > s.opt.MaxSessions
		if !f.written.Before(oldest) && !tooMuch {
			break
		}
		if f.waiting() > 0 {
			continue
		}
		total -= f.zsize()
		delete(s.files, f.id)
		delete(s.dirty, f)
		out = append(out, f)
	}
	return out
}
