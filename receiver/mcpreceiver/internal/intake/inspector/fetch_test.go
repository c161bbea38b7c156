package inspector

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.opentelemetry.io/otel/sdk/metric/metricdata/metricdatatest"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/otelcol-mcp/otelcol-mcp/internal/session"
	"github.com/otelcol-mcp/otelcol-mcp/internal/telemetry"
	"github.com/otelcol-mcp/otelcol-mcp/receiver/mcpreceiver/internal/intake"
	"github.com/otelcol-mcp/otelcol-mcp/receiver/mcpreceiver/internal/metadata"
	"github.com/otelcol-mcp/otelcol-mcp/receiver/mcpreceiver/internal/metadatatest"
)

// testRunner hands spans to next, with the Inspector's keys, and counts in own.
func testRunner(own *metadata.TelemetryBuilder, next consumer.Traces) *intake.Runner {
	options := &telemetry.Options{Inspector: true, TextBytes: 4096, ScopeName: "test", Names: telemetry.NewNames(100)}
	return &intake.Runner{
		Engine: session.New(session.Options{
			IdleTimeout: time.Hour, Linger: time.Minute, MaxSessions: 100, Remember: 24 * time.Hour, MaxSpans: 1000, CallTimeout: time.Hour,
			MaxOpenCalls: 100, MaxOpenBytes: 1 << 20, TextBytes: 4096, MaxPending: 10, Lost: func(string) {},
			StuckAfter: time.Hour, StalledAfter: time.Hour, NoticesPerSecond: 100, DedupeKeys: 10, MinLevel: 1,
		}),
		Build: options, Meter: telemetry.NewMeter(options, 100, time.Now()), Traces: next,

		Telemetry: own, Logger: zap.NewNop(),
	}
}

// pipe refuses what refuse says, and breaks it before.
type pipe struct {
	refuse func(calls int) error
	calls  int
	spans  map[string]int // how often each came
}

func (*pipe) Capabilities() consumer.Capabilities { return consumer.Capabilities{MutatesData: true} }

func (p *pipe) ConsumeTraces(_ context.Context, td ptrace.Traces) error {
	p.calls++
	if err := p.refuse(p.calls); err != nil {
		td.ResourceSpans().RemoveIf(func(ptrace.ResourceSpans) bool { return true })
		return err
	}
	for _, rs := range td.ResourceSpans().All() {
		for _, ss := range rs.ScopeSpans().All() {
			for _, span := range ss.Spans().All() {
				p.spans[span.SpanID().String()]++
			}
		}
	}
	return nil
}

// answering is a server that has one trace, at first.
type answering struct {
	text  string
	times int // that it has it; 0: always
	asked int
}

func (a *answering) RoundTrip(*http.Request) (*http.Response, error) {
	if a.asked++; a.times > 0 && a.asked > a.times {
		return nil, io.ErrUnexpectedEOF
	}
	return &http.Response{Status: "200 OK", StatusCode: http.StatusOK, Body: io.NopCloser(strings.NewReader(a.text))}, nil
}

// traceOf is a root and so many spans below it.
func traceOf(below int) string {
	const line = `{"trace_id":"6512e41a04b93caed27aab2721422e75","span_id":"%016x",%s"name":"workflow.run","start_time":"2025-08-02T09:31:07Z","end_time":"2025-08-02T09:31:19Z","attributes":{"session.id":"s-1","secret":"hunter2"}}` + "\n"
	var text strings.Builder
	fmt.Fprintf(&text, line, 1, "")
	for i := range below {
		fmt.Fprintf(&text, line, i+2, `"parent_span_id":"0000000000000001",`)
	}
	return text.String() + "broken\n"
}

func TestTracesThatAreRefused(t *testing.T) {
	busy, bad := errors.New("not now"), consumererror.NewPermanent(errors.New("never"))
	for name, c := range map[string]struct {
		spans    int
		refuse   func(calls int) error
		rejected int64
		asked    int
		times    int // that the server has the trace
	}{
		"not":                        {2, func(int) error { return nil }, 0, 1, 0},
		"once":                       {2, func(calls int) error { return when(calls == 1, busy) }, 0, 1, 0},
		"for longer than it is kept": {2, func(calls int) error { return when(calls <= 16, busy) }, 0, 2, 0},
		"behind what is accepted":    {600, func(calls int) error { return when(calls > 1 && calls <= 16, busy) }, 0, 2, 0},
		"always":                     {1200, func(int) error { return busy }, 1200, 3, 0},
		"but for the first spans":    {1200, func(calls int) error { return when(calls > 1, busy) }, 700, 3, 0},
		"permanently":                {2, func(int) error { return bad }, 2, 1, 0},
		"and then it is gone":        {700, func(calls int) error { return when(calls > 1, busy) }, 200, 3, 1},
		"permanently at first":       {600, func(calls int) error { return when(calls == 1, bad) }, 500, 1, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				tel := componenttest.NewTelemetry()
				own, err := metadata.NewTelemetryBuilder(tel.NewTelemetrySettings())
				require.NoError(t, err)
				core, logs := observer.New(zap.WarnLevel)
				next := &pipe{refuse: c.refuse, spans: map[string]int{}}
				server := &answering{text: traceOf(c.spans - 1), times: c.times}
				f := &fetcher{
					http: &http.Client{Transport: server}, base: "http://localhost/_inspector", logger: zap.New(core),
					runner: testRunner(own, next),
				}
				f.get(t.Context(), "s-1")
				f.stop()
				assert.Equal(t, c.asked, server.asked)
				assert.Len(t, next.spans, c.spans-int(c.rejected))
				for id, times := range next.spans {
					require.Equal(t, 1, times, id)
				}
				want := []metricdata.DataPoint[int64]{rejections("malformed", 1)}
				if c.rejected > 0 {
					want = append(want, rejections("pipeline_refused", c.rejected))
					require.Equal(t, 1, logs.Len(), "once")
					entry := logs.All()[0]
					assert.Equal(t, c.rejected, entry.ContextMap()["spans"])
					assert.NotContains(t, fmt.Sprint(entry.Message, entry.ContextMap()), "hunter2")
				} else {
					assert.Zero(t, logs.Len())
				}
				metadatatest.AssertEqualMcpReceiverRejectedMessages(t, tel, want, metricdatatest.IgnoreTimestamp())
				require.NoError(t, tel.Shutdown(context.Background()))
			})
		})
	}
}

func when(refused bool, err error) error {
	if refused {
		return err
	}
	return nil
}

func rejections(reason string, n int64) metricdata.DataPoint[int64] {
	return metricdata.DataPoint[int64]{
		Value: n, Attributes: attribute.NewSet(attribute.String("endpoint", Label), attribute.String("reason", reason)),
	}
}
