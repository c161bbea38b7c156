package session

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"github.com/otelcol-mcp/otelcol-mcp/internal/correlate"
	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonscan"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session/store"
)

// toolStarted takes that an agent is about to call a tool.
func (tx *agentTools) toolStarted(s *store.Session, env *event.Envelope, e *event.ToolStarted, about subject) {
	f := tx.fact(env, &e.SelfReport, &e.Use, env.Time)
	tx.expectHeartbeat(s, &e.Use, f)
	if e.Source != event.Hook {
		tx.toolAllowed(s, env, e, f, about)
		return
	}
	c := about.call
	switch {
	case c != nil && c.Sources().Has(store.FromHooks), c == nil && (about.left >= 0 || about.status == correlate.Repeated):
		tx.store.Count(Repeated)
		return
	case c != nil:
		tx.begun(c, e, f)
	default:
		c = tx.newTool(s, env, &e.Use, f, about)
		tx.openAgentTool(s, c)
		tx.doubtEarlier(s, c)
	}
	if c.Over() {
		return
	}
	if s.Waiting() && env.Time <= s.Phase.Start && !e.Asks { // older than the question, which came first
		if q := s.Agent.Question; q != nil && q.Hash == c.RoundHash {
			ask(s, c)
		}
		return
	}
	if c.SubAgent != "" && !e.Asks {
		return
	}
	if c.SubAgent == "" { // the main thread has gone on from what it asked
		s.Agent.Asking = slices.DeleteFunc(slices.Clone(s.Agent.Asking), func(key store.CallKey) bool {
			return s.Calls[key] == nil || s.Calls[key].SubAgent == ""
		})
	}
	switch {
	case e.Asks:
		ask(s, c)
		tx.pauses.pause(s, env.Time, mcpconv.PhaseApproval)
	case len(s.Agent.Asking) == 0:
		s.Agent.Before = ""
		tx.phases.enter(s, env.Time, mcpconv.PhaseWorking)
	}
}

// toolAllowed takes from a log record or span that a tool may be called, or is
// called.
func (tx *agentTools) toolAllowed(s *store.Session, env *event.Envelope, e *event.ToolStarted, f *deed, about subject) {
	r := tx.report(&e.Use)
	switch c := about.call; {
	case c != nil:
		tx.learnID(c, f)
		tx.joins.reported(c, e.Source, r)
		tx.toolOver(s, env.Time, &e.Use, c, e.Source)
	case about.left >= 0:
		tx.joins.aboutDone(s, about.left)
	default:
		c = tx.newTool(s, env, &e.Use, f, about)
		c.Report = &r
		c.Bytes = c.CallRecord.Bytes()
		tx.openAgentTool(s, c)
		tx.joins.reported(c, e.Source, store.Report{})
		tx.toolOver(s, env.Time, &e.Use, c, e.Source)
	}
}

// toolEnded takes that a tool returned, or that it failed.
func (tx *agentTools) toolEnded(s *store.Session, env *event.Envelope, e *event.ToolEnded, about subject) {
	how := Outcome{}
	if e.Failed {
		how = outcomeOfTool(e.Text, e.Interrupted)
	}
	if !s.Open() {
		tx.store.Count(LateReply)
		tx.selfReports.note(s, env, &e.SelfReport, how)
		return
	}
	r := tx.report(&e.Use)
	r.End, r.Failed, r.Code = cmp.Or(e.Use.End, env.Time), e.Failed, how.Code
	r.Type, r.Text = cmp.Or(tx.text(e.Use.ErrorType), how.Type), ""
	if !e.Failed {
		r.Type = ""
	}
	if e.Interrupted {
		r.Decision = "interrupted"
	}
	if tx.opt.KeepPayloads {
		r.Text, r.Output = strings.Clone(how.Message), strings.Clone(string(e.Use.Output))
	}
	start := max(env.Time-toolTime(&e.Use), 1)
	if e.Use.Start != 0 {
		start = began(e.Use.Start, env.Time)
	}
	if e.Native.Valid() {
		start, r.End = began(e.Native.Start, env.Time), e.Native.End
	}
	f := tx.fact(env, &e.SelfReport, &e.Use, start)
	c := about.call
	if c == nil {
		if about.left >= 0 {
			tx.toolLate(s, env, e, f, about, how, &r)
			return
		}
		// its start was not seen, or comes behind
		c = tx.newTool(s, env, &e.Use, f, about)
		r.Late = true
		s.Start = min(s.Start, c.Start)
		tx.openAgentTool(s, c)
	}
	tx.learnID(c, f)
	held := c.Over() // its turn is over
	tx.joins.ended(s, c, &e.SelfReport, r)
	if !held {
		tx.toolOver(s, env.Time, &e.Use, c, e.Source)
	}
	if e.Interrupted {
		tx.rests(s, r.End, c)
	}
}

// rests takes that the agent waits for a person after the call.
func (tx *agentTools) rests(s *store.Session, at int64, c *store.Call) {
	if c.SubAgent == "" && (s.Phase == nil || at >= s.Phase.Start) {
		s.Agent.Before, s.Agent.Asking = "", nil
		tx.phases.enter(s, at, mcpconv.PhaseIdle)
	}
}

// toolLate takes the end of a call that has left.
func (tx *agentTools) toolLate(
	s *store.Session, env *event.Envelope, e *event.ToolEnded, f *deed, about subject, how Outcome, r *store.Report,
) {
	if e.Source == event.Hook {
		tx.store.Count(LateReply)
		tx.selfReports.note(s, env, &e.SelfReport, how)
	}
	c := tx.newTool(s, env, &e.Use, f, about)
	c.Report = r
	tx.joins.late(s, &e.SelfReport, about, c)
}

// toolDenied takes that a tool was not allowed.
func (tx *agentTools) toolDenied(s *store.Session, env *event.Envelope, e *event.ToolDenied, about subject) {
	tx.selfReports.note(s, env, &e.SelfReport, Outcome{})
	if !s.Open() {
		return
	}
	f := tx.fact(env, &e.SelfReport, &e.Use, env.Time)
	c, r := about.call, tx.refusal(env, e)
	if c == nil {
		c = tx.newTool(s, env, &e.Use, f, about)
		if about.left >= 0 {
			c.Report = &r
			tx.joins.late(s, &e.SelfReport, about, c)
			return
		}
		tx.openAgentTool(s, c)
	}
	tx.joins.ended(s, c, &e.SelfReport, r)
	tx.toolOver(s, env.Time, &e.Use, c, e.Source)
	if e.Rests {
		tx.rests(s, env.Time, c)
	}
}

// fact returns the key, name and time by which the call is recognised.
func (tx *agentTools) fact(env *event.Envelope, a *event.SelfReport, u *event.ToolUse, start int64) *deed {
	return &deed{Kind: event.ToolCall, Key: toolKey(env, u), Name: tx.cut(toolName(u)), Start: start, Source: a.Source}
}

// toolName is the tool as its MCP server calls it, if that is known, else as the
// agent does.
func toolName(u *event.ToolUse) string { return u.Tool.Str() }

// report returns the details of the call that do not depend on its end.
func (tx *agentTools) report(u *event.ToolUse) store.Report {
	r := store.Report{
		Name: tx.text(u.Name), Decision: tx.text(u.Decision), Decider: tx.text(u.Decider), InSize: u.InSize, OutSize: u.OutSize,
	}
	if ms, ok := u.Duration.Float(); ok && ms >= 0 {
		r.Duration = strings.Clone(string(u.Duration))
	}
	return r
}

// toolOver finds out what the agent does now. When a person allowed the tool is
// not reported, but how long it then took.
func (tx *agentTools) toolOver(s *store.Session, at int64, u *event.ToolUse, c *store.Call, source event.Source) {
	if source != event.Hook {
		tx.decided(s, at, c)
		return
	}
	if s.Waiting() && len(s.Agent.Asking) == 0 {
		tx.pauses.leavePause(s, max(at-toolTime(u), s.Phase.Start))
	}
	if c.SubAgent == "" && !s.Waiting() && !s.In(mcpconv.PhaseWorking) {
		s.Agent.Before = ""
		tx.phases.enter(s, at, mcpconv.PhaseWorking)
	}
}

// decided takes that a call was decided on, ran or ended: a person is not asked for it any more.
func (tx *agentTools) decided(s *store.Session, at int64, c *store.Call) {
	if !s.Waiting() || at < s.Phase.Start {
		return
	}
	q := s.Agent.Question
	switch asking := s.Agent.Asking; {
	case len(asking) > 0 && !slices.Contains(asking, c.OpenKey()):
		return
	case len(asking) == 0 && q != nil && q.Tool != "" && q.Tool != c.Target:
		return
	}
	unask(s, c)
	if len(s.Agent.Asking) == 0 {
		tx.pauses.leavePause(s, at)
	}
}

// toolKey finds the call: by the id that it was given, else by one made of what
// is called how.
func toolKey(env *event.Envelope, u *event.ToolUse) store.CallKey {
	id := string(u.ID)
	if id == "" || len(id) > idBytes {
		sum := sha256.Sum256([]byte(id + string(u.Tool) + "\x00" + string(u.Input)))
		id = store.GeneratedID + hex.EncodeToString(sum[:16]) + `"`
	}
	return store.CallKey{Connection: env.Scope(), ID: id, FromClient: true}
}

// newTool is the call of a tool; its span ID is still missing.
func (tx *agentTools) newTool(s *store.Session, env *event.Envelope, u *event.ToolUse, f *deed, about subject) *store.Call {
	if correlate.IsHashed(f.Name) && about.account != 0 { // another report may tell it
		f.Name = cmp.Or(tx.cut(factOf(s, about.account).Name), f.Name)
	}
	c := tx.agentCalls.newCall(s, env, f, mcpconv.MethodToolsCall, u.SubAgent.Str(), u.Input)
	c.Account = about.account
	c.RoundHash, c.Busy = hashTool(u.Tool, u.Input), s.HostID
	c.Server = strings.Clone(jsonscan.Cut(u.Server, peerBytes))
	c.Report.Name = tx.text(u.Name)
	c.Invalid = strings.Clone(invalidTool(env, u))
	tx.store.Count(c.Invalid)
	c.Bytes = c.CallRecord.Bytes()
	return c
}

func invalidTool(env *event.Envelope, u *event.ToolUse) string {
	switch {
	case env.Invalid != "":
		return env.Invalid
	case u.Tool.Str() == "":
		return "name is missing"
	}
	return ""
}

// openAgentTool reports a call.
func (tx *agentTools) openAgentTool(s *store.Session, c *store.Call) {
	if s.Calls[c.OpenKey()] != nil { // the same is done again: without an id, its key is made of its input
		rename(c, decimal(c.Start))
	}
	if old := s.Calls[c.OpenKey()]; old != nil {
		tx.store.Count(ReusedID)
		tx.joins.emit(s, old, CallEnd{Time: c.Start, Incomplete: true})
	}
	tx.calls.open(s, c)
}

// ask notes that a person is asked for a call; of very many at once only some
// are kept.
func ask(s *store.Session, c *store.Call) {
	if len(s.Agent.Asking) < store.NestedMax {
		s.Agent.Asking = s.Agent.Asking.With(c.OpenKey())
	}
}

// closeToolsOf ends the tool calls of one agent, "" the main thread, whose end no
// hook reported: a person said no, or interrupted. A span of what they were in is none of
// theirs, which may come behind.
func (tx *agentTools) closeToolsOf(s *store.Session, at int64, agent string, source event.Source) {
	if s.NoTools { // many calls may be held
		return
	}
	var over []*store.Call
	s.NoTools = true
	for _, c := range s.Calls {
		switch {
		case c.Kind != event.ToolCall || !c.OfAgent() || c.Over():
		case c.SubAgent == agent && c.Start <= at:
			over = append(over, c)
		default:
			s.NoTools = false
		}
	}
	slices.SortFunc(over, store.InOrder)
	for _, c := range over {
		a := event.SelfReport{Notice: event.Notice{Source: source}}
		if source == event.AgentSpan {
			a.Source = c.Source
		}
		tx.joins.ended(s, c, &a, store.Report{End: max(at, c.Start), Unclosed: true})
	}
}

// askedFor is the open call for which a person is asked: most questions have no id.
func askedFor(s *store.Session, env *event.Envelope, e *event.ApprovalRequested) *store.Call {
	if e.Call != "" {
		return s.Calls[toolKey(env, &event.ToolUse{ID: e.Call})]
	}
	if e.Tool == "" && e.Input == "" || len(s.Calls) > store.NestedMax {
		return nil
	}
	agent, hash, about := e.SubAgent.Str(), hashTool(e.Tool, e.Input), detail(string(e.Input))
	var similar *store.Call
	for _, c := range s.CallsInOrder() {
		switch {
		case c.Kind != event.ToolCall || !c.OfAgent() || c.Over() || c.SubAgent != agent || slices.Contains(s.Agent.Asking, c.OpenKey()):
		case c.RoundHash == hash:
			return c
		case about != "" && (e.Tool == "" || c.Target == e.Tool.Str()) && detail(c.Input) == about: // the question has more members
			similar = c
		}
	}
	return similar
}
