package session

import (
	"cmp"
	"encoding/json"
	"strconv"

	"github.com/cespare/xxhash/v2"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session/store"
)

// eventSeen records an event that a client of others received, or what its server
// says about the subscription: an error and the end of one are errors.
func (tx *notifications) eventSeen(s *store.Session, env *event.Envelope, n *event.Notice, e *event.EventSeen) {
	if tx.notices.redelivered(s, env, n, contentOf(e)) {
		return
	}
	extra := noticeExtra{Outcome: tx.seenOutcome(e)}
	if extra.Outcome.Failed {
		tx.countError(s, env.Time, extra.Outcome.Message)
	}
	tx.notices.record(s, env, n, &extra)
}

// pollFailed records the error of a whole poll for each subscription that it asked for. The
// call has it too, and is what counts.
func (tx *notifications) pollFailed(s *store.Session, env *event.Envelope, e *event.CallEnded, subscriptions string) {
	var asked []struct{ ID, Name json.RawMessage }
	if !e.Reply.Failed || env.Unanswered || json.Unmarshal([]byte(subscriptions), &asked) != nil {
		return
	}
	var reply struct {
		Error struct{ Code, Message json.RawMessage }
	}
	_ = json.Unmarshal([]byte(e.Reply.Raw), &reply) // it was scanned before
	for _, one := range asked {
		seen := &event.EventSeen{
			Method: e.Fault, Delivery: "poll", Name: event.JSON(one.Name), Subscription: event.JSON(one.ID).Str(),
			Code: event.JSON(reply.Error.Code), Message: event.JSON(reply.Error.Message),
		}
		if seen.Subscription != "" {
			seen.Generation = "g1"
		}
		n := event.Notice{
			Contact: event.Contact{Method: e.Fault}, Name: e.Fault, Version: e.Version, Raw: event.JSON(one.ID) + event.JSON(one.Name), Detail: seen,
		}
		tx.notices.record(s, env, &n, &noticeExtra{Outcome: tx.seenOutcome(seen)})
	}
}

// contentOf is a hash of what an event says, by whatever way it came.
func contentOf(e *event.EventSeen) uint64 {
	var d xxhash.Digest
	d.Reset()
	for _, part := range [...]event.JSON{e.Name, e.Data, e.Code, e.Message} {
		_, _ = d.WriteString(string(part)) // never fails
		_, _ = d.Write([]byte{0})
	}
	return d.Sum64() + uint64(e.Time) //nolint:gosec // wraps
}

// seenOutcome returns the failure of the subscription, else of the delivery.
func (tx *notifications) seenOutcome(e *event.EventSeen) Outcome {
	switch {
	case e.Method == mcpconv.EventsError || e.Method == mcpconv.EventsTerminated:
		code := tx.text(e.Code.Text())
		return Outcome{
			Failed: true, Code: mcpconv.CodeServerError, Type: cmp.Or(code, mcpconv.TypeOther), RPCCode: code, Message: e.Message.Str(),
		}
	case e.Refused && e.Status == 0:
		return Outcome{Failed: true, Code: mcpconv.CodeServerError, Type: mcpconv.TypeOther, Message: "the webhook did not answer"}
	case e.Refused:
		status := strconv.FormatInt(e.Status, 10)
		return Outcome{Failed: true, Code: mcpconv.CodeServerError, Type: status, Message: "the webhook answered " + status}
	}
	return Outcome{}
}

// polled records the events that the answer to a poll brought.
func (tx *notifications) polled(s *store.Session, env *event.Envelope, e *event.CallEnded) {
	for i := range e.Seen {
		if tx.notices.floods(s, env) {
			continue
		}
		seen := &e.Seen[i]
		n := event.Notice{
			Contact: event.Contact{Method: seen.Method}, Name: seen.Method, Version: e.Version, StableID: seen.ID.Str(),
			Raw: seen.Raw, Params: seen.Params, Time: seen.Time, Trace: seen.Trace, Detail: seen, Invalid: seen.Invalid,
			FromClient: false,
		}
		tx.eventSeen(s, env, &n, seen)
	}
}
