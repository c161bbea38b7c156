package store

// Bytes returns about how much memory the session takes beside its calls.
func (s *SessionRecord) Bytes() int64 {
	held := int64(len(s.ErrorText)+len(s.More().Members)+len(s.Task)+len(s.FirstPrompt())) + s.Pending.Bytes()
	for key, session := range s.Redirects {
		held += RouteBytes(key, session)
	}
	for _, a := range s.Agents {
		held += a.Bytes()
	}
	for _, w := range s.Waits {
		held += w.Bytes()
	}
	if s.Agent != nil {
		held += s.Agent.Done.Bytes() + int64(len(s.Agent.Output))
	}
	return held
}

// RouteBytes returns the size of the route of one reply.
func RouteBytes(key, session string) int64 { return int64(len(key) + len(session)) }

// Bytes returns the size of the reminders that were not shown yet.
func (r Reminders) Bytes() (bytes int64) {
	for i := range r {
		bytes += int64(len(r[i].ID))
	}
	return bytes
}
