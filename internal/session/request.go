package session

import (
	"strconv"
	"strings"

	"github.com/cespare/xxhash/v2"

	"github.com/otelcol-mcp/otelcol-mcp/internal/identity"
	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonrpc"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// request opens a call.
func (tx *Tx) request(s *Session, o *Observation, m *jsonrpc.Message) {
	s.closeWaitsIfInspected(tx, o)
	if c := tx.continued(s, o, m); c != nil {
		tx.goOn(s, o, m, c)
		return
	}
	c := tx.newCall(s, o, m)
	if c.poll = s.polled(o, m); c.poll != nil {
		c.dropped = true
	}
	if old := s.calls[c.key()]; old != nil {
		if old.raw == c.raw && old.legStart == c.Start {
			tx.note(Repeated)
			return
		}
		tx.note(ReusedID)
		tx.close(s, old, CallEnd{Time: c.Start, Incomplete: true})
	}
	tx.admit(s, c)
}

// admit makes a call one of the session's open ones, with a span ID of its own,
// and tells of it.
func (tx *Tx) admit(s *Session, c *Call) {
	hash := hashCall(c)
	c.identify(s.used.seen(c, hash))
	old, at := s.used.add(c, hash)
	if at >= 0 {
		tx.undo = append(tx.undo, undo{kind: undoID, session: s, id: old, at: at})
	}
	if c.parked.kind != 0 {
		s.putParked(c)
	} else {
		s.put(c)
	}
	tx.undo = append(tx.undo, undo{kind: undoOpen, session: s, call: c})
	tx.opened = append(tx.opened, c)
	tx.start(s, c)
}

// start tells of a call, and announces it if a person is asked.
func (tx *Tx) start(s *Session, c *Call) {
	if c.dropped {
		return
	}
	var marker identity.SpanID
	if c.asks() {
		tx.count(s)
		marker = identity.Span(c.Trace, identity.Start, s.Identity, c.Span.String())
	}
	tx.sink.CallStarted(c, marker)
}

// asks tells whether the call waits for a person.
func (c *Call) asks() bool {
	return c.Method == mcpconv.MethodElicitation || c.Method == mcpconv.MethodRequestPermit
}

// newCall is the call that a request opens; its span ID is still missing.
func (tx *Tx) newCall(s *Session, o *Observation, m *jsonrpc.Message) *Call {
	fromClient := o.sent(m) == FromClient
	method := known(m.Method, tx.t.opt.TextBytes)
	c := &Call{
		Session: s.telemetry(), Connection: s.own(o.connection()), ID: clone(m.ID),
		FromClient: fromClient, Method: method, Start: o.Time, arrival: o.Arrival,
		Version: version(m.Version), Bytes: o.Bytes, Link: o.Push,
		Invalid: invalidRequest(o, m), Sender: s.own(s.sender(o, fromClient)),
		Client: s.own(o.Client), Server: s.own(o.Server),
		ServerURI: strings.Clone(o.ServerURI), Transport: transport(o.Transport),
		RequestID: strings.Clone(jsonrpc.Cut(requestID(o, m), tx.t.opt.TextBytes)),
		Token:     clone(m.Params.Meta.ProgressToken),
		raw:       xxhash.Sum64String(string(m.Raw)),
		dropped:   tx.t.opt.DropMethods[method], entry: tx.entryOf(s), host: s.busyHost(method), moved: o.Arrival, since: o.Time, legStart: o.Time,
	}
	tx.note(c.Invalid)
	c.about = jsonrpc.Member(m.Params.ToolCall, "toolCallId").Str()
	c.keep(m, &tx.t.opt)
	c.node.value, c.still.value, c.kept.value = c, c, c
	tx.place(s, c, tx.contextOf(o, &m.Params.Meta))
	c.about = "" // it aliases the body
	return c
}

// busyHost is the host that such a call of the session keeps busy, "" if none.
func (s *Session) busyHost(method string) string {
	if mcpconv.Stream(method) {
		return ""
	}
	return s.HostID
}

// own is a string of our own with that text: one that the session keeps anyway,
// if there is one.
func (s *Session) own(text string) string {
	for _, kept := range []string{s.ID, s.client, s.server, s.Said().Client.Name, s.Said().Server.Name, s.used.Connection} {
		if kept == text {
			return kept
		}
	}
	return strings.Clone(text)
}

// transport spares the copies of the usual names.
func transport(name string) string {
	for _, known := range []string{"", "stdio", "http", "sse", "websocket", "streamable_http"} {
		if name == known {
			return known
		}
	}
	return strings.Clone(jsonrpc.Cut(name, peerBytes))
}

// version spares the copy of the only value that is valid.
func version(v string) string {
	if v == "2.0" {
		return "2.0"
	}
	return strings.Clone(jsonrpc.Cut(v, 64))
}

// place gives the call its trace and parent: the context it names, else the
// open call it belongs to, else the root.
func (tx *Tx) place(s *Session, c *Call, context Context) {
	c.Context = context
	if context.Valid() {
		c.Trace, c.Parent, c.Remote = context.Trace, context.Span, true
		return
	}
	if outer := s.outerCall(c); outer != nil {
		c.Trace, c.Parent, c.Remote = outer.Trace, outer.Span, outer.Remote
		return
	}
	c.Trace, c.Parent = s.traceOf()
}

// outerCall is the open call that another belongs to, nil if that is not certain.
func (s *Session) outerCall(c *Call) *Call {
	if s.ACP && !c.FromClient {
		return s.during(c.about)
	}
	return s.onlyCall(c)
}

// onlyCall is the client's call during which the server sent its request: on
// stdio that is certain only when there is just one.
func (s *Session) onlyCall(c *Call) (only *Call) {
	const enough = 16 // open calls among which it is looked for
	if c.FromClient || c.Transport != "stdio" || len(s.calls) > enough {
		return nil
	}
	for _, outer := range s.calls {
		if outer.poll != nil { // what is asked meanwhile is asked for the task
			outer = outer.poll
		}
		if !outer.FromClient || outer.Connection != c.Connection || outer.dropped || outer.reported {
			continue
		}
		if only != nil {
			return nil
		}
		only = outer
	}
	return only
}

// hashCall tells calls apart as their span IDs do: by key, and in a foreign
// trace by parent too.
func hashCall(c *Call) uint64 {
	var d xxhash.Digest
	c.key().write(&d)
	if c.Remote {
		_, _ = d.Write(c.Parent[:])
	}
	return d.Sum64()
}

// requestID is what stitches the call to the server's own trace.
func requestID(o *Observation, m *jsonrpc.Message) string {
	meta := &m.Params.Meta
	for _, v := range []jsonrpc.Value{meta.RequestID, meta.RequestIDAlias} {
		if v.IsString() {
			return v.Str()
		}
	}
	return o.RequestID
}

// identify derives the span ID. A call whose id another call had gets its start
// into the bargain.
func (c *Call) identify(again bool) {
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
