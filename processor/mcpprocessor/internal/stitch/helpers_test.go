package stitch

import (
	"context"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// pair is a client that is alone in its trace, and the server that it called.
func pair(value string) (client, server spec) {
	return spec{n: 0, trace: pcommon.TraceID{1}, id: pcommon.SpanID{1}, name: mcpconv.SpanTool, kind: ptrace.SpanKindClient, value: value},
		spec{n: 1, trace: pcommon.TraceID{2}, id: pcommon.SpanID{2}, name: mcpconv.SpanWorkflow, kind: ptrace.SpanKindServer, value: value}
}

// bigIndex forgets nothing for lack of room.
func (f *fixture) bigIndex() *Memory { return NewMemory(1000, f.cfg.Remember) }

// ctxOf returns the context of a test, or of a rapid test.
func ctxOf(t tb) context.Context {
	if with, ok := t.(interface{ Context() context.Context }); ok {
		return with.Context()
	}
	return context.Background()
}

// counting counts the calls of Ask.
type counting struct {
	sharedIndex
	asked int
}

func (c *counting) Ask(ctx context.Context, qs []Query) error {
	c.asked++
	return c.sharedIndex.Ask(ctx, qs)
}
