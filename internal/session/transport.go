package session

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/identity"
	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonscan"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session/store"
)

// applyTransport takes what is reported around messages; it is false for all
// other events.
func (tx *transports) applyTransport(ctx context.Context, env *event.Envelope, e event.Event) (handled bool, err error) {
	switch e := e.(type) {
	case *event.Closed:
		return true, tx.closed(ctx, env, e)
	case *event.TransportChanged:
		return true, tx.transportChanged(ctx, env, e)
	case *event.FileRootFound:
		return true, tx.fileRootFound(ctx, env, e)
	}
	return false, nil
}

// closed ends a session whose process or connection ended, and those that came
// over the connection.
func (tx *transports) closed(ctx context.Context, env *event.Envelope, e *event.Closed) error {
	if env.Part {
		if env.Tapped != "" && tx.store.IsOpen(env.Tapped) { // its own session has streams
			own := *env
			own.Session, own.Tapped, own.Part = env.Tapped, "", false
			if err := tx.closed(ctx, &own, e); err != nil {
				return err
			}
		}
		return tx.parts.closed(ctx, env, e)
	}
	s, err := tx.sessions.enter(ctx, env, once)
	if err != nil || !s.Open() {
		return err
	}
	learn(s, env)
	tx.workflows.markInvalid(s, env)
	if !env.Served || !mcpconv.NamesItsSession(s.PeerInfo().Client.Name) {
		tx.sessions.announce(s)
	}
	tx.exited(s, env, e)
	return tx.closeCarried(ctx, env, s, e)
}

// exited ends the session with its process or connection.
func (tx *transports) exited(s *store.Session, env *event.Envelope, e *event.Closed) {
	if e.ExitCode != nil {
		code := *e.ExitCode
		s.Exit, s.Failed = &code, s.Failed || code != 0 && !stopped(s, code)
	}
	tx.ends.end(s, env.Time, endReason(e.Reason))
}

// Exit codes of a process that SIGINT, SIGKILL or SIGTERM ended, as shells have them.
const (
	exitInterrupted = 128 + 2
	exitKilled      = 128 + 9
	exitTerminated  = 128 + 15
)

// stopped reports whether the process was ended on purpose: hosts stop servers by
// signals, when they wait for nothing.
func stopped(s *store.Session, code int64) bool {
	if code != exitInterrupted && code != exitKilled && code != exitTerminated {
		return false
	}
	for c := range s.EveryCall {
		if !mcpconv.Stream(c.Method) && !c.Dropped && !c.Uncertain {
			return false
		}
	}
	return true
}

// closeCarried ends the sessions that came over the connection.
func (tx *transports) closeCarried(ctx context.Context, env *event.Envelope, connection *store.Session, e *event.Closed) error {
	for _, session := range connection.Carried {
		if !tx.store.Knows(session) {
			continue // forgotten since: it must not begin to end again
		}
		each := *env
		each.Session = session
		if err := tx.closed(ctx, &each, e); err != nil {
			return err
		}
	}
	return nil
}

// endReasons are the reasons that a sender may give.
var endReasons = []string{mcpconv.EndFinished, mcpconv.EndIdle, mcpconv.EndEvicted, mcpconv.EndShutdown}

// endReason is the reason as far as a sender may give it, else that the session
// was closed.
func endReason(reason string) string {
	if i := slices.Index(endReasons, reason); i >= 0 {
		return endReasons[i]
	}
	return mcpconv.EndClosed
}

// transportChanged takes a transport's change of status.
func (tx *transports) transportChanged(ctx context.Context, env *event.Envelope, e *event.TransportChanged) error {
	s, err := tx.sessions.enter(ctx, env, late)
	if err != nil {
		return err
	}
	learn(s, env)
	if s.Open() {
		tx.sessions.announce(s)
	}
	if !env.Part { // the session is of other servers too
		s.TransportStatus = strings.Clone(jsonscan.Cut(e.Status.Status, peerBytes))
		if e.Status.Status == "reconnecting" {
			s.Reconnects++
		}
	}
	tx.notices.record(s, env, &e.Notice, &noticeExtra{})
	return nil
}

// fileRootFound makes the session's own root and the one that its trace has in a file
// known to each other: the session's is only derived then. It links to the file's
// root, or the file's to it if it was sent before. Of a session that is not known
// yet the root is remembered until its Inspector tells of it.
func (tx *transports) fileRootFound(ctx context.Context, env *event.Envelope, e *event.FileRootFound) error {
	entry, err := tx.store.Touch(ctx, store.BySession, env.Session)
	if err != nil {
		return err
	}
	e.Derived = identity.Context{}
	s := entry.Session()
	if s == nil {
		return tx.keepFileRoot(ctx, env.Session, e.Root)
	}
	if !s.Open() {
		e.Derived = lateFileRoot(s, e.Root)
		return nil
	}
	setFileRoot(s, e.Root)
	return nil
}

// lateFileRoot is the root that the session has sent, if only that one can be linked
// to now.
func lateFileRoot(s *store.Session, root identity.Context) identity.Context {
	if !s.Inspector || s.Roots != nil && s.Roots.File.Valid() && s.Roots.File != root {
		return identity.Context{}
	}
	setFileRoot(s, root)
	return identity.Context{Trace: s.Trace, Span: s.Root}
}

func setFileRoot(s *store.Session, root identity.Context) {
	roots := store.Roots{File: root}
	if s.Roots != nil {
		roots.Former = s.Roots.Former
	}
	s.Roots, s.Derived = &roots, true
}

// occurred reports an event of MCP Events. It belongs to no session: an event is a
// trace of its own, named after the server's endpoint and the event's id, so that
// it is the same however and wherever it arrives.
func (tx *transports) occurred(e *event.Occurrence) {
	o := Occurrence{Occurrence: e, Time: e.Time}
	if o.Time <= 0 {
		o.Time = cmp.Or(tx.Wall, tx.store.Now())
		e.Time = o.Time // if it has to be reported again, it is the same
	}
	tx.store.Count(e.Invalid)
	o.Context = tx.context(&event.Envelope{Traceparent: e.Traceparent, Tracestate: e.Tracestate}, event.TraceMeta{})
	name := traceName(e, o.Time)
	o.Trace = identity.Trace(tx.opt.Namespace, name)
	if o.Context.Valid() {
		o.Trace = o.Context.Trace
	}
	o.Span = identity.Span(o.Trace, identity.Notice, name, e.Method, e.ID)
	if e.Method == mcpconv.EventsError || e.Method == mcpconv.EventsTerminated {
		o.Outcome = Outcome{Failed: true, Code: mcpconv.CodeServerError, Type: e.Code, RPCCode: e.Code, Message: e.Message}
	}
	tx.sink.Occurred(&o)
}

// traceName names the trace. What is reported about a subscription has no id: its
// time stands in, so that no trace grows without end.
func traceName(e *event.Occurrence, at int64) string {
	if e.Method != mcpconv.EventOccurred {
		return "event:" + e.Endpoint + "/" + e.Subscription + "/" + e.Name + "#" + decimal(at)
	}
	return "event:" + e.Endpoint + "/" + e.ID
}
