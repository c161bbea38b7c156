package session

import "slices"

// save copies the session; what is shared with the copy never changes.
func (s *Session) save() *savedSession {
	v := &savedSession{
		Session: *s, Said: s.said, Client: s.client, Server: s.server,
		Beaten: s.beaten, HasTokens: s.hasTokens, HasTools: s.hasTools, Spent: s.spent, Made: s.made,
		Spawned: s.spawned, Told: s.told, Echoes: s.echoes, Started: s.started,
		Arrival: s.arrival, Lapse: s.lapse, Ended: s.ended,
		Finished: s.finished, Traces: s.traces, Withdrawn: s.cancelledAt, Carried: s.carried, Used: s.used,
		Flood: savedFlood{s.flood.second, s.flood.n, s.flood.dropped},
		Spans: s.spans, Starts: s.starts, SawStart: s.sawStart, Announced: s.announced,
		Reminders: s.reminders, Logs: s.logs, LogLevel: s.logLevel,
	}
	v.Used.Ring = slices.Clone(s.used.Ring)
	for _, a := range s.agents {
		v.Agents = append(v.Agents, savedAgent{*a, a.seen})
	}
	for key, session := range s.redirects {
		v.Redirects = append(v.Redirects, savedRedirect{key.save(), session})
	}
	for _, w := range s.waits {
		v.Waits = append(v.Waits, savedWait{*w, w.raw})
	}
	for _, p := range s.pending {
		v.Pending = append(v.Pending, savedReminder{p.key, p.id})
	}
	if s.hooks != nil {
		v.Hooks = s.hooks.save()
	}
	return v
}

// brief is what calls that go on in a later epoch tell of theirs.
func (s *Session) brief() *savedSession {
	return &savedSession{
		Session: Session{
			ID: s.ID, Identity: s.Identity, Trace: s.Trace, Root: s.Root, Start: s.Start, Last: s.Last, Epoch: s.Epoch, MCPSession: s.MCPSession,
		},
		Said: s.said, Client: s.client, Server: s.server,
	}
}

func (h *hookState) save() *savedHooks {
	v := &savedHooks{Input: h.input, Before: h.before, Manual: h.manual}
	for _, c := range h.asking {
		v.Asking = append(v.Asking, c.key().save())
	}
	return v
}

func (k callKey) save() savedKey { return savedKey{0, k.connection, k.id, k.fromClient} }
func (k parkKey) save() savedKey { return savedKey{k.kind, k.connection, k.id, k.fromClient} }

func (k savedKey) call() callKey { return callKey{k.Connection, k.ID, k.FromClient} }
func (k savedKey) park() parkKey { return parkKey{k.Kind, k.Connection, k.ID, k.FromClient} }

// save copies the call, likewise.
func (c *Call) save() *savedCall {
	v := &savedCall{
		Call: *c, Of: c.entry.name, OfConnection: c.entry.book == byConnection,
		Parked: c.parked.save(), Leg: c.leg, Host: c.host, TaskText: c.taskText,
		LegStart: c.legStart, Deadline: c.deadline, TaskEnd: c.taskEnd,
		Arrival: c.arrival, Moved: c.moved, Since: c.since, Raw: c.raw, Dropped: c.dropped,
	}
	v.Progress = slices.Clone(c.Events())
	if s := c.Session; s != nil && s != c.entry.s {
		v.Former = s.brief()
	}
	if c.poll != nil {
		key := c.poll.parked.save()
		v.Poll = &key
	}
	if c.wait != nil {
		v.Wait = &savedWait{*c.wait, c.wait.raw}
	}
	return v
}
