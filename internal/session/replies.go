package session

import (
	"cmp"
	"context"
	"crypto/sha256"
	"math"
	"slices"
	"strings"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session/store"
)

// callEnded takes a reply.
func (tx *requests) callEnded(ctx context.Context, env *event.Envelope, e *event.CallEnded) error {
	in, err := tx.arrivals.arrive(ctx, env, &e.Contact, arrival{effect: late, reply: e})
	if err != nil {
		return err
	}
	tx.reply(in.s, env, e, in.answered)
	return tx.arrivals.sessionCreated(ctx, env, e, in.connection)
}

// reply closes the call that the reply answers; c is nil if none is open.
func (tx *requests) reply(s *store.Session, env *event.Envelope, e *event.CallEnded, c *store.Call) {
	switch {
	case c == nil && wasCancelled(s, env, e.ID):
		tx.store.Count(LateReply)
	case c == nil && env.Unanswered:
		tx.store.Count(OrphanReply)
	case c == nil && repliedBefore(s, env, e.ID):
		tx.store.Count(Repeated)
	case c == nil:
		tx.orphan(s, env, e)
	case c.Poll != nil:
		tx.tasks.pollAnswered(s, env, e, c)
	case tx.waitsOn(s, env, e, c):
	default:
		end := CallEnd{
			Time: env.Time, Reply: &e.Reply, Outcome: outcomeOfReply(c.Kind, &e.Reply), Size: env.Bytes, Reduced: env.Reduced, HTTPStatus: env.HTTPStatus,
		}
		switch {
		case env.Unanswered:
			end.Outcome = outcomeUnanswered(c.Method, &e.Reply, env.HTTPStatus)
		case e.Invalid != "":
			tx.store.Count(e.Invalid)
			end.Invalid = cmp.Or(c.Invalid, e.Invalid)
		}
		tx.inBand.reply(s, c, &e.Reply)
		tx.acpTools.closeTools(s, c, env.Time)
		polled := c.Method == mcpconv.MethodEventsPoll && !c.Dropped
		tx.calls.close(s, c, end)
		if polled {
			tx.notifications.polled(s, env, e)
			tx.notifications.pollFailed(s, env, e, c.Hint)
		}
		tx.tasks.taskCancelled(s, env, e, c)
		learnLevel(s, &c.CallRecord, end.Outcome.Failed)
	}
}

// orphan records a reply without a request.
func (tx *requests) orphan(s *store.Session, env *event.Envelope, e *event.CallEnded) {
	tx.store.Count(OrphanReply)
	how := outcomeOfReply(event.OtherCall, &e.Reply)
	if how.Failed {
		tx.countError(s, env.Time, how.Message)
	}
	tx.notices.record(s, env, &e.Notice, &noticeExtra{Outcome: how})
}

// learnLevel keeps the log level that a reply agrees to.
func learnLevel(s *store.Session, c *store.CallRecord, failed bool) {
	if level := mcpconv.Levels[c.Target]; level > 0 && c.Kind == event.LogLevelSetting && c.Key.FromClient && !failed {
		s.LogLevel = level
	}
}

// answered is the open call with that id, nil if there is none.
func answered(s *store.Session, env *event.Envelope, direction event.Direction, id event.JSON) *store.Call {
	keys, n := replyKeys(env, direction, id)
	for _, key := range keys[:n] {
		if c := s.Calls[key]; c != nil {
			return c
		}
	}
	return nil
}

// repliedTo is the open call that a reply answers, nil if there is none. If the
// reply's direction is unknown and both sides wait for one with that id, it is the
// call whose kind of result it is, else the newest: a nested request is answered
// first.
func repliedTo(s *store.Session, env *event.Envelope, e *event.CallEnded) *store.Call {
	c := answered(s, env, env.Direction, e.ID)
	if c == nil || env.Direction != event.Unknown || !c.Key.FromClient {
		return c
	}
	other := answered(s, env, event.FromClient, e.ID) // what the client sends answers the server
	if other == nil {
		return c
	}
	client, server := returns(&c.CallRecord, &e.Reply), returns(&other.CallRecord, &e.Reply)
	if client != server && server || client == server && other.Start >= c.Start {
		return other
	}
	return c
}

// returns reports whether calls of that kind, or of that method, have such results.
func returns(c *store.CallRecord, reply *event.Reply) bool {
	r := &reply.Result
	switch c.Kind {
	case event.ToolCall:
		return r.Content.IsArray() && r.Role == "" || r.Structured != ""
	case event.ResourceRead:
		return r.MimeType != "" || r.Bytes > 0
	case event.ModelCall:
		return r.Role != ""
	case event.Elicitation:
		return r.Action != ""
	case event.Permission:
		return r.Permission != ""
	case event.AgentPrompt:
		return r.StopReason != "" && r.Role == ""
	case event.PromptGet:
		return r.Listed == "messages"
	}
	return r.Listed != "" && listedBy[c.Method] == r.Listed
}

// listedBy is which member of its result has the list that a method asks for.
var listedBy = map[string]string{
	mcpconv.MethodRootsList: "roots", mcpconv.MethodToolsList: "tools", "resources/list": "resources",
	"resources/templates/list": "resourceTemplates", "prompts/list": "prompts",
}

func wasCancelled(s *store.Session, env *event.Envelope, id event.JSON) bool {
	keys, n := replyKeys(env, env.Direction, id)
	for _, key := range keys[:n] {
		if s.Withdrawn.Find(key.Hash()) != 0 {
			return true
		}
	}
	return false
}

// repliedBefore reports whether the reply is one to a call that goes on after it.
func repliedBefore(s *store.Session, env *event.Envelope, id event.JSON) bool {
	keys, n := replyKeys(env, env.Direction, id)
	return slices.ContainsFunc(keys[:n], func(key store.CallKey) bool { return s.Asked(key) != nil })
}

// waitsOn reports whether the reply is not the call's last: it runs as a task, or
// the client is asked for something.
func (tx *requests) waitsOn(s *store.Session, env *event.Envelope, e *event.CallEnded, c *store.Call) bool {
	switch {
	case e.Reply.Failed || c.Dropped:
		return false
	case e.Created:
		return tx.tasks.runAsTask(s, env, c, &e.Task)
	}
	return e.Input != nil && tx.awaitInput(s, env, e.Input, c)
}

// awaitInput keeps the call open until the client goes on with it (MCP
// 2026-07-28, multi round trip requests); it is false if the call must end now,
// since another one names the same state.
func (tx *requests) awaitInput(s *store.Session, env *event.Envelope, in *event.InputRequired, c *store.Call) bool {
	if other := tx.store.Park(s, c, store.ParkedRound, stateKey(in.State)); other != nil {
		tx.store.Count(AmbiguousState)
		if other != c {
			tx.calls.close(s, other, CallEnd{Time: other.Wait.Start})
		}
		return false
	}
	w := &store.Wait{Name: signalOf(in.Method), Start: env.Time}
	if tx.opt.KeepPayloads {
		w.Prompt, w.Schema = strings.Clone(in.Prompt), strings.Clone(string(in.Schema))
	}
	tx.waits.startOfCall(s, c, w)
	return true
}

// stateKey returns the key of a request state, which may be long.
func stateKey(text string) string {
	sum := sha256.Sum256([]byte(text))
	return string(sum[:16])
}

// signalOf names what is waited for by the method of the request that asks.
func signalOf(method string) string {
	switch method {
	case mcpconv.MethodElicitation:
		return "elicitation"
	case mcpconv.MethodSampling:
		return "sampling"
	case mcpconv.MethodRootsList:
		return "roots"
	}
	return "input"
}

// cancel ends the call that the notification names, if it is open. The sender of
// a request is who cancels it.
func (tx *requests) cancel(s *store.Session, env *event.Envelope, e *event.CallCancelled) bool {
	direction := env.Direction
	switch env.Direction {
	case event.FromClient:
		direction = event.FromServer
	case event.FromServer:
		direction = event.FromClient
	}
	c := answered(s, env, direction, e.ID)
	if c == nil {
		return false
	}
	s.Withdrawn = s.Withdrawn.With(c.OpenKey().Hash(), max(env.Time, 1))
	tx.calls.close(s, c, CallEnd{Time: env.Time, Cancelled: true, Outcome: outcomeCancelled(c.Method, e.Reason)})
	return true
}

// recordsLost marks the calls of the connection that are open: their replies may be
// among what the tap lost, so they are never stuck, and end with their session if
// no reply comes.
func (tx *requests) recordsLost(s *store.Session, env *event.Envelope, e *event.RecordsLost) {
	lost := store.AddSaturating(int64(s.LostRecords), max(e.Records, 0))
	s.LostRecords = int32(min(lost, math.MaxInt32)) //nolint:gosec // it is bounded
	for _, c := range s.CallsInOrder() {
		if c.Key.Connection == env.Scope() && !c.Uncertain && (!c.Dropped || c.Poll != nil) {
			tx.store.Doubt(c)
		}
	}
}

// progress adds an event to the open call that asked for it.
func (tx *requests) progress(s *store.Session, env *event.Envelope, e *event.CallProgress) bool {
	if !e.HasValue || e.Token == "" {
		return false
	}
	keys, n := replyKeys(env, env.Direction, e.Token)
	for _, key := range keys[:n] {
		c := s.Tokens[key]
		if c == nil {
			continue
		}
		p := store.Progress{Time: max(env.Time, c.Start), Progress: e.Value, Total: e.Total, HasTotal: e.HasTotal}
		if tx.opt.KeepPayloads {
			p.Message = tx.shortText(e.Message)
		}
		tx.store.AddProgress(c, p, tx.opt.ProgressEvents)
		tx.stalls.noteProgress(c, p.Time)
		return true
	}
	return false
}
