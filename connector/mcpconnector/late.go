package mcpconnector

import (
	"context"

	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/internal/protocol/otlp"
)

// What buffers in front of the connector, such as a batch processor, hands its last on
// when it stops. The receiver that keeps the sessions may have stopped by then. Its
// sender was told that it is accepted and does not send it again, so that it passes as
// it came: without what the sessions would add, but within its tenant.

// tooLate is the reason under which reports are counted that come when the sessions
// have ended.
const tooLate = "sessions ended"

// passLateLogs passes records on whose sessions have ended.
func (c *mcpConnector) passLateLogs(ctx context.Context, in *logsIn) error {
	in.tally.reset()
	in.marks = in.marks[:0]
	n := -1
	everyLog(in.data, func(from *otlp.Origin, lr plog.LogRecord) bool {
		n++
		r, tenant := in.decode(from, lr)
		in.tally.late(r)
		confined := in.key.confined(from.Resource, lr.Attributes())
		if whole := confined.or(lateWhole(r, tenant)); whole != "" && (r == nil || tenant != "") {
			in.marks = append(in.marks, mark{record: n, whole: whole})
		}
		return true
	})
	if err := c.passLogs(ctx, in.with(plog.NewLogs(), 0)); err != nil {
		return err
	}
	c.countLate(ctx, &in.tally, "logs", "log record", c.runner.Logs != nil)
	return nil
}

// passLateTraces passes spans on whose sessions have ended.
func (c *mcpConnector) passLateTraces(ctx context.Context, in *tracesIn) error {
	in.tally.reset()
	in.internal, in.notes = in.internal[:0], in.notes[:0]
	n := -1
	everySpan(in.data, func(from *otlp.Origin, span ptrace.Span) bool {
		n++
		r, tenant := in.decode(from, span)
		in.tally.late(r)
		if r != nil && r.Internal && !in.keep {
			in.tally.internal = one(in.tally.internal, label(r.Agent))
			in.internal = append(in.internal, n)
		}
		confined := in.key.confined(from.Resource, span.Attributes())
		in.partOf(n, confined.or(lateWhole(r, tenant)), confined.part != "")
		return true
	})
	if err := c.passTraces(ctx, in.with(ptrace.NewTraces(), 0, nil)); err != nil {
		return err
	}
	c.countLate(ctx, &in.tally, "traces", "span", c.runner.Traces != nil)
	return nil
}

// late counts a report of an agent, if it is one.
func (t *tally) late(r *otlp.Report) {
	if r != nil {
		t.items = one(t.items, label(r.Agent))
		t.noted = one(t.noted, tooLate)
	}
}

// lateWhole is the session that an item of a tenant is to be said to be part of.
func lateWhole(r *otlp.Report, tenant string) string {
	if r == nil || tenant == "" || len(r.Session) > idBytes {
		return ""
	}
	return r.Session
}

// countLate counts what came too late. Without a pipeline for its own signal it was there
// for the sessions only, and is lost.
func (c *mcpConnector) countLate(ctx context.Context, t *tally, signal, kind string, passes bool) {
	n := t.noted[tooLate]
	if n == 0 {
		return
	}
	c.late.Do(func() {
		c.set.Logger.Warn("Agents' telemetry arrived after the sessions had ended: the sessions do not have it")
	})
	if !passes {
		c.lose(kind, n)
	}
	c.count(ctx, t, signal)
}
