package tracker

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"
	"unsafe"

	"github.com/cespare/xxhash/v2"

	"github.com/otelcol-mcp/otelcol-mcp/internal/identity"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
	"github.com/otelcol-mcp/otelcol-mcp/receiver/mcpreceiver/internal/wire"
)

// Message takes one JSON-RPC message. The only errors are ctx's and the one
// that [Yielded] knows; the transaction must then be rolled back.
func (tx *Tx) Message(ctx context.Context, o *Observation, m *wire.Message) error {
	s, err := tx.enter(ctx, o, tx.weigh(m))
	if err != nil || s == nil {
		return err
	}
	s.learn(o, m)
	if s.ended == 0 {
		tx.announce(s)
	}
	switch m.Kind {
	case wire.Request:
		if s.ended != 0 {
			return nil // only what is dropped does not reopen
		}
		tx.request(s, o, m)
	case wire.Response:
		tx.reply(s, o, m)
	case wire.Notification:
		tx.notification(s, o, m)
	}
	return nil
}

func (tx *Tx) weigh(m *wire.Message) weight {
	switch {
	case tx.t.opt.DropMethods[m.Method]:
		return beat
	case m.Kind == wire.Response, m.Method == mcpconv.NotificationProgress,
		m.Method == "notifications/host.heartbeat":
		return late
	case m.Method == mcpconv.NotificationBeat:
		return breath
	}
	return opens
}

// request opens a call.
func (tx *Tx) request(s *Session, o *Observation, m *wire.Message) {
	s.closeWaitsIfInspected(tx, o)
	c := tx.newCall(s, o, m)
	hash := hashCall(c)
	if old := s.calls[c.key()]; old != nil {
		if old.raw == c.raw && old.Start == c.Start {
			tx.note(Repeated)
			return
		}
		tx.note(ReusedID)
		tx.close(s, old, &CallEnd{Time: c.Start, Incomplete: true})
	}
	c.identify(s, s.used.seen(c, hash))
	old, at := s.used.add(c, hash)
	if at >= 0 {
		tx.undo = append(tx.undo, undo{kind: undoID, session: s, id: old, at: at})
	}
	s.put(c)
	tx.undo = append(tx.undo, undo{kind: undoOpen, session: s, call: c})
	tx.opened = append(tx.opened, c)
	if c.asks() && !c.dropped {
		tx.count(s)
		tx.sink.CallStarted(c, identity.Span(c.Trace, identity.Start, s.Identity, c.Span.String()))
	}
}

// asks tells whether the call waits for a person.
func (c *Call) asks() bool { return c.Method == mcpconv.MethodElicitation }

func (s *Session) closeWaitsIfInspected(tx *Tx, o *Observation) {
	if s.Inspector {
		tx.closeWaits(s, o.Time, false)
	}
}

// newCall is the call that a request opens; its span ID is still missing.
func (tx *Tx) newCall(s *Session, o *Observation, m *wire.Message) *Call {
	fromClient := o.Sent(m) == FromClient
	method, isKnown := mcpconv.Known(m.Method)
	if !isKnown {
		method = strings.Clone(wire.Cut(m.Method, tx.t.opt.TextBytes))
	}
	c := &Call{
		Session: s.telemetry(), Connection: strings.Clone(o.connection()), ID: clone(m.ID),
		FromClient: fromClient, Method: method, Start: o.Time, arrival: o.Arrival,
		Version: version(m.Version), Bytes: o.Bytes, Link: o.Push,
		Invalid: invalidRequest(o, m), Sender: strings.Clone(s.sender(o, fromClient)),
		Client: strings.Clone(o.Client), Server: strings.Clone(o.Server),
		ServerURI: strings.Clone(o.ServerURI), Transport: strings.Clone(o.Transport),
		RequestID: strings.Clone(wire.Cut(requestID(o, m), tx.t.opt.TextBytes)),
		Token:     clone(m.Params.Meta.ProgressToken),
		raw:       xxhash.Sum64String(string(m.Raw)),
		dropped:   tx.t.opt.DropMethods[method], entry: tx.entryOf(s),
	}
	tx.note(c.Invalid)
	c.keep(m, &tx.t.opt)
	c.node.value = c
	tx.place(s, c, tx.contextOf(o, &m.Params.Meta))
	return c
}

// version spares the copy of the only value that is valid.
func version(v string) string {
	if v == "2.0" {
		return "2.0"
	}
	return strings.Clone(wire.Cut(v, 64))
}

// place gives the call its trace and parent: the context it names, else the
// open call it belongs to, else the root.
func (tx *Tx) place(s *Session, c *Call, context Context) {
	c.Context = context
	if context.Valid() {
		c.Trace, c.Parent, c.Remote = context.Trace, context.Span, true
		return
	}
	if outer := s.onlyCall(c); outer != nil {
		c.Trace, c.Parent, c.Remote = outer.Trace, outer.Span, outer.Remote
		return
	}
	c.Trace, c.Parent = s.traceOf()
}

// onlyCall is the client's call during which the server sent its request: on
// stdio that is certain only when there is just one.
func (s *Session) onlyCall(c *Call) (only *Call) {
	const enough = 16 // open calls among which it is looked for
	if c.FromClient || c.Transport != "stdio" || len(s.calls) > enough {
		return nil
	}
	for _, outer := range s.calls {
		if !outer.FromClient || outer.Connection != c.Connection || outer.dropped {
			continue
		}
		if only != nil {
			return nil
		}
		only = outer
	}
	return only
}

// identify derives the span ID. A call whose id another call had gets its start
// into the bargain.
func (c *Call) identify(s *Session, again bool) {
	direction, parent := "client_to_server", ""
	if !c.FromClient {
		direction = "server_to_client"
	}
	if c.Remote {
		parent = c.Parent.String()
	}
	if again {
		c.Span = identity.Span(c.Trace, identity.Call, c.Connection, direction, c.ID, parent, strconv.FormatInt(c.Start, 10))
		return
	}
	c.Span = identity.Span(c.Trace, identity.Call, c.Connection, direction, c.ID, parent)
}

func hashCall(c *Call) uint64 {
	var d xxhash.Digest
	d.ResetWithSeed(uint64(side(c.FromClient)))
	_, _ = d.WriteString(c.Connection)
	_, _ = d.WriteString("\x00")
	_, _ = d.WriteString(c.ID)
	if c.Remote {
		_, _ = d.Write(c.Parent[:])
	}
	return d.Sum64()
}

// reply closes the call it answers.
func (tx *Tx) reply(s *Session, o *Observation, m *wire.Message) {
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
		tx.notice(s, o, &Notice{Name: mcpconv.SpanOrphan, Message: m, Outcome: outcome, Invalid: m.Invalid})
	default:
		end := &CallEnd{Time: o.Time, Reply: m, Outcome: outcomeOf(c.Method, m), Bytes: o.Bytes}
		if why := first(m.Invalid, o.Invalid); why != "" {
			tx.note(why)
			end.Invalid = first(c.Invalid, why)
		}
		tx.close(s, c, end)
	}
}

// answered is the open call that the reply answers; a reply of unknown
// direction answers the client's call first.
func (s *Session) answered(o *Observation, m *wire.Message) *Call {
	keys, n := o.replyKeys(m.ID)
	for _, key := range keys[:n] {
		if c := s.calls[key]; c != nil {
			return c
		}
	}
	return nil
}

func (s *Session) wasCancelled(o *Observation, m *wire.Message) bool {
	keys, n := o.replyKeys(m.ID)
	for _, key := range keys[:n] {
		if s.cancelledAt.has(hashCall(&Call{Connection: key.connection, ID: key.id, FromClient: key.fromClient})) {
			return true
		}
	}
	return false
}

// replyKeys are the keys of the calls that something sent in the observation's
// direction may refer to by id.
func (o *Observation) replyKeys(id wire.Value) (keys [2]callKey, n int) {
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
func (tx *Tx) close(s *Session, c *Call, end *CallEnd) {
	tx.undo = append(tx.undo, undo{kind: undoClose, session: s, call: c, token: s.take(c)})
	c.reported = true
	tx.closed = append(tx.closed, c)
	if c.dropped {
		return
	}
	end.Call, end.Time, end.Invalid = c, max(end.Time, c.Start), first(end.Invalid, c.Invalid)
	tx.count(s)
	s.Summary.call(c.Method, end.Outcome.Failed)
	if c.asks() {
		s.Summary.WaitingNs += end.Time - c.Start
	}
	tx.sink.CallEnded(end)
}

func (u *Summary) call(method string, failed bool) {
	switch method {
	case mcpconv.MethodToolsCall:
		u.ToolCalls++
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

// notification takes what has no reply.
func (tx *Tx) notification(s *Session, o *Observation, m *wire.Message) {
	switch {
	case m.Method == mcpconv.NotificationBeat, tx.t.opt.DropMethods[m.Method]:
		return
	case m.Method == mcpconv.NotificationCancelled && tx.cancel(s, o, m):
		return
	case m.Method == mcpconv.NotificationProgress && tx.progress(s, o, m):
		return
	}
	s.closeWaitsIfInspected(tx, o)
	method, isKnown := mcpconv.Known(m.Method)
	if !isKnown {
		method = wire.Cut(m.Method, tx.t.opt.TextBytes)
	}
	tx.notice(s, o, &Notice{Name: method, Message: m, Invalid: invalidNotification(o, m)})
}

// cancel ends the call that the notification names, if it is open.
func (tx *Tx) cancel(s *Session, o *Observation, m *wire.Message) bool {
	// The sender of the request is who cancels it.
	swapped := *o
	switch o.Direction {
	case FromClient:
		swapped.Direction = FromServer
	case FromServer:
		swapped.Direction = FromClient
	}
	c := s.answered(&swapped, &wire.Message{ID: m.Params.RequestID})
	if c == nil {
		return false
	}
	s.cancelledAt.add(hashCall(&Call{Connection: c.Connection, ID: c.ID, FromClient: c.FromClient}))
	tx.close(s, c, &CallEnd{Time: o.Time, Cancelled: true, Outcome: cancelled(c.Method, m.Params.Reason.Str())})
	return true
}

// progress adds an event to the open call that asked for it.
func (tx *Tx) progress(s *Session, o *Observation, m *wire.Message) bool {
	p := &m.Params
	value, ok := p.Progress.Float()
	if !ok || p.ProgressToken == "" {
		return false
	}
	keys, n := o.replyKeys(p.ProgressToken)
	for _, key := range keys[:n] {
		c := s.tokens[key]
		if c == nil {
			continue
		}
		event := Progress{Time: max(o.Time, c.Start), Progress: value}
		event.Total, event.HasTotal = p.Total.Float()
		if tx.t.opt.KeepPayloads {
			event.Message = strings.Clone(wire.Cut(p.Message.Str(), tx.t.opt.TextBytes))
		}
		old, at := c.note(event, tx.t.opt.ProgressEvents)
		more := int64(len(event.Message) - len(old.Message))
		tx.grow(c, more)
		tx.undo = append(tx.undo, undo{kind: undoProgress, call: c, progress: old, at: at, bytes: more})
		return true
	}
	return false
}

// grow accounts for what an open call holds more than before.
func (tx *Tx) grow(c *Call, bytes int64) {
	c.bytes += bytes
	if c.node.in != nil {
		tx.grown += bytes
	}
}

// notice fills in what all notices have and tells of it.
func (tx *Tx) notice(s *Session, o *Observation, n *Notice) {
	n.Session, n.Obs, n.Link, n.Time = s.telemetry(), o, o.Push, o.Time
	tx.note(n.Invalid)
	if n.Sender == "" {
		n.Sender = s.sender(o, n.Message != nil && o.Sent(n.Message) == FromClient)
	}
	n.Trace, n.Parent = s.traceOf()
	if n.Message != nil {
		n.Context = tx.contextOf(o, &n.Message.Params.Meta)
	}
	if n.Session == nil && n.Context.Valid() {
		n.Trace, n.Parent = n.Context.Trace, n.Context.Span
	}
	n.Span = n.identify(s)
	tx.count(s)
	s.Summary.Notices++
	tx.sink.Notice(n)
}

// identify derives the notice's span ID.
func (n *Notice) identify(s *Session) identity.SpanID {
	what, raw := n.Name, n.Name
	switch {
	case n.Event != nil:
		what, raw = n.Event.Type, n.Event.Raw
	case n.Message != nil:
		what, raw = n.Message.Method, string(n.Message.Raw)
		if id := stableID(n.Message); id != "" {
			return identity.Span(n.Trace, identity.Notice, s.Identity, what, id)
		}
	}
	sum := sha256.Sum256(unsafe.Slice(unsafe.StringData(raw), len(raw)))
	var sumHex [2 * sha256.Size]byte
	hex.Encode(sumHex[:], sum[:])
	var digits [20]byte
	ns := strconv.AppendInt(digits[:0], n.Time, 10)
	return identity.Span(n.Trace, identity.Notice, s.Identity, what,
		unsafe.String(&ns[0], len(ns)), unsafe.String(&sumHex[0], len(sumHex)))
}

// stableID is the id that the sender gave what it tells of, "" if none.
func stableID(m *wire.Message) string {
	if id := m.Params.EventID.Str(); id != "" {
		return id
	}
	return m.Params.ReminderID.Str()
}

func randomTrace() (id identity.TraceID) {
	_, _ = rand.Read(id[:]) // never fails (crypto/rand)
	return id
}

// Sent is who sent the message: as observed, else by its method.
func (o *Observation) Sent(m *wire.Message) Direction {
	switch {
	case o.Direction != Unknown:
		return o.Direction
	case m.Kind == wire.Response, mcpconv.FromServer(m.Method):
		return FromServer
	}
	return FromClient
}

func (o *Observation) connection() string {
	if o.Connection != "" {
		return o.Connection
	}
	return o.Session
}

// requestID is what stitches the call to the server's own trace.
func requestID(o *Observation, m *wire.Message) string {
	meta := &m.Params.Meta
	for _, v := range []wire.Value{meta.RequestID, meta.RequestIDAlias} {
		if v.IsString() {
			return v.Str()
		}
	}
	return o.RequestID
}

// invalidRequest is why a request breaks its method's schema, "" if it does not.
func invalidRequest(o *Observation, m *wire.Message) string {
	switch {
	case m.Invalid != "":
		return m.Invalid
	case o.Invalid != "":
		return strings.Clone(o.Invalid)
	case (m.Method == mcpconv.MethodToolsCall || m.Method == mcpconv.MethodPromptsGet) && m.Params.Name.Str() == "":
		return "name is missing"
	case m.Method == mcpconv.MethodResourcesRead && m.Params.URI.Str() == "":
		return "uri is missing"
	case m.Method == mcpconv.MethodSampling && !m.Params.Messages.IsArray():
		return "messages are missing"
	case m.Method == mcpconv.MethodElicitation && !m.Params.Message.IsString():
		return "message is missing"
	case m.Params.Raw != "" && !m.Params.Raw.IsObject() && !m.Params.Raw.IsArray():
		return "params is neither an object nor an array"
	}
	return ""
}

func invalidNotification(o *Observation, m *wire.Message) string {
	p := &m.Params
	switch {
	case m.Invalid != "":
		return m.Invalid
	case o.Invalid != "":
		return o.Invalid
	case m.Method == mcpconv.NotificationProgress && (p.ProgressToken == "" || !p.Progress.IsNumber()):
		return "progressToken or progress is missing"
	case m.Method == mcpconv.NotificationCancelled && p.RequestID == "":
		return "requestId is missing"
	case m.Method == mcpconv.NotificationResource && p.URI.Str() == "":
		return "uri is missing"
	case m.Method == mcpconv.NotificationMessage && !levels[p.Level.Str()]:
		return "level is not one of RFC 5424's"
	case p.Raw != "" && !p.Raw.IsObject() && !p.Raw.IsArray():
		return "params is neither an object nor an array"
	}
	return ""
}

var levels = map[string]bool{
	"debug": true, "info": true, "notice": true, "warning": true,
	"error": true, "critical": true, "alert": true, "emergency": true,
}
