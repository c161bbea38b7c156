package session

import (
	"github.com/cespare/xxhash/v2"

	"github.com/otelcol-mcp/otelcol-mcp/internal/identity"
	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonrpc"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// InBand are spans that a server sent along with what it said (SEP-2448). They
// are not to be trusted: only those of a trace for which Belongs is true may pass.
type InBand struct {
	Session       *Session
	ResourceSpans jsonrpc.Value // OTLP, JSON
	Belongs       func(identity.TraceID) bool
}

// inBand takes the spans in the _meta of a reply: they must be of the call's trace.
func (tx *Tx) inBand(s *Session, c *Call, reply *jsonrpc.Message) {
	if !tx.t.opt.InBand || reply == nil || reply.Result.Meta.ResourceSpans == "" {
		return
	}
	tx.unwrap(s, reply.Result.Meta.ResourceSpans, func(id identity.TraceID) bool { return id == c.Trace })
}

// inBandTold takes notifications/otel/trace: the spans must be of the trace of a
// call that is open or ended just before. It is false if none are.
func (tx *Tx) inBandTold(s *Session, m *jsonrpc.Message) bool {
	if !tx.t.opt.InBand || m.Method != mcpconv.NotificationOTelTrace || m.Params.ResourceSpans == "" {
		return false
	}
	var open map[identity.TraceID]bool // there may be as many spans as open calls, and many of both
	return tx.unwrap(s, m.Params.ResourceSpans, func(id identity.TraceID) bool {
		if s.traces.find(xxhash.Sum64(id[:])) != 0 {
			return true
		}
		if open == nil {
			open = make(map[identity.TraceID]bool, s.open())
			for c := range s.everyOpen {
				open[c.Trace] = true
			}
		}
		return open[id]
	})
}

func (tx *Tx) unwrap(s *Session, spans jsonrpc.Value, belongs func(identity.TraceID) bool) bool {
	taken, refused := tx.sink.InBand(&InBand{Session: s.telemetry(), ResourceSpans: spans, Belongs: belongs})
	for range refused {
		tx.note(ForeignSpan)
	}
	s.spans += int32(taken) //nolint:gosec // a body holds fewer
	return taken > 0
}

// rememberTrace keeps the trace of a call that ends, so that spans that come
// after it can be told from foreign ones.
func (tx *Tx) rememberTrace(s *Session, c *Call) {
	if tx.t.opt.InBand && !c.dropped && (c.Remote || !s.Connection) {
		hash := xxhash.Sum64(c.Trace[:])
		if s.traces.find(hash) == 0 {
			s.traces = s.traces.with(hash, 1)
		}
	}
}
