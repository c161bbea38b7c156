package session

import (
	"cmp"
	"context"
	"strings"
	"unicode"

	"github.com/cespare/xxhash/v2"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonscan"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session/store"
)

// applyWorkflow takes an event of the Inspector; it is false for all others.
func (tx *workflows) applyWorkflow(ctx context.Context, env *event.Envelope, e event.Event) (handled bool, err error) {
	effect := opens
	switch e := e.(type) {
	case *event.WorkflowStarted, *event.WorkflowReported, *event.WaitStarted, *event.WaitEnded:
	case *event.WorkflowFinished:
		effect = once
	case *event.WorkflowUsage:
		effect = tx.usageEffect(&e.Deltas)
	default:
		return false, nil
	}
	s, err := tx.sessions.enter(ctx, env, effect)
	if err != nil || s == nil {
		return true, err
	}
	if !s.Announced && s.Number == 1 {
		if err = tx.transports.takeFileRoot(ctx, s); err != nil {
			return true, err
		}
	}
	s.Inspector = true
	learn(s, env)
	if effect != keepAlive {
		tx.ends.goesOn(s)
	}
	if effect != once && effect != keepAlive {
		tx.stalls.resume(s, env.Time)
	}
	switch e := e.(type) {
	case *event.WorkflowStarted:
		tx.workflowStarted(s, env, e)
	case *event.WorkflowFinished:
		tx.workflowFinished(s, env, e)
	case *event.WorkflowUsage:
		tx.workflowUsage(s, env, e, effect)
	case *event.WorkflowReported:
		tx.workflowReported(s, env, &e.Notice)
	case *event.WaitStarted:
		tx.waitStarted(s, env, e)
	case *event.WaitEnded:
		tx.store.Count(env.Invalid)
		tx.sessions.announce(s)
		tx.waits.closeWaitsIf(s, env.Time, false, func(w *store.Wait) bool { return e.Name == "" || w.Name == tx.short(e.Name) })
	}
	return true, nil
}

// workflowStarted opens a session, or one more level of an open one.
func (tx *workflows) workflowStarted(s *store.Session, env *event.Envelope, e *event.WorkflowStarted) {
	if e.Raw != "" && startedAgain(s, xxhash.Sum64String(e.Raw)) {
		tx.store.Count(Repeated)
		return
	}
	tx.markInvalid(s, env)
	if e.Title != "" && (tx.opt.KeepPayloads || isName(e.Title)) {
		s.Title = tx.shortText(e.Title)
	}
	if s.Engine == "" {
		s.Engine = strings.Clone(jsonscan.Cut(e.Engine, peerBytes))
	}
	tx.keepMembers(s, e.Extra)
	if e.Time > 0 {
		s.Start = min(s.Start, e.Time)
	}
	s.Starts++
	s.SawStart = true
	tx.waits.closeAll(s, env.Time, false)
	tx.sessions.announce(s)
}

// membersMax limits the bytes of other members that a session keeps: as many as one attribute
// shows by default.
const membersMax = 30 << 10

// keepMembers merges the members of a start or finish that have no field into the session's.
// Those that do not fit are left out.
func (tx *workflows) keepMembers(s *store.Session, members event.JSON) {
	if members == "" || !tx.opt.KeepPayloads {
		return
	}
	more := s.More()
	if merged := event.JSON(more.Members).Merge(members); len(merged) <= membersMax {
		s.Held += int64(len(merged) - len(more.Members))
		more.Members = strings.Clone(string(merged))
	} else {
		more.MembersCut = true
	}
	s.Extra = &more
}

// nameMax limits a name's length in bytes.
const nameMax = 64

// isName reports whether the title is one identifier, as the name of a class is,
// which gives the workflow its type. Any other is payload.
func isName(title string) bool {
	return len(title) <= nameMax && !strings.ContainsFunc(title, func(r rune) bool {
		return r != '_' && (r > unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r))
	})
}

// startedAgain reports whether the session's last starts include one of these
// bytes: a body that is sent twice must not open two levels.
func startedAgain(s *store.Session, raw uint64) bool {
	for _, seen := range s.Started {
		if seen == raw {
			return true
		}
	}
	s.Started[s.Starts&1] = raw
	return false
}

// markInvalid notes the first thing that was wrong.
func (tx *workflows) markInvalid(s *store.Session, env *event.Envelope) {
	tx.store.Count(env.Invalid)
	s.Invalid = cmp.Or(s.Invalid, env.Invalid)
}

// workflowFinished closes one level of a session, and the session when it was the
// last. The worst status wins: the application's own finish always says completed.
func (tx *workflows) workflowFinished(s *store.Session, env *event.Envelope, e *event.WorkflowFinished) {
	if !s.Open() {
		return
	}
	tx.markInvalid(s, env)
	if e.Start > 0 && !s.SawStart {
		s.Start = min(s.Start, e.Start)
	}
	tx.keepMembers(s, e.Extra)
	tx.sessions.announce(s)
	tx.worsen(s, e)
	if s.Starts--; s.Starts > 0 {
		tx.waits.closeAll(s, env.Time, false)
		tx.ends.awaitFinish(s, env, cmp.Or(e.Time, env.Time))
		return
	}
	tx.ends.end(s, cmp.Or(e.Time, env.Time), mcpconv.EndFinished)
}

// worsen takes over a status that is worse than what the session has.
func (tx *workflows) worsen(s *store.Session, e *event.WorkflowFinished) {
	switch {
	case e.Status == event.WorkflowFailed && !s.Failed:
		s.Failed = true
	case e.Status == event.WorkflowCancelled && !s.Failed && !s.Cancelled:
		s.Cancelled = true
	default:
		return
	}
	if tx.opt.KeepPayloads {
		s.Held += int64(len(e.Error) - len(s.ErrorText))
		s.ErrorText = strings.Clone(e.Error)
	}
}

// usageEffect leaves out negative counts. What counts nothing is a sign of life
// only.
func (tx *workflows) usageEffect(d *event.Deltas) entryEffect {
	for _, n := range []*int64{&d.LLMCalls, &d.Tokens, &d.ToolCalls} {
		if *n < 0 {
			*n = 0
			tx.store.Count(NegativeDelta)
		}
	}
	if *d == (event.Deltas{}) {
		return keepAlive
	}
	return once
}

// workflowUsage takes a heartbeat of the Inspector.
func (tx *workflows) workflowUsage(s *store.Session, env *event.Envelope, e *event.WorkflowUsage, effect entryEffect) {
	if !s.Open() {
		return
	}
	tx.waits.beatWaits(s, env.Time, effect != keepAlive)
	if effect == keepAlive {
		return
	}
	tx.sessions.announce(s)
	if tx.notices.redelivered(s, env, &e.Notice, 0) {
		return
	}
	s.Summary.LLMCalls = store.AddSaturating(s.Summary.LLMCalls, e.Deltas.LLMCalls)
	s.Summary.Tokens = store.AddSaturating(s.Summary.Tokens, e.Deltas.Tokens)
	s.Summary.ToolCalls = store.AddSaturating(s.Summary.ToolCalls, e.Deltas.ToolCalls)
	tx.notices.record(s, env, &e.Notice, &noticeExtra{})
}

// workflowReported takes any other event of the Inspector.
func (tx *workflows) workflowReported(s *store.Session, env *event.Envelope, n *event.Notice) {
	tx.sessions.announce(s)
	if tx.notices.redelivered(s, env, n, 0) {
		return
	}
	switch n.Detail.(type) {
	case *event.ResourceUsed:
		s.Summary.Resources++
	case *event.PromptUsed:
		s.Summary.Prompts++
	case *event.WorkflowProgress:
	default: // the others may come from a branch beside a wait
		tx.waits.closeAll(s, env.Time, false)
	}
	tx.notices.record(s, env, n, &noticeExtra{})
}

// waitStarted opens a wait for a signal, beside those that there are.
func (tx *workflows) waitStarted(s *store.Session, env *event.Envelope, e *event.WaitStarted) {
	tx.sessions.announce(s)
	hash := xxhash.Sum64String(e.Raw)
	for _, w := range s.Waits {
		if w.Hash == hash && w.Start == env.Time {
			tx.store.Count(Repeated)
			return
		}
	}
	tx.waits.start(s, env, e, hash)
}
