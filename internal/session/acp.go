package session

import (
	"context"
	"slices"
	"strings"

	"github.com/cespare/xxhash/v2"

	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonrpc"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// redirectsMax bounds the open requests of one connection whose replies are
// found by it.
const redirectsMax = 1024

// routeACP finds the session of a message of the Agent Client Protocol. Requests
// name it and replies do not: the connection remembers which id belongs where,
// and what both sides said of themselves before there was a session.
func (tx *Tx) routeACP(ctx context.Context, o *Observation, m *jsonrpc.Message) (connection *Session, err error) {
	if o.Connection == "" || o.Connection == o.Session {
		return nil, nil
	}
	direct := *o
	direct.Session = ""
	connection, err = tx.enter(ctx, &direct, opens)
	if err != nil {
		return nil, err
	}
	connection.carry(o.Session)
	if o.Session != "" && (m.Method == mcpconv.MethodInitialize || m.Result.ProtocolVersion != "") {
		connection.learn(o, m) // who speaks is so of all sessions of the connection
	}
	switch {
	case m.Kind == jsonrpc.Request && o.Session != "":
		tx.redirect(connection, callKey{o.Connection, string(m.ID), o.sent(m) == FromClient}, o.Session)
	case m.Kind == jsonrpc.Response && o.Session == "":
		keys, n := o.replyKeys(m.ID)
		for _, key := range keys[:n] {
			if session, ok := connection.redirects[key]; ok {
				tx.redirect(connection, key, "")
				o.Session = session
				break
			}
		}
	}
	return connection, nil
}

// redirect remembers to which session the reply will belong, or forgets it.
func (tx *Tx) redirect(connection *Session, key callKey, session string) {
	was, had := connection.redirects[key]
	tx.onUndo(func() {
		delete(connection.redirects, key)
		if had {
			connection.redirects[key] = was
		}
	})
	if had {
		connection.held -= redirectBytes(key, was)
		delete(connection.redirects, key)
	}
	if session == "" || len(connection.redirects) >= redirectsMax {
		return
	}
	if connection.redirects == nil {
		connection.redirects = map[callKey]string{}
	}
	key.connection, key.id = strings.Clone(key.connection), strings.Clone(key.id)
	connection.redirects[key] = strings.Clone(session)
	connection.held += redirectBytes(key, session)
}

// redirectBytes is what one of them keeps.
func redirectBytes(key callKey, session string) int64 {
	return int64(len(key.connection) + len(key.id) + len(session))
}

// carriedMax bounds the sessions that end with their connection.
const carriedMax = 256

// carry notes that the session's messages come over the connection.
func (s *Session) carry(session string) {
	if session == "" || len(s.carried) >= carriedMax || slices.Contains(s.carried, session) {
		return
	}
	s.carried = append(slices.Clip(s.carried), strings.Clone(session))
}

// endCarried ends the sessions that came over the connection.
func (tx *Tx) endCarried(ctx context.Context, o *Observation, connection *Session, reason string, exit *int64) error {
	for _, session := range connection.carried {
		each := *o
		each.Session = session
		if err := tx.End(ctx, &each, reason, exit); err != nil {
			return err
		}
	}
	return nil
}

// inherit takes over what was said on the connection before.
func (s *Session) inherit(connection *Session) {
	if connection == nil || connection == s || s.Said().Client.Name != "" || s.Said().Server.Name != "" {
		return
	}
	s.said = connection.said
	s.client, s.server = first(s.client, connection.client), first(s.server, connection.server)
	s.logs, s.logLevel, s.reminders = connection.logs, connection.logLevel, connection.reminders
}

// openedACP opens the session that the agent's reply to session/new names.
func (tx *Tx) openedACP(ctx context.Context, o *Observation, m *jsonrpc.Message, connection *Session) error {
	id := m.Result.SessionID.Str()
	if connection == nil || m.Kind != jsonrpc.Response || o.Session != "" || id == "" || len(id) > taskIDBytes {
		return nil
	}
	o.Session = id
	connection.carry(id)
	s, err := tx.enter(ctx, o, opens)
	if err != nil {
		return err
	}
	s.ACP = true
	s.inherit(connection)
	tx.announce(s)
	return nil
}

// prompt is the newest open session/prompt, nil if the agent is not at work.
func (s *Session) prompt() (newest *Call) {
	if !s.ACP {
		return nil
	}
	for _, c := range s.calls {
		if c.Method == mcpconv.MethodSessionPrompt && (newest == nil || inOrder(c, newest) > 0) {
			newest = c
		}
	}
	return newest
}

// during is the call that something the agent sent belongs to: the tool call
// that it names, else the prompt that it works on.
func (s *Session) during(toolCall string) *Call {
	if c := s.parkedBy(parkedTool, "", toolCall, false); c != nil {
		return c
	}
	return s.prompt()
}

// updated takes a session/update; it is false if that is a notice.
func (tx *Tx) updated(s *Session, o *Observation, m *jsonrpc.Message) bool {
	if m.Method != mcpconv.MethodSessionUpdate || !s.ACP {
		return false
	}
	var u jsonrpc.Update
	u.DecodeUpdate(m.Params.Update)
	switch u.Kind {
	case "tool_call", "tool_call_update":
		return tx.toolCall(s, o, m, &u)
	case "plan", "usage_update", "reminder_emitted", "":
		return false
	}
	tx.note(StreamUpdate)
	return true
}

// toolCall opens, changes or ends a tool call of the agent's; it is false if it
// cannot be told from others.
func (tx *Tx) toolCall(s *Session, o *Observation, m *jsonrpc.Message, u *jsonrpc.Update) bool {
	id := u.ToolCallID.Str()
	if id == "" || len(id) > taskIDBytes || s.Connection || s.ended != 0 {
		return false
	}
	c := s.parkedBy(parkedTool, "", id, false)
	if c == nil {
		if s.finished.find(xxhash.Sum64String(id)) != 0 {
			tx.note(LateReply)
			return true
		}
		c = tx.openTool(s, o, m, u, strings.Clone(id))
	} else {
		tx.changeTool(c, u)
		tx.moves(c, o.Time)
	}
	switch u.Status.Str() {
	case "completed":
		tx.finishTool(s, c, CallEnd{Time: o.Time})
	case "failed":
		tx.finishTool(s, c, CallEnd{Time: o.Time, Outcome: Outcome{
			Failed: true, Code: mcpconv.CodeServerError, Type: mcpconv.TypeToolError, Message: firstText(u.Content),
		}})
	}
	return true
}

func (tx *Tx) openTool(s *Session, o *Observation, m *jsonrpc.Message, u *jsonrpc.Update, id string) *Call {
	c := &Call{
		Session: s.telemetry(), Connection: s.own(o.connection()), ID: clone(u.ToolCallID), Method: mcpconv.MethodSessionUpdate,
		Tool: id, Start: o.Time, legStart: o.Time, arrival: o.Arrival, moved: o.Arrival, since: o.Time, Sender: s.own(s.sender(o, false)),
		Client: s.own(o.Client), Server: s.own(o.Server), Transport: transport(o.Transport), Version: version(m.Version),
		Link: o.Push, entry: tx.entryOf(s), host: s.HostID, parked: parkKey{kind: parkedTool, id: id},
	}
	c.node.value, c.still.value, c.kept.value = c, c, c
	tx.place(s, c, tx.contextOf(o, &m.Params.Meta))
	tx.fillTool(c, u)
	c.bytes = c.weigh()
	tx.admit(s, c)
	return c
}

// changeTool takes over what an update tells anew.
func (tx *Tx) changeTool(c *Call, u *jsonrpc.Update) {
	target, title, kind, status, input, output := c.Target, c.Text, c.ToolKind, c.ToolStatus, c.Input, c.Output
	tx.onUndo(func() {
		c.Target, c.Text, c.ToolKind, c.ToolStatus, c.Input, c.Output = target, title, kind, status, input, output
	})
	before := c.toolBytes()
	tx.fillTool(c, u)
	tx.growUndone(c, c.toolBytes()-before)
}

func (tx *Tx) fillTool(c *Call, u *jsonrpc.Update) {
	switch {
	case u.Name.Str() != "":
		c.Target = tx.text(u.Name)
	case c.Target == "" && tx.t.opt.KeepPayloads:
		c.Target = tx.text(u.Title)
	case c.Target == "":
		c.Target = tx.text(u.ToolKind)
	}
	if u.ToolKind.Str() != "" {
		c.ToolKind = tx.text(u.ToolKind)
	}
	if status := u.Status.Str(); status != "" {
		c.ToolStatus = toolStatus(status)
	}
	if tx.t.opt.KeepPayloads {
		c.fillPayload(u)
	}
}

// toolStatus is the status of a tool call, if the protocol names it.
func toolStatus(name string) string {
	for _, known := range []string{"pending", "in_progress", "completed", "failed"} {
		if name == known {
			return known
		}
	}
	return ""
}

func (c *Call) fillPayload(u *jsonrpc.Update) {
	if u.Title.Str() != "" {
		c.Text = strings.Clone(u.Title.Str())
	}
	if u.Input != "" {
		c.Input = clone(u.Input)
	}
	switch {
	case u.Output != "":
		c.Output = clone(u.Output)
	case u.Content != "":
		c.Output = clone(u.Content)
	}
}

func (c *Call) toolBytes() int64 {
	return int64(len(c.Target) + len(c.Text) + len(c.ToolKind) + len(c.Input) + len(c.Output))
}

// finishTool ends a tool call, after which updates of it change nothing.
func (tx *Tx) finishTool(s *Session, c *Call, end CallEnd) {
	s.finished = s.finished.with(xxhash.Sum64String(c.Tool), max(end.Time, 1))
	tx.close(s, c, end)
}

// closeTools ends the tool calls of a prompt that ends.
func (tx *Tx) closeTools(s *Session, prompt *Call, at int64) {
	if prompt.Method != mcpconv.MethodSessionPrompt {
		return
	}
	for _, c := range s.openCalls() {
		if c.Tool != "" && c.Parent == prompt.Span {
			tx.finishTool(s, c, CallEnd{Time: at, Incomplete: true})
		}
	}
}

// firstText is the text of the first content of a tool call.
func firstText(content jsonrpc.Value) string {
	return jsonrpc.Member(jsonrpc.Member(jsonrpc.FirstOf(content), "content"), "text").Str()
}
