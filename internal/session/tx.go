package session

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/identity"
	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonscan"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session/store"
)

// core has the dependencies and the state that all rules of one transaction share.
type core struct {
	store    *store.Tx
	opt      *Options
	agentOpt *AgentOptions
	sink     Sink
	prompts  *recentPrompts

	callers   *callers
	processes *processes
	Wall      int64  // the machine's clock in Unix ns, for what has no time of its own; the arrival time if it is 0
	About     Place  // the span that the last report of an agent is about
	Tenant    string // prefix of the keys of the sessions that are reported on, may be ""

	ids map[identity.SpanID]int // of calls and notices that came in the transaction, with how many have it

	lastNotice Notice  // that is being reported
	lastEnd    CallEnd // likewise
}

// distinct is the ID that derive makes. If something else of the transaction has it,
// n with its number among those follows its last key.
func (tx *core) distinct(derive func(suffix string) identity.SpanID) identity.SpanID {
	id := derive("")
	n := tx.ids[id] + 1
	if tx.ids == nil {
		tx.ids = map[identity.SpanID]int{}
	}
	tx.ids[id] = n
	if n == 1 {
		return id
	}
	id = derive("#" + strconv.Itoa(n))
	tx.ids[id]++
	return id
}

// cameHere reports whether the call or notice with that ID came in this transaction.
func (tx *core) cameHere(id identity.SpanID) bool { return tx.ids[id] > 0 }

// errorBytes is where the text of a session's last error is cut.
const errorBytes = 512

// countError counts an error of the session, and keeps the text of the one that ended
// last.
func (tx *core) countError(s *store.Session, at int64, text string) {
	s.Summary.Errors++
	more := s.More()
	last := more.LastFailure
	if text == "" || !tx.opt.KeepPayloads || last != nil && at < last.At {
		return
	}
	more.LastFailure = &store.Failure{At: at, Text: strings.Clone(jsonscan.Cut(text, errorBytes))}
	s.Extra = &more
}

// hostFailed keeps what the session's host reported that it failed at, until it goes on.
func (tx *core) hostFailed(s *store.Session, e store.HostError) {
	more := s.More()
	if before := more.HostError; !s.Open() || before != nil && e.At < before.At ||
		s.Phase != nil && s.Phase.Start > e.At && !s.In(mcpconv.PhaseError) {
		return
	}
	e.Type = strings.Clone(jsonscan.Cut(e.Type, peerBytes))
	if e.Text = strings.Clone(jsonscan.Cut(e.Text, errorBytes)); !tx.opt.KeepPayloads {
		e.Text = ""
	}
	more.HostError = &e
	s.Extra = &more
}

// hostWent takes that the host of the session was in a phase at that time.
func hostWent(s *store.Session, at int64, phase string) {
	more := s.More()
	if phase == mcpconv.PhaseError || more.HostError == nil || at <= more.HostError.At {
		return
	}
	more.HostError = nil
	s.Extra = &more
}

// spareIDs keeps a transaction that was large from staying so.
const spareIDs = 256

// reset makes a transaction that has ended ready for another.
func (tx *core) reset() {
	ids := tx.ids
	if len(ids) > spareIDs {
		ids = nil
	}
	clear(ids)
	*tx = core{ids: ids}
}

// context is the trace context that the message, else the record around it, names.
func (tx *core) context(env *event.Envelope, meta event.TraceMeta) identity.Context {
	if meta.Traceparent != "" {
		if c, ok := event.ParseTraceContext(meta.Traceparent.Str(), meta.Tracestate.Str()); ok {
			return c
		}
		tx.store.Count(BadContext)
	}
	if env.Traceparent == "" {
		return identity.Context{}
	}
	c, ok := event.ParseTraceContext(env.Traceparent, env.Tracestate)
	if !ok {
		tx.store.Count(BadContext)
	}
	return c
}

// text is a copy of a short text within the limit.
func (tx *core) text(s string) string { return strings.Clone(tx.cut(s)) }

// cut is the text within the limit, aliasing it.
func (tx *core) cut(s string) string { return jsonscan.Cut(s, tx.opt.TextBytes) }

// shortText is a copy of a name, a title or the like, which telemetry cuts to the limit and
// flags.
func (tx *core) shortText(s string) string { return strings.Clone(tx.short(s)) }

// short returns the part of such a text that is kept, aliasing it: of one that exceeds the limit a
// character more, by which telemetry knows that it is cut.
func (tx *core) short(s string) string { return jsonscan.Cut(s, tx.opt.TextBytes+utf8.UTFMax) }

// idBytes bounds ids of tasks, tools and sessions that are kept.
const idBytes = 1024

// method is the method as a string of our own.
func (tx *core) method(method string) string {
	if name, ok := mcpconv.Known(method); ok {
		return name
	}
	return tx.text(method)
}

// traits returns those of the agent that calls itself so.
func (tx *core) traits(client string) event.Traits {
	if tx.opt.Traits == nil {
		return event.Traits{}
	}
	return tx.opt.Traits(client)
}
