package session

import (
	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonrpc"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// reply closes the call it answers.
func (tx *Tx) reply(s *Session, o *Observation, m *jsonrpc.Message) {
	c := s.answered(o, m)
	switch {
	case c == nil && s.wasCancelled(o, m):
		tx.note(LateReply)
	case c == nil:
		tx.note(OrphanReply)
		outcome := outcomeOf("", m)
		if outcome.Failed {
			s.Summary.Errors++
		}
		tx.notice(s, o, Notice{Name: mcpconv.SpanOrphan, Message: m, Outcome: outcome, Invalid: first(m.Invalid, o.Invalid)})
	case c.poll != nil:
		tx.pollAnswered(s, o, m, c)
	case tx.waitsOn(s, o, m, c):
	default:
		end := CallEnd{Time: o.Time, Reply: m, Outcome: outcomeOf(c.Method, m), Bytes: o.Bytes, Reduced: o.Reduced}
		if why := first(m.Invalid, o.Invalid); why != "" {
			tx.note(why)
			end.Invalid = first(c.Invalid, why)
		}
		tx.inBand(s, c, m)
		tx.closeTools(s, c, o.Time)
		tx.close(s, c, end)
		tx.taskCancelled(s, o, m, c)
		end.Call = c
		s.learnLevel(&end)
	}
}

// waitsOn tells whether the reply is not the call's last: it runs as a task, or
// the client is asked for something.
func (tx *Tx) waitsOn(s *Session, o *Observation, m *jsonrpc.Message, c *Call) bool {
	if m.Error.Present() || c.dropped {
		return false
	}
	if t, ok := m.Result.Created(); ok {
		return tx.runAsTask(s, o, c, t)
	}
	return inputRequired(m) && tx.goesOn(s, o, m, c)
}

// answered is the open call that the reply answers; a reply of unknown
// direction answers the client's call first.
func (s *Session) answered(o *Observation, m *jsonrpc.Message) *Call {
	keys, n := o.replyKeys(m.ID)
	for _, key := range keys[:n] {
		if c := s.calls[key]; c != nil {
			return c
		}
	}
	return nil
}

func (s *Session) wasCancelled(o *Observation, m *jsonrpc.Message) bool {
	keys, n := o.replyKeys(m.ID)
	for _, key := range keys[:n] {
		if s.cancelledAt.find(key.hash()) != 0 {
			return true
		}
	}
	return false
}

// replyKeys are the keys of the calls that something sent in the observation's
// direction may refer to by id.
func (o *Observation) replyKeys(id jsonrpc.Value) (keys [2]callKey, n int) {
	if o.Direction != FromClient {
		keys[n] = callKey{o.connection(), string(id), true}
		n++
	}
	if o.Direction != FromServer {
		keys[n] = callKey{o.connection(), string(id), false}
		n++
	}
	return keys, n
}

// close ends a call and tells so.
func (tx *Tx) close(s *Session, c *Call, end CallEnd) {
	tx.endWait(s, c, &WaitEnd{Time: end.Time, Incomplete: end.Incomplete})
	s.unask(c)
	tx.rememberTrace(s, c)
	tx.undo = append(tx.undo, undo{kind: undoClose, session: s, call: c, token: s.take(c)})
	c.reported = true
	tx.closed = append(tx.closed, c)
	if c.dropped {
		return
	}
	end.Call, end.Time, end.Invalid = c, max(end.Time, c.Start), first(end.Invalid, c.Invalid)
	if !end.Incomplete {
		tx.unstick(c, end.Time)
		tx.answeredAt(s, c, end.Time)
	}
	tx.count(s)
	s.Summary.call(c, end.Outcome.Failed)
	if c.asks() {
		s.Summary.WaitingNs += end.Time - c.Start
	}
	tx.ended = end
	tx.sink.CallEnded(&tx.ended)
}

func (u *Summary) call(c *Call, failed bool) {
	switch c.Method {
	case mcpconv.MethodToolsCall:
		u.ToolCalls++
	case mcpconv.MethodSessionUpdate: // a tool call of ACP
		u.ToolCalls++
	case mcpconv.MethodSessionPrompt:
		u.Agents++
	case mcpconv.MethodSampling:
		u.LLMCalls++
	case mcpconv.MethodResourcesRead:
		u.Resources++
	case mcpconv.MethodPromptsGet:
		u.Prompts++
	}
	if failed {
		u.Errors++
	}
}
