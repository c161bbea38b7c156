package otlp

import (
	"cmp"
	"context"
	"slices"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	protocol "github.com/otelcol-mcp/otelcol-mcp/internal/agent/otlp"
	"github.com/otelcol-mcp/otelcol-mcp/internal/identity"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session"
	"github.com/otelcol-mcp/otelcol-mcp/internal/telemetry"
	"github.com/otelcol-mcp/otelcol-mcp/receiver/mcpreceiver/internal/intake"
)

// ConsumeTraces implements consumer.Traces: spans of agents reach their sessions, and all
// spans pass on but those of an agent's own machinery.
func (c *Consumer) ConsumeTraces(ctx context.Context, td ptrace.Traces) error {
	if c.Pass {
		return c.passTraces(ctx, td, 0)
	}
	d := c.decoders.Get().(protocol.Decoder)
	defer c.decoders.Put(d)
	if !anySpan(d, c.SessionKey, td) {
		return c.passTraces(ctx, td, 0)
	}
	in := tracesIn{decoder: d, data: td, key: c.SessionKey, keep: c.KeepInternal}
	return c.transact(ctx, "traces", &in.tally,
		func(tx *session.Tx, now int64) error { return in.apply(ctx, tx, now) },
		func(ctx context.Context, b *telemetry.Batch) error { return c.deliverTraces(ctx, &in, b) })
}

// passTraces passes a request on, to which as many spans were added.
func (c *Consumer) passTraces(ctx context.Context, td ptrace.Traces, added int) error {
	if c.Runner.Traces == nil {
		c.dropped(ctx, "traces", td.SpanCount()-added)
		return nil
	}
	if td.ResourceSpans().Len() == 0 {
		return nil
	}
	return c.Runner.ForwardTraces(ctx, td, added)
}

// everySpan calls do for each span, until that is false.
func everySpan(td ptrace.Traces, do func(*protocol.Origin, ptrace.Span) bool) {
	var from protocol.Origin
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

// anySpan reports whether a span is an agent's, or must be confined to its tenant.
func anySpan(d protocol.Decoder, key sessionKey, td ptrace.Traces) (found bool) {
	everySpan(td, func(from *protocol.Origin, span ptrace.Span) bool {
		found = d.Span(from, span) != nil || key.confined(from.Resource, span.Attributes()).part != ""
		return !found
	})
	return found
}

// tracesIn is a request with spans of agents.
type tracesIn struct {
	decoder  protocol.Decoder
	data     ptrace.Traces
	key      sessionKey
	keep     bool // spans of an agent's own machinery
	sessions map[traceOf]named
	tally    tally
	internal []int    // such spans, in the order of the request
	agents   []string // whose they are
	notes    []spanNote
	// unchanged are spans to which nothing is added.
	unchanged map[pcommon.SpanID]struct{}
}

// spanNote is an attribute that is added to a span, or the root of its session.
type spanNote struct {
	span      int // in the order of the request
	key, text string
	replace   bool // what it says itself
	root      identity.Context
}

func (in *tracesIn) apply(ctx context.Context, tx *session.Tx, now int64) (err error) {
	in.tally.reset()
	in.internal, in.agents, in.notes = in.internal[:0], in.agents[:0], in.notes[:0]
	n := -1
	everySpan(in.data, func(from *protocol.Origin, span ptrace.Span) bool {
		n++
		if err = ctx.Err(); err != nil { // the request may be large
			return false
		}
		confined := in.key.confined(from.Resource, span.Attributes())
		r, tenant := in.decode(from, span)
		if r != nil && r.Framework != nil {
			in.framework(tx, r, tenant, span)
		}
		switch {
		case r == nil:
			in.partOf(n, confined.part, true)
			return true
		case r.Internal && !in.keep:
			in.internal, in.agents = append(in.internal, n), append(in.agents, label(r.Agent))
		}
		tx.About = session.Place{}
		_, err = apply(ctx, tx, now, r, tenant, &in.tally)
		in.markWrapper(n, r, tx.About.Parent != "")
		if first := tx.About.Repeats; !first.IsZero() && pcommon.SpanID(first) != span.SpanID() {
			in.notes = append(in.notes, spanNote{span: n, key: mcpconv.DuplicateOf, text: first.String()})
		}
		whole := wholeOf(tx, r, tenant)
		if tenant == "" && whole == r.Session {
			whole = ""
		}
		in.partOf(n, confined.or(whole), confined.part != "")
		if err == nil {
			err = in.linkRoot(ctx, tx, n, r)
		}
		return err == nil
	})
	return err
}

// linkRoot notes the root of the session that a span belongs to.
func (in *tracesIn) linkRoot(ctx context.Context, tx *session.Tx, n int, r *protocol.Report) error {
	if r.Unchanged || r.Session == "" || len(r.Session) > idBytes {
		return nil
	}
	root, err := tx.RootOf(ctx, cmp.Or(tx.About.Parent, r.Session))
	if err == nil && root.Valid() {
		in.notes = append(in.notes, spanNote{span: n, root: root})
	}
	return err
}

// framework finds the session of a span that names none: that of its trace.
func (in *tracesIn) framework(tx *session.Tx, r *protocol.Report, tenant string, span ptrace.Span) {
	if r.Unchanged {
		if in.unchanged == nil {
			in.unchanged = map[pcommon.SpanID]struct{}{}
		}
		in.unchanged[span.SpanID()] = struct{}{}
	}
	if r.Session != "" || r.Trace.IsZero() {
		return
	}
	r.Session = tx.SessionOf(tenant, r.Trace)
	r.Framework.Derived = r.Session == tenant+session.TraceSession(r.Trace)
	if r.Framework.Derived && r.Framework.Root {
		r.Framework.Title = span.Name()
	}
}

// partOf notes which session a span is part of, if any.
func (in *tracesIn) partOf(n int, whole string, replace bool) {
	if whole != "" {
		in.notes = append(in.notes, spanNote{span: n, key: mcpconv.SessionPartOf, text: whole, replace: replace})
	}
}

// markWrapper marks a span that only wraps what counts: it looks like a sub-agent, or
// like another one beside that which its parent reported.
func (in *tracesIn) markWrapper(n int, r *protocol.Report, part bool) {
	if r.Umbrella && !r.Unchanged && (len(r.Events) == 0 || part) {
		in.notes = append(in.notes, spanNote{span: n, key: mcpconv.DialectRepeats, text: mcpconv.RepeatsCall})
	}
}

// annotate writes the notes on the spans, unless they say it themselves and may. The root
// of each trace, by now, links to the root of its session.
func (in *tracesIn) annotate() {
	next, n := in.notes, -1
	if len(next) == 0 {
		return
	}
	everySpan(in.data, func(_ *protocol.Origin, span ptrace.Span) bool {
		for n++; len(next) > 0 && next[0].span == n; next = next[1:] {
			if root := next[0].root; root.Valid() {
				telemetry.LinkRoot(span, root)
			} else if v, has := span.Attributes().GetOrPutEmpty(next[0].key); !has || next[0].replace {
				v.SetStr(next[0].text)
			}
		}
		return len(next) > 0
	})
}

// deliverTraces hands on the spans with those that the sessions made of them, then the
// log records. Permanently refused spans do not hold these up.
func (c *Consumer) deliverTraces(ctx context.Context, in *tracesIn, b *telemetry.Batch) error {
	made, spans := b.Traces()
	in.complete(b.Natives())
	var dropped []int
	if !in.keep {
		dropped = c.lineage.settle(in.data, in.internal)
	}
	in.annotate()
	in.drop(dropped)
	made.ResourceSpans().MoveAndAppendTo(in.data.ResourceSpans())
	noTraces := c.passTraces(ctx, in.data, spans)
	if !intake.Kept(noTraces) {
		return noTraces
	}
	logs, records := b.Logs()
	noLogs := c.Runner.ForwardLogs(ctx, logs, records)
	if !intake.Kept(noLogs) {
		return noLogs
	}
	c.Runner.CountRefused("span", spans, noTraces)
	c.Runner.CountRefused("log record", records, noLogs)
	return noTraces
}

// complete adds to agents' own spans what is known of them besides.
func (in *tracesIn) complete(natives []telemetry.Addition) {
	if len(natives) == 0 {
		return
	}
	spans := make(map[pcommon.SpanID]ptrace.Span, len(natives))
	everySpan(in.data, func(_ *protocol.Origin, span ptrace.Span) bool {
		if _, as := in.unchanged[span.SpanID()]; !as {
			spans[span.SpanID()] = span
		}
		return true
	})
	for i := range natives {
		if span, ok := spans[natives[i].ID()]; ok && natives[i].Of(span) {
			natives[i].Complete(span)
		}
	}
}

// drop removes spans of an agent's own machinery, and counts them.
func (in *tracesIn) drop(internal []int) {
	if len(internal) == 0 {
		return
	}
	next, n := internal, -1
	for i, all := range in.internal {
		if _, dropped := slices.BinarySearch(internal, all); dropped {
			in.tally.internal = increment(in.tally.internal, in.agents[i])
		}
	}
	in.data.ResourceSpans().RemoveIf(func(rs ptrace.ResourceSpans) bool {
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
