package stitch

import (
	"context"

	"go.opentelemetry.io/collector/client"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/processor/mcpprocessor/internal/window"
)

// hold keeps the spans of a batch that wait, once the next consumer accepted the
// others.
func (s *Stitcher) hold(ctx context.Context, td ptrace.Traces, batch items) error {
	need, err := s.reserve(ctx, batch)
	if err != nil {
		return err
	}
	defer s.unreserve(need)
	if need.spans == 0 {
		return s.next.ConsumeTraces(ctx, td)
	}
	kept := td
	if need.spans < len(batch) {
		kept = window.Split(td, func(i int) bool { return batch[i].waits })
		if err := s.next.ConsumeTraces(ctx, td); err != nil {
			return withKept(err, kept)
		}
	}
	s.keep(ctx, kept, batch)
	return nil
}

func (s *Stitcher) keep(ctx context.Context, kept ptrace.Traces, batch items) {
	waiting := make([]*item, 0, len(batch))
	for i := range batch {
		if batch[i].waits {
			waiting = append(waiting, &batch[i])
		}
	}
	b := window.NewBatch(kept, client.FromContext(ctx), func(i int) int64 { return waiting[i].size })
	spans := b.Spans()
	s.do(func() {
		for i, it := range waiting {
			s.traces.keep(it, &spans[i])
		}
	})
	s.nudge()
}
