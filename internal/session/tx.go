package session

import (
	"strconv"
	"strings"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/identity"
	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonscan"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session/store"
)

// Tx is one transaction: it claims each session it touches until it is committed
// or rolled back, and reports what happens to its Sink. It is used by one goroutine
// and ends with Commit or Rollback; after an error that [Yielded] knows it must be
// rolled back and begun again.
type Tx struct {
	*store.Tx
	Options *Options
	Agents  *AgentOptions
	Sink    Sink
	Wall    int64  // the machine's clock in Unix ns, for what has no time of its own; Now if it is 0
	About   Place  // what an agent reported of last
	Tenant  string // begins the keys of the sessions that are reported on, "" if nothing does

	ids map[identity.SpanID]int // of calls and notices that came in the transaction, with how many have it

	notice Notice  // that is being reported
	end    CallEnd // likewise
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

// reset makes a transaction that has ended ready for another.
func (tx *Tx) reset() {
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
		tx.Count(BadContext)
	}
	if env.Traceparent == "" {
		return identity.Context{}
	}
	c, ok := event.ParseTraceContext(env.Traceparent, env.Tracestate)
	if !ok {
		tx.Count(BadContext)
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
