package configs

import (
	"context"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/plog/plogotlp"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
	"google.golang.org/grpc"
	_ "google.golang.org/grpc/encoding/gzip" // what the exporters compress with
)

// backend is an OTLP/gRPC server with gRPC's default limit of 4 MiB a message, as Jaeger and Tempo are.
type backend struct {
	ptraceotlp.UnimplementedGRPCServer
	records
	mu    sync.Mutex
	spans []ptrace.Span
}

func (b *backend) Export(_ context.Context, req ptraceotlp.ExportRequest) (ptraceotlp.ExportResponse, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.spans = append(b.spans, spansOf(req.Traces())...)
	return ptraceotlp.NewExportResponse(), nil
}

func (b *backend) received() []ptrace.Span {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.spans
}

// payloads returns the spans with a payload: a trace of a framework's is a session too, which
// has a start.
func (b *backend) payloads() (all []ptrace.Span) {
	for _, span := range b.received() {
		if _, ok := span.Attributes().Get("mcp.tool.output_json"); ok {
			all = append(all, span)
		}
	}
	return all
}

func startBackend(t *testing.T) (*backend, string) {
	listener, err := net.Listen("tcp", "localhost:0")
	require.NoError(t, err)
	server, b := grpc.NewServer(), &backend{}
	ptraceotlp.RegisterGRPCServer(server, b)
	plogotlp.RegisterGRPCServer(server, &b.records)
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(server.Stop)
	return b, listener.Addr().String()
}

// TestBackends sends payloads of 30 KiB, to Jaeger and Tempo more than one gRPC message can hold; all
// must arrive, whole. Masking is too slow for as many when a race detector watches it.
func TestBackends(t *testing.T) {
	for name, test := range map[string]struct {
		variable string
		count    int
	}{
		"jaeger":  {"JAEGER_ENDPOINT", 300},
		"tempo":   {"TEMPO_ENDPOINT", 300},
		"privacy": {"OTLP_ENDPOINT", 20},
	} {
		t.Run(name, func(t *testing.T) {
			b, endpoint := startBackend(t)
			p := start(t, []string{test.variable + "=" + endpoint}, "--config", "embedded:"+name)
			sendTraces(t, p, ptraceotlp.NewExportRequestFromTraces(bigTraces(test.count)))
			require.Eventually(t, func() bool { return len(b.payloads()) == test.count }, 30*time.Second, 50*time.Millisecond)
			for _, span := range b.payloads() {
				require.Len(t, str(span.Attributes(), "mcp.tool.output_json"), 30720)
				assert.NotContains(t, span.Attributes().AsRaw(), "mcp.tool.output_json_truncated")
			}
		})
	}
}

func bigTraces(count int) ptrace.Traces {
	traces := ptrace.NewTraces()
	spans := traces.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty().Spans()
	for i := range count {
		span := spans.AppendEmpty()
		span.SetTraceID([16]byte{1})
		span.SetSpanID([8]byte{1, byte(i >> 8), byte(i)})
		span.Attributes().PutStr("mcp.tool.output_json", `"`+strings.Repeat("word ", 30718/5)+`xyz"`)
	}
	return traces
}
