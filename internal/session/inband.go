package session

import (
	"github.com/cespare/xxhash/v2"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/identity"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session/store"
)

// InBandReply hands on the spans in the _meta of a reply: they must be of the
// call's trace.
func (tx *Tx) InBandReply(s *store.Session, c *store.Call, reply *event.Reply) {
	if !tx.Options.InBand || reply == nil || reply.Spans == "" {
		return
	}
	inBand(tx, s, reply.Spans, func(id identity.TraceID) bool { return id == c.Trace })
}

// InBandNotified hands on the spans of a notification: they must be of the trace
// of a call that is open or ended just before. It is false if none are.
func (tx *Tx) InBandNotified(s *store.Session, spans event.JSON) bool {
	if !tx.Options.InBand || spans == "" {
		return false
	}
	var open map[identity.TraceID]bool // there may be as many spans as open calls, and many of both
	return inBand(tx, s, spans, func(id identity.TraceID) bool {
		if s.Traces.Find(xxhash.Sum64(id[:])) != 0 {
			return true
		}
		if open == nil {
			open = make(map[identity.TraceID]bool, s.OpenCalls())
			for c := range s.EveryCall {
				open[c.Trace] = true
			}
		}
		return open[id]
	})
}

func inBand(tx *Tx, s *store.Session, spans event.JSON, belongs func(identity.TraceID) bool) bool {
	accepted, refused := tx.Sink.InBand(&InBand{Session: s.Reported(), Spans: spans, Belongs: belongs})
	for range refused {
		tx.Count(ForeignSpan)
	}
	s.Spans += int32(accepted) //nolint:gosec // a body holds fewer
	return accepted > 0
}

// rememberTrace keeps the trace of a call that ends, so that spans that come
// after it can be told from foreign ones.
func rememberTrace(tx *Tx, s *store.Session, c *store.Call) {
	if !tx.Options.InBand || c.Dropped || !c.Remote && s.Connection {
		return
	}
	if hash := xxhash.Sum64(c.Trace[:]); s.Traces.Find(hash) == 0 {
		s.Traces = s.Traces.With(hash, 1)
	}
}
