package session

// weigh is what the session keeps beside its calls.
func (s *Session) weigh() int64 {
	held := int64(len(s.ErrorText)+len(s.Task)+len(s.FirstPrompt())) + pendingBytes(s.pending)
	for key, session := range s.redirects {
		held += redirectBytes(key, session)
	}
	for _, a := range s.agents {
		held += a.bytes()
	}
	for _, w := range s.waits {
		held += w.bytes()
	}
	return held
}

func (w *Wait) bytes() int64 { return int64(len(w.Prompt) + len(w.Schema)) }

// weighAll is what a call holds that is open for a while.
func (c *Call) weighAll() int64 {
	held := c.weigh() + int64(len(c.leg)+len(c.taskText)+len(c.SubAgent))
	for i := range c.Progress {
		held += int64(len(c.Progress[i].Message))
	}
	if c.wait != nil {
		held += c.wait.bytes()
	}
	return held
}

// forget drops from what came back whatever is payload; it was kept when payloads
// were wanted.
func (s *Session) forget() {
	s.ErrorText, s.Task = "", ""
	if s.hooks != nil {
		s.Title, s.hooks.input = "", ""
	}
	for _, a := range s.agents {
		a.Task = ""
	}
	for _, w := range s.waits {
		w.Prompt, w.Schema = "", ""
	}
}

// forget does the same with a call.
func (c *Call) forget() {
	c.Input, c.Text, c.Preference, c.Output, c.taskText = "", "", "", "", ""
	for i := range c.Progress {
		c.Progress[i].Message = ""
	}
	if c.wait != nil {
		c.wait.Prompt, c.wait.Schema = "", ""
	}
	if c.Tool != "" {
		c.Target = c.ToolKind
	}
}
