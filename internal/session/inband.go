package session

import (
	"github.com/cespare/xxhash/v2"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/identity"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session/store"
)

// reply hands on the spans in the _meta of a reply: they must be of the
// call's trace.
func (tx *inBand) reply(s *store.Session, c *store.Call, reply *event.Reply) {
	if !tx.opt.InBand || reply == nil || reply.Spans == "" {
		return
	}
	tx.handOn(s, reply.Spans, func(id identity.TraceID) bool { return id == c.Trace })
}

// notified hands on the spans of a notification: they must be of the trace
// of a call that is open or ended just before. It is false if none are.
func (tx *inBand) notified(s *store.Session, spans event.JSON) bool {
	if !tx.opt.InBand || spans == "" {
		return false
	}
	var open map[identity.TraceID]bool // there may be as many spans as open calls, and many of both
	return tx.handOn(s, spans, func(id identity.TraceID) bool {
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

func (tx *inBand) handOn(s *store.Session, spans event.JSON, belongs func(identity.TraceID) bool) bool {
	accepted, refused := tx.sink.InBand(&InBand{Session: s.Reported(), Spans: spans, Belongs: belongs})
	for range refused {
		tx.store.Count(ForeignSpan)
	}
	s.Spans += int32(accepted) //nolint:gosec // a body holds fewer
	return accepted > 0
}

// rememberTrace keeps the trace of a call that ends, so that spans that come
// after it can be told from foreign ones.
func (tx *inBand) rememberTrace(s *store.Session, c *store.Call) {
	if !tx.opt.InBand || c.Dropped || !c.Remote && s.Connection {
		return
	}
	if hash := xxhash.Sum64(c.Trace[:]); s.Traces.Find(hash) == 0 {
		s.Traces = s.Traces.With(hash, 1)
	}
}
