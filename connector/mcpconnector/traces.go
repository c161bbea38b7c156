package mcpconnector

import (
	"context"
	"errors"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
	"github.com/otelcol-mcp/otelcol-mcp/internal/pipeline"
	"github.com/otelcol-mcp/otelcol-mcp/internal/protocol/otlp"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session"
	"github.com/otelcol-mcp/otelcol-mcp/internal/telemetry"
)

// tracesEdge is the component of a pair whose way in are traces.
type tracesEdge struct{ edge }

// ConsumeTraces implements consumer.Traces.
func (e tracesEdge) ConsumeTraces(ctx context.Context, td ptrace.Traces) error {
	c := e.Unwrap()
	if e.out != c.tracesBy {
		return nil // another edge works on the same
	}
	return c.consumeTraces(ctx, td)
}

// consumeTraces takes the spans of agents into their sessions, and passes on all but
// those of an agent's own machinery.
func (c *mcpConnector) consumeTraces(ctx context.Context, td ptrace.Traces) error {
	d := c.decoders.Get().(otlp.Decoder)
	defer c.decoders.Put(d)
	if !anySpan(d, c.cfg.Agents.SessionKey, td) {
		return c.passTraces(ctx, td)
	}
	in := tracesIn{decoder: d, data: td, key: c.cfg.Agents.SessionKey, keep: c.cfg.Agents.InternalSpans == internalKeep}
	err := c.transact(ctx, "traces", &in.tally,
		func(tx *session.Tx, now int64) error { return in.apply(ctx, tx, now) },
		func(ctx context.Context, b *telemetry.Batch) error { return c.deliverTraces(ctx, &in, b) })
	if errors.Is(err, errOver) {
		return c.passLateTraces(ctx, &in)
	}
	return err
}

func (c *mcpConnector) passTraces(ctx context.Context, td ptrace.Traces) error {
	if c.runner.Traces == nil || td.ResourceSpans().Len() == 0 {
		return nil
	}
	return c.runner.Traces.ConsumeTraces(ctx, td)
}

// everySpan calls do for each span, until that is false.
func everySpan(td ptrace.Traces, do func(*otlp.Origin, ptrace.Span) bool) {
	var from otlp.Origin
	for _, rs := range td.ResourceSpans().All() {
		from.Resource = rs.Resource().Attributes()
		for _, ss := range rs.ScopeSpans().All() {
			from.Scope = ss.Scope().Name()
			for _, span := range ss.Spans().All() {
				if !do(&from, span) {
					return
				}
			}
		}
	}
}

// anySpan reports whether one of the spans is an agent's, or is to say something else than it does.
func anySpan(d otlp.Decoder, key sessionKey, td ptrace.Traces) (found bool) {
	everySpan(td, func(from *otlp.Origin, span ptrace.Span) bool {
		found = d.Span(from, span) != nil || key.confined(from.Resource, span.Attributes()).part != ""
		return !found
	})
	return found
}

// tracesIn is a request with spans of agents.
type tracesIn struct {
	decoder  otlp.Decoder
	data     ptrace.Traces
	key      sessionKey
	keep     bool // spans of an agent's own machinery
	sessions map[traceOf]named
	tally    tally
	internal []int // such spans, in the order of the request
	notes    []spanNote
}

// spanNote is what a span that causes nothing does not say itself.
type spanNote struct {
	span      int // in the order of the request
	key, text string
	instead   bool // of what it says itself
}

func (in *tracesIn) apply(ctx context.Context, tx *session.Tx, now int64) (err error) {
	in.tally.reset()
	in.internal, in.notes = in.internal[:0], in.notes[:0]
	n := -1
	everySpan(in.data, func(from *otlp.Origin, span ptrace.Span) bool {
		n++
		if err = ctx.Err(); err != nil { // the request may be large
			return false
		}
		confined := in.key.confined(from.Resource, span.Attributes())
		r, tenant := in.decode(from, span)
		switch {
		case r == nil:
			in.partOf(n, confined.part, true)
			return true
		case r.Internal && !in.keep:
			in.tally.internal = one(in.tally.internal, label(r.Agent))
			in.internal = append(in.internal, n)
		}
		tx.About = session.Place{}
		_, err = take(ctx, tx, now, r, tenant, &in.tally)
		in.note(n, r, tx.About.Whole != "")
		whole := wholeOf(tx, r, tenant)
		if tenant == "" && whole == r.Session {
			whole = ""
		}
		in.partOf(n, confined.or(whole), confined.part != "")
		return err == nil
	})
	return err
}

// partOf notes which session a span is part of, if any.
func (in *tracesIn) partOf(n int, whole string, instead bool) {
	if whole != "" {
		in.notes = append(in.notes, spanNote{n, mcpconv.SessionPartOf, whole, instead})
	}
}

// note notes of a span what nobody would know otherwise: that it only surrounds what
// counts, for it looks like a sub-agent, or like another one beside that which its parent
// reported.
func (in *tracesIn) note(n int, r *otlp.Report, part bool) {
	if r.Umbrella && (len(r.Events) == 0 || part) {
		in.notes = append(in.notes, spanNote{n, mcpconv.DialectRepeats, mcpconv.RepeatsCall, false})
	}
}

// annotate writes the notes on the spans, unless they say it themselves and may.
func (in *tracesIn) annotate(out ptrace.Traces) {
	next, n := in.notes, -1
	everySpan(out, func(_ *otlp.Origin, span ptrace.Span) bool {
		for n++; len(next) > 0 && next[0].span == n; next = next[1:] {
			if v, has := span.Attributes().GetOrPutEmpty(next[0].key); !has || next[0].instead {
				v.SetStr(next[0].text)
			}
		}
		return len(next) > 0
	})
}

// deliverTraces hands on the spans with what the sessions made of them, then the log
// records. If these will never be accepted, the spans still were.
func (c *mcpConnector) deliverTraces(ctx context.Context, in *tracesIn, b *telemetry.Batch) error {
	made, spans := b.Traces()
	var err, noTraces error
	if c.runner.Traces == nil {
		noTraces = c.runner.ForwardTraces(ctx, made, spans)
	} else {
		err = c.passTraces(ctx, in.with(made, spans, b.Natives()))
		noTraces = err
	}
	if !pipeline.Kept(noTraces) {
		return noTraces
	}
	logs, records := b.Logs()
	noLogs := c.runner.ForwardLogs(ctx, logs, records)
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

// with is the request with what is known of its spans and what was made of them; the
// same if that is nothing.
func (in *tracesIn) with(made ptrace.Traces, spans int, natives []telemetry.Addition) ptrace.Traces {
	if spans+len(natives)+len(in.internal)+len(in.notes) == 0 {
		return in.data
	}
	out := ptrace.NewTraces()
	in.data.CopyTo(out)
	complete(out, natives)
	in.annotate(out)
	in.removeInternal(out)
	if spans > 0 {
		made.ResourceSpans().MoveAndAppendTo(out.ResourceSpans())
	}
	return out
}

// complete adds to agents' own spans what is known of them besides.
func complete(out ptrace.Traces, natives []telemetry.Addition) {
	if len(natives) == 0 {
		return
	}
	spans := make(map[pcommon.SpanID]ptrace.Span, len(natives))
	everySpan(out, func(_ *otlp.Origin, span ptrace.Span) bool {
		spans[span.SpanID()] = span
		return true
	})
	for i := range natives {
		if span, ok := spans[natives[i].ID()]; ok && natives[i].Of(span) {
			natives[i].Complete(span)
		}
	}
}

// removeInternal removes the spans of an agent's own machinery.
func (in *tracesIn) removeInternal(out ptrace.Traces) {
	if len(in.internal) == 0 {
		return
	}
	next, n := in.internal, -1
	out.ResourceSpans().RemoveIf(func(rs ptrace.ResourceSpans) bool {
		rs.ScopeSpans().RemoveIf(func(ss ptrace.ScopeSpans) bool {
			ss.Spans().RemoveIf(func(ptrace.Span) bool {
				if n++; len(next) == 0 || next[0] != n {
					return false
				}
				next = next[1:]
				return true
			})
			return ss.Spans().Len() == 0
		})
		return rs.ScopeSpans().Len() == 0
	})
}
