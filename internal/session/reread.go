package session

// session is the session that was kept, without its calls; gap is for how long
// nothing could be heard.
func (v *savedSession) session(gap int64, opt *Options) *Session {
	s := v.Session
	s.said, s.client, s.server = v.Said, v.Client, v.Server
	s.beaten, s.hasTokens, s.hasTools, s.spent, s.made = v.Beaten, v.HasTokens, v.HasTools, v.Spent, v.Made
	s.spawned, s.told, s.echoes, s.started = v.Spawned, v.Told, v.Echoes, v.Started
	s.arrival, s.lapse = v.Arrival+gap, v.Lapse+gap
	if v.Ended != 0 {
		s.ended = v.Ended + gap
	}
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
	if !opt.KeepPayloads {
		s.forget()
	}
	s.held = s.weigh()
	return &s
}

func (v *savedWait) wait() *Wait {
	w := v.Wait
	w.raw = v.Raw
	return &w
}

// call is the call that was kept, open in e. What it asks for is still missing.
// Its arrival is shifted already.
func (v *savedCall) call(e *entry, gap int64, opt *Options) *Call {
	c := v.Call
	c.Session, c.entry = e.s.telemetry(), e
	c.parked, c.leg, c.host, c.taskText = v.Parked.park(), v.Leg, v.Host, v.TaskText
	c.legStart, c.taskEnd, c.raw, c.dropped = v.LegStart, v.TaskEnd, v.Raw, v.Dropped
	c.arrival, c.moved, c.since = v.Arrival, v.Moved+gap, v.Since+gap
	if c.deadline = v.Deadline; c.deadline != 0 && c.taskEnd != 0 { // how long we wait, not the server
		c.deadline += gap
	}
	if v.Wait != nil {
		c.wait = v.Wait.wait()
		c.wait.Call = &c
	}
	if n := len(c.Progress); n > opt.ProgressEvents {
		c.Progress = append(c.Progress[:1:1], c.Progress[n-opt.ProgressEvents+1:]...)
	}
	c.progress = len(c.Progress)
	if !opt.KeepPayloads {
		c.forget()
	}
	if !opt.KeepEnvelopes {
		c.Envelope = ""
	}
	c.bytes = c.weighAll()
	c.node.value, c.still.value, c.kept.value = &c, &c, &c
	return &c
}
