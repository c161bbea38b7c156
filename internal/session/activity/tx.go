package activity

import (
	"strconv"
	"strings"
	"time"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/identity"
	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonscan"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session/emit"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session/store"
)

// Options are what sessions are limited to and record; all must be set.
type Options struct {
	Namespace      string
	Linger         time.Duration // how long late messages reopen nothing
	CallTimeout    time.Duration
	StuckAfter     time.Duration // without progress, after which a call is stuck
	StalledAfter   time.Duration // without a sign of life, after which a host is stalled
	MaxSpans       int           // spans after which a session goes on in a new epoch
	ProgressEvents int           // span events kept for each call, at least 2
	TextBytes      int           // names and short texts are cut at this length
	KeepPayloads   bool
	KeepEnvelopes  bool
	InBand         bool // spans that servers send along are wanted

	NoticesPerSecond int // of one session
}

// Tx is a transaction that reports what happens in it.
type Tx struct {
	*store.Tx
	Options *Options
	Agents  *AgentOptions
	Sink    emit.Sink
	About   Place  // what an agent reported of last
	Tenant  string // begins the keys of the sessions that are reported on, "" if nothing does

	ids map[identity.SpanID]int // of calls and notices that came in the transaction, with how many have it

	notice emit.Notice  // that is being reported
	end    emit.CallEnd // likewise
}

// distinct is the ID that derive makes. If something else of the transaction has it,
// n with its number among those follows its last key.
func (tx *Tx) distinct(derive func(suffix string) identity.SpanID) identity.SpanID {
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

// CameHere reports whether the call or notice with that ID came in this transaction.
func (tx *Tx) CameHere(id identity.SpanID) bool { return tx.ids[id] > 0 }

// spareIDs keeps a transaction that was large from staying so.
const spareIDs = 256

// Reset makes a transaction that has ended ready for another.
func (tx *Tx) Reset() {
	ids := tx.ids
	if len(ids) > spareIDs {
		ids = nil
	}
	clear(ids)
	*tx = Tx{ids: ids}
}

// Context is the trace context that the message, else the record around it, names.
func (tx *Tx) Context(env *event.Envelope, meta event.TraceMeta) identity.Context {
	if meta.Traceparent != "" {
		if c, ok := event.ParseTraceContext(meta.Traceparent.Str(), meta.Tracestate.Str()); ok {
			return c
		}
		tx.Count(emit.BadContext)
	}
	if env.Traceparent == "" {
		return identity.Context{}
	}
	c, ok := event.ParseTraceContext(env.Traceparent, env.Tracestate)
	if !ok {
		tx.Count(emit.BadContext)
	}
	return c
}

// Text is a copy of a short text within the limit.
func (tx *Tx) Text(s string) string { return strings.Clone(tx.Cut(s)) }

// Cut is the text within the limit, aliasing it.
func (tx *Tx) Cut(s string) string { return jsonscan.Cut(s, tx.Options.TextBytes) }

// IDBytes bounds ids of tasks, tools and sessions that are kept.
const IDBytes = 1024

// Method is the method as a string of our own.
func (tx *Tx) Method(method string) string {
	if name, ok := mcpconv.Known(method); ok {
		return name
	}
	return tx.Text(method)
}
