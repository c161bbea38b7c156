package otlp

import (
	"context"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"

	protocol "github.com/otelcol-mcp/otelcol-mcp/internal/agent/otlp"
	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session"
	"github.com/otelcol-mcp/otelcol-mcp/internal/telemetry"
	"github.com/otelcol-mcp/otelcol-mcp/receiver/mcpreceiver/internal/intake"
)

// ConsumeLogs implements consumer.Logs: records of agents reach their sessions, and all
// records pass on.
func (c *Consumer) ConsumeLogs(ctx context.Context, ld plog.Logs) error {
	if c.Pass {
		return c.passLogs(ctx, ld, 0)
	}
	d := c.decoders.Get().(protocol.Decoder)
	defer c.decoders.Put(d)
	if !anyLog(d, c.SessionKey, ld) {
		return c.passLogs(ctx, ld, 0)
	}
	in := logsIn{decoder: d, data: ld, key: c.SessionKey}
	return c.transact(ctx, "logs", &in.tally,
		func(tx *session.Tx, now int64) error { return in.apply(ctx, tx, now) },
		func(ctx context.Context, b *telemetry.Batch) error { return c.deliverLogs(ctx, &in, b) })
}

// passLogs passes a request on, to which as many records were added.
func (c *Consumer) passLogs(ctx context.Context, ld plog.Logs, added int) error {
	if c.Runner.Logs == nil {
		c.dropped(ctx, "logs", ld.LogRecordCount()-added)
		return nil
	}
	if ld.ResourceLogs().Len() == 0 {
		return nil
	}
	return c.Runner.ForwardLogs(ctx, ld, added)
}

// everyLog calls do for each record, until that is false.
func everyLog(ld plog.Logs, do func(*protocol.Origin, plog.LogRecord) bool) {
	var from protocol.Origin
	for _, rl := range ld.ResourceLogs().All() {
		from.Resource = rl.Resource().Attributes()
		for _, sl := range rl.ScopeLogs().All() {
			from.Scope = sl.Scope().Name()
			for _, lr := range sl.LogRecords().All() {
				if !do(&from, lr) {
					return
				}
			}
		}
	}
}

// anyLog reports whether a record is an agent's, or must be confined to its tenant.
func anyLog(d protocol.Decoder, key sessionKey, ld plog.Logs) (found bool) {
	everyLog(ld, func(from *protocol.Origin, lr plog.LogRecord) bool {
		found = d.Log(from, lr) != nil || key.confined(from.Resource, lr.Attributes()).part != ""
		return !found
	})
	return found
}

// logsIn is a request with records of agents.
type logsIn struct {
	decoder protocol.Decoder
	data    plog.Logs
	key     sessionKey
	tally   tally
	marks   []mark
}

// mark holds what is added to a record.
type mark struct {
	record int    // in the order of the request
	whole  string // the session that it is part of; "" if what the record says is enough
	trace  pcommon.TraceID
	span   pcommon.SpanID // that the record is about; empty if it names one
}

func (in *logsIn) apply(ctx context.Context, tx *session.Tx, now int64) (err error) {
	in.tally.reset()
	in.marks = in.marks[:0]
	n, looked := -1, false
	everyLog(in.data, func(from *protocol.Origin, lr plog.LogRecord) bool {
		n++
		if err = ctx.Err(); err != nil { // the request may be large
			return false
		}
		r, tenant := in.decode(from, lr)
		if r == nil {
			if confined := in.key.confined(from.Resource, lr.Attributes()); confined.part != "" {
				in.marks = append(in.marks, mark{record: n, whole: confined.part})
			}
			return true
		}
		if !looked && startsUnknown(tx, r) {
			looked = true
			in.adoptAhead(tx)
			r, _ = in.decode(from, lr)
		}
		var known bool
		tx.About = session.Place{}
		if known, err = apply(ctx, tx, now, r, tenant, &in.tally); err != nil {
			return false
		}
		m := mark{record: n}
		if tenant != "" {
			m.whole = in.key.confined(from.Resource, lr.Attributes()).or(wholeOf(tx, r, tenant))
		}
		if known && lr.TraceID().IsEmpty() {
			m.trace, m.span = pcommon.TraceID(tx.About.Trace), pcommon.SpanID(tx.About.Span)
		}
		if m.whole != "" || !m.trace.IsEmpty() {
			in.marks = append(in.marks, m)
		}
		return true
	})
	return err
}

// decode returns the record's report, nil if it is no agent's, and the prefix of its
// tenant's session keys.
func (in *logsIn) decode(from *protocol.Origin, lr plog.LogRecord) (r *protocol.Report, tenant string) {
	if r = in.decoder.Log(from, lr); r == nil {
		return nil, ""
	}
	tenant = in.key.tenant(from.Resource, lr.Attributes())
	prefix(r, tenant)
	return r, tenant
}

// startsUnknown reports whether the record starts an unknown session.
func startsUnknown(tx *session.Tx, r *protocol.Report) bool {
	for _, e := range r.Events {
		if _, ok := e.(*event.SessionStarted); ok {
			return !tx.Knows(r.Session)
		}
	}
	return false
}

// adoptAhead announces the sub-agents of the whole request to the transaction: one that
// is a session of its own may start before its parent reports it.
func (in *logsIn) adoptAhead(tx *session.Tx) {
	everyLog(in.data, func(from *protocol.Origin, lr plog.LogRecord) bool {
		r, tenant := in.decode(from, lr)
		if r == nil || r.Session == "" || len(r.Session) > idBytes {
			return true
		}
		for _, e := range r.Events {
			if spawned, ok := e.(*event.AgentStarted); ok {
				tx.Adopt(tenant+spawned.Agent.ID.Str(), strings.Clone(r.Session))
			}
		}
		return true
	})
}

// deliverLogs hands on the spans that the sessions made of the records, then the
// records with those that were made. Permanently refused spans do not hold them up.
func (c *Consumer) deliverLogs(ctx context.Context, in *logsIn, b *telemetry.Batch) error {
	traces, spans := b.Traces()
	noTraces := c.Runner.ForwardTraces(ctx, traces, spans)
	if !intake.Kept(noTraces) {
		return noTraces
	}
	made, records := b.Logs()
	in.annotate()
	made.ResourceLogs().MoveAndAppendTo(in.data.ResourceLogs())
	noLogs := c.passLogs(ctx, in.data, records)
	if !intake.Kept(noLogs) {
		return noLogs
	}
	c.Runner.CountRefused("span", spans, noTraces)
	c.Runner.CountRefused("log record", records, noLogs)
	return noLogs
}

// annotate writes the marks: the spans that records are about, and the sessions of
// tenants.
func (in *logsIn) annotate() {
	marks, n := in.marks, -1
	if len(marks) == 0 {
		return
	}
	everyLog(in.data, func(_ *protocol.Origin, lr plog.LogRecord) bool {
		if n++; marks[0].record == n {
			if !marks[0].trace.IsEmpty() {
				lr.SetTraceID(marks[0].trace)
				lr.SetSpanID(marks[0].span)
			}
			if marks[0].whole != "" {
				lr.Attributes().PutStr(mcpconv.SessionPartOf, marks[0].whole)
			}
			marks = marks[1:]
		}
		return len(marks) > 0
	})
}
