package mcpconnector

import (
	"context"
	"errors"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
	"github.com/otelcol-mcp/otelcol-mcp/internal/pipeline"
	"github.com/otelcol-mcp/otelcol-mcp/internal/protocol/otlp"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session"
	"github.com/otelcol-mcp/otelcol-mcp/internal/telemetry"
)

// logsEdge is the component of a pair whose way in are logs.
type logsEdge struct{ edge }

// ConsumeLogs implements consumer.Logs.
func (e logsEdge) ConsumeLogs(ctx context.Context, ld plog.Logs) error {
	c := e.Unwrap()
	if e.out != c.logsBy {
		return nil // another edge works on the same
	}
	return c.consumeLogs(ctx, ld)
}

// consumeLogs takes the records of agents into their sessions, and passes all of
// them on.
func (c *mcpConnector) consumeLogs(ctx context.Context, ld plog.Logs) error {
	d := c.decoders.Get().(otlp.Decoder)
	defer c.decoders.Put(d)
	if !anyLog(d, c.cfg.Agents.SessionKey, ld) {
		return c.passLogs(ctx, ld)
	}
	in := logsIn{decoder: d, data: ld, key: c.cfg.Agents.SessionKey}
	err := c.transact(ctx, "logs", &in.tally,
		func(tx *session.Tx, now int64) error { return in.apply(ctx, tx, now) },
		func(ctx context.Context, b *telemetry.Batch) error { return c.deliverLogs(ctx, &in, b) })
	if errors.Is(err, errOver) {
		return c.passLateLogs(ctx, &in)
	}
	return err
}

func (c *mcpConnector) passLogs(ctx context.Context, ld plog.Logs) error {
	if c.runner.Logs == nil {
		return nil
	}
	return c.runner.Logs.ConsumeLogs(ctx, ld)
}

// everyLog calls do for each record, until that is false.
func everyLog(ld plog.Logs, do func(*otlp.Origin, plog.LogRecord) bool) {
	var from otlp.Origin
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

// anyLog reports whether one of the records is an agent's, or is to say something else than it
// does.
func anyLog(d otlp.Decoder, key sessionKey, ld plog.Logs) (found bool) {
	everyLog(ld, func(from *otlp.Origin, lr plog.LogRecord) bool {
		found = d.Log(from, lr) != nil || key.confined(from.Resource, lr.Attributes()).part != ""
		return !found
	})
	return found
}

// logsIn is a request with records of agents.
type logsIn struct {
	decoder otlp.Decoder
	data    plog.Logs
	key     sessionKey
	tally   tally
	marks   []mark
}

// mark is what a record does not say itself.
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
	everyLog(in.data, func(from *otlp.Origin, lr plog.LogRecord) bool {
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
		if !looked && begins(tx, r) {
			looked = true
			in.lookAhead(tx)
			r, _ = in.decode(from, lr)
		}
		var known bool
		tx.About = session.Place{}
		if known, err = take(ctx, tx, now, r, tenant, &in.tally); err != nil {
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

// decode is what the record reports, and what the keys of its tenant's sessions begin
// with.
func (in *logsIn) decode(from *otlp.Origin, lr plog.LogRecord) (r *otlp.Report, tenant string) {
	if r = in.decoder.Log(from, lr); r == nil {
		return nil, ""
	}
	tenant = in.key.tenant(from.Resource, lr.Attributes())
	name(r, tenant)
	return r, tenant
}

// begins reports whether a session begins that nobody knows.
func begins(tx *session.Tx, r *otlp.Report) bool {
	for _, e := range r.Events {
		if _, ok := e.(*event.SessionStarted); ok {
			return !tx.Knows(r.Session)
		}
	}
	return false
}

// lookAhead lets the transaction know the sub-agents that the records tell of: one
// that is a session of its own may begin before its parent tells of it.
func (in *logsIn) lookAhead(tx *session.Tx) {
	everyLog(in.data, func(from *otlp.Origin, lr plog.LogRecord) bool {
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

// deliverLogs hands on what the sessions made of the records, and the records. These
// pass even if no pipeline will ever accept what was made of them.
func (c *mcpConnector) deliverLogs(ctx context.Context, in *logsIn, b *telemetry.Batch) error {
	traces, spans := b.Traces()
	noTraces := c.runner.ForwardTraces(ctx, traces, spans)
	if !pipeline.Kept(noTraces) {
		return noTraces
	}
	made, records := b.Logs()
	var err, noLogs error
	if c.runner.Logs == nil {
		noLogs = c.runner.ForwardLogs(ctx, made, records)
	} else {
		err = c.passLogs(ctx, in.with(made, records))
		noLogs = err
	}
	if !pipeline.Kept(noLogs) {
		return noLogs
	}
	if noTraces != nil {
		c.refused("span", spans)
	}
	if noLogs != nil {
		c.refused("log record", records)
	}
	return err
}

// with is the request with its marks and with what was made of it; the same if there
// is neither.
func (in *logsIn) with(made plog.Logs, records int) plog.Logs {
	if len(in.marks)+records == 0 {
		return in.data
	}
	out := in.marked()
	if records > 0 {
		made.ResourceLogs().MoveAndAppendTo(out.ResourceLogs())
	}
	return out
}

// marked is a copy of the request in which the records name the spans that they are
// about, and the sessions of tenants. The request itself may be somebody else's too.
func (in *logsIn) marked() plog.Logs {
	out := plog.NewLogs()
	in.data.CopyTo(out)
	marks, n := in.marks, -1
	everyLog(out, func(_ *otlp.Origin, lr plog.LogRecord) bool {
		if n++; len(marks) > 0 && marks[0].record == n {
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
	return out
}
