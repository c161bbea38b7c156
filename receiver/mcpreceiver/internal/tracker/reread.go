package tracker

// session is the session that was kept, without its calls; gap is for how long
// nothing could be heard.
func (v *savedSession) session(gap int64) *Session {
	s := v.Session
	s.said, s.client, s.server = v.Said, v.Client, v.Server
	s.beaten, s.hasTokens, s.hasTools, s.spent, s.made = v.Beaten, v.HasTokens, v.HasTools, v.Spent, v.Made
	s.spawned, s.told, s.echoes, s.held, s.started = v.Spawned, v.Told, v.Echoes, v.Held, v.Started
	s.arrival, s.lapse, s.ended = v.Arrival+gap, v.Lapse+gap, v.Ended
	s.finished, s.traces, s.cancelledAt, s.carried, s.used = v.Finished, v.Traces, v.Withdrawn, v.Carried, v.Used
	s.flood = flood{v.Flood.Second, v.Flood.N, v.Flood.Dropped}
	s.spans, s.starts, s.sawStart, s.announced = v.Spans, v.Starts, v.SawStart, v.Announced
	s.reminders, s.logs, s.logLevel = v.Reminders, v.Logs, v.LogLevel
	for i := range v.Agents {
		a := &v.Agents[i]
		a.seen = a.Seen
		s.agents = append(s.agents, &a.Agent)
	}
	for _, r := range v.Redirects {
		if s.redirects == nil {
			s.redirects = map[callKey]string{}
		}
		s.redirects[r.Key.call()] = r.Session
	}
	for i := range v.Waits {
		s.waits = append(s.waits, v.Waits[i].wait())
	}
	for _, p := range v.Pending {
		s.pending = append(s.pending, pending{p.Key, p.ID})
	}
	if h := v.Hooks; h != nil {
		s.hooks = &hookState{input: h.Input, before: h.Before, manual: h.Manual}
	}
	return &s
}

func (v *savedWait) wait() *Wait {
	w := v.Wait
	w.raw = v.Raw
	return &w
}

// call is the call that was kept, open in e. What it asks for is still missing.
func (v *savedCall) call(e *entry, gap int64) *Call {
	c := v.Call
	c.Session, c.entry = e.s.telemetry(), e
	if v.Former != nil {
		c.Session = v.Former.session(0)
	}
	c.progress, c.parked, c.leg, c.host, c.taskText = v.Progressed, v.Parked.park(), v.Leg, v.Host, v.TaskText
	c.legStart, c.deadline, c.taskEnd = v.LegStart, v.Deadline, v.TaskEnd
	c.arrival, c.moved, c.since = v.Arrival+gap, v.Moved+gap, v.Since+gap
	c.raw, c.bytes, c.dropped = v.Raw, v.Held, v.Dropped
	if v.Wait != nil {
		c.wait = v.Wait.wait()
		c.wait.Call = &c
	}
	c.node.value, c.still.value = &c, &c
	return &c
}
