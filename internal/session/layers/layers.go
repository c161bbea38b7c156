// Package layers finds out whether the call of a tool that an agent reports of itself and
// one that was seen on the wire are the same: two layers of one fact, which counts once,
// and fails once, whichever of them comes first. They are one by the id that the agent gave
// its call, else because the message names the agent's span as its parent. That span may
// come long after the agent's hooks reported the call: until then both layers count, and if
// the agent sends no span of the call, they are permanently counted twice.
package layers

import (
	"strings"

	"github.com/cespare/xxhash/v2"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/identity"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session/store"
)

// layer says whose name of a fact a hash is of: two messages may have one parent, without
// being one fact.
type layer byte

const (
	byAgent layer = 'a'
	onWire  layer = 'w'
)

// Agent is the open call of the agent of which c is the message, nil if there is none.
func Agent(s *store.Session, c *store.Call) *store.Call {
	switch {
	case c.Kind != event.ToolCall || c.OfAgent():
		return nil
	case c.Use != "":
		if own := s.Calls[ownKey(s, c)]; own != nil && own.OfAgent() {
			return own
		}
		return nil
	case s.Agent == nil || !c.Context.Valid() || len(s.Calls) > store.NestedMax:
		return nil
	}
	for _, own := range s.Calls {
		if own.OfAgent() && sends(own, c) {
			return own
		}
	}
	return nil
}

// sends reports whether the message names the agent's call as its parent, and is of the
// same tool: one that calls others is another fact than those.
func sends(own, c *store.Call) bool {
	return own.Kind == event.ToolCall && c.Context.Valid() && c.Context.Span == own.Span && c.Context.Trace == own.Trace &&
		sameTool(own.ToolName(), c.Target)
}

// separators are what agents set between a prefix and the name of a tool.
const separators = "_-./:"

// sameTool reports whether both are names of one tool: an agent may set a prefix before it.
func sameTool(a, b string) bool {
	if len(a) < len(b) {
		a, b = b, a
	}
	before, ok := strings.CutSuffix(a, b)
	return ok && (before == "" || strings.ContainsRune(separators, rune(before[len(before)-1])))
}

// namesOf are bits of each end of the name that may be the tool's own: of two names of one
// tool, one has all bits that the other has. Of others that is hardly ever so.
func namesOf(tool string) (bits uint64) {
	for {
		h := xxhash.Sum64String(tool)
		bits |= 1<<(h&63) | 1<<(h>>6&63) | 1<<(h>>12&63)
		i := strings.IndexAny(tool, separators)
		if i < 0 {
			return bits
		}
		tool = tool[i+1:]
	}
}

// ownKey finds the agent's own call whose message the call is.
func ownKey(s *store.Session, c *store.Call) store.CallKey {
	return store.CallKey{Connection: s.ID, ID: c.Use, FromClient: true}
}

// agentKey is what a message of the agent's call finds it by.
func agentKey(own *store.Call) store.CallKey {
	key := own.OpenKey()
	if own.Use != "" { // the id that another source gave it
		key.ID = own.Use
	}
	return key
}

// First reports whether the call was not counted yet, and remembers that it is now.
func First(s *store.Session, c *store.Call) bool {
	switch {
	case c.Kind != event.ToolCall:
		return true
	case c.OfAgent():
		counted := called(s, idOf(agentKey(c))) || called(s, spanOf(c, onWire))
		noteCall(s, spanOf(c, byAgent))
		return !counted
	case c.Use != "":
		counted := Agent(s, c) != nil || done(s, c) != nil || called(s, idOf(ownKey(s, c)))
		if !counted {
			noteCall(s, idOf(ownKey(s, c)))
		}
		return !counted
	case !c.Context.Valid() || s.Connection:
		return true
	case Agent(s, c) != nil, called(s, parentOf(c, byAgent)):
		return false
	}
	noteCall(s, parentOf(c, onWire))
	return true
}

// Counted reports whether the open call, and its failure, is counted by its other layer,
// or will be.
func Counted(s *store.Session, c *store.Call) (call, failure bool) {
	switch {
	case c.Kind != event.ToolCall:
		return false, false
	case c.OfAgent():
		id, span := idOf(agentKey(c)), spanOf(c, onWire)
		return called(s, id) || called(s, span), failed(s, id) || failed(s, span)
	case c.Use != "":
		return Agent(s, c) != nil || done(s, c) != nil || called(s, idOf(ownKey(s, c))), false
	case !c.Context.Valid() || s.Connection:
		return false, false
	}
	return Agent(s, c) != nil || called(s, parentOf(c, byAgent)), false
}

// FirstFailure reports whether the call, which failed, did not count as an error yet, and
// remembers that it does now. One that the agent reported to have failed may have left.
func FirstFailure(s *store.Session, c *store.Call) bool {
	switch {
	case c.Kind != event.ToolCall:
		return true
	case c.OfAgent():
		counted := failed(s, idOf(agentKey(c))) || failed(s, spanOf(c, onWire))
		noteFailure(s, spanOf(c, byAgent))
		return !counted
	case c.Use != "":
		f := done(s, c)
		if f != nil && f.Failed || failed(s, idOf(ownKey(s, c))) {
			return false
		}
		noteFailure(s, idOf(ownKey(s, c)))
		return true
	case !c.Context.Valid() || s.Connection:
		return true
	case failed(s, parentOf(c, byAgent)):
		return false
	}
	one := Agent(s, c) != nil || called(s, parentOf(c, byAgent)) // then all its messages are
	if one && failed(s, parentOf(c, onWire)) {
		return false
	}
	noteFailure(s, parentOf(c, onWire))
	return true
}

// Rejoin takes the agent's own span of a call that was counted under another one, and as
// an error if it failed. What the span's messages counted as well is taken back, unless an
// earlier epoch did.
func Rejoin(s *store.Session, c *store.Call, failure bool) {
	own := s.Counted.Find(spanOf(c, byAgent))
	if c.Kind != event.ToolCall || own.Called { // it came before
		return
	}
	message := s.Counted.Find(spanOf(c, onWire))
	if message.Called && s.Summary.ToolCalls > 0 {
		s.Summary.ToolCalls--
	}
	if message.Failed && failure && s.Summary.Errors > 0 {
		s.Summary.Errors--
	}
	own.Called, own.Failed = true, failure
	note(s, own)
}

func called(s *store.Session, call store.CountedCall) bool { return s.Counted.Find(call).Called }

func failed(s *store.Session, call store.CountedCall) bool { return s.Counted.Find(call).Failed }

func noteCall(s *store.Session, c store.CountedCall) {
	c.Called = true
	note(s, c)
}

func noteFailure(s *store.Session, c store.CountedCall) {
	c.Failed = true
	note(s, c)
}

// note remembers the call. Where no agent is known, one may be later.
func note(s *store.Session, c store.CountedCall) {
	before := s.Counted.Bytes()
	s.Counted = s.Counted.With(c, s.Agent != nil)
	s.Held += s.Counted.Bytes() - before
}

// done is the agent's call, if it has left just before.
func done(s *store.Session, c *store.Call) *store.Fact {
	if s.Agent == nil {
		return nil
	}
	key := FactHash(event.ToolCall, c.Use)
	for i := range s.Agent.Done {
		if f := &s.Agent.Done[i]; f.Key == key {
			return f
		}
	}
	return nil
}

// FactHash is what a fact of that kind, with that id, is remembered by.
func FactHash(kind event.CallKind, id string) uint64 { return xxhash.Sum64String(id) + uint64(kind) }

// idOf names a call by its id.
func idOf(k store.CallKey) store.CountedCall { return store.CountedCall{Call: Hash(k)} }

// spanOf names the agent's call by its span.
func spanOf(c *store.Call, by layer) store.CountedCall {
	return store.CountedCall{Call: hashSpan(by, c.Trace, c.Span), Tool: namesOf(c.ToolName())}
}

// parentOf names the agent's call by what its message says is around it.
func parentOf(c *store.Call, by layer) store.CountedCall {
	return store.CountedCall{Call: hashSpan(by, c.Context.Trace, c.Context.Span), Tool: namesOf(c.Target)}
}

func hashSpan(by layer, trace identity.TraceID, span identity.SpanID) uint64 {
	var d xxhash.Digest
	d.Reset()
	_, _ = d.Write([]byte{2, byte(by)}) // no key begins like this
	_, _ = d.Write(trace[:])
	_, _ = d.Write(span[:])
	return d.Sum64()
}

// Hash is a hash of the key.
func Hash(k store.CallKey) uint64 {
	var d xxhash.Digest
	d.Reset()
	if k.FromClient {
		_, _ = d.WriteString("\x01")
	}
	_, _ = d.WriteString(k.Connection)
	_, _ = d.WriteString("\x00")
	_, _ = d.WriteString(k.ID)
	return d.Sum64()
}
