package e2e

import (
	"context"
	"errors"
	"io"
	"testing"

	"github.com/jaegertracing/jaeger-idl/model/v1"
	"github.com/jaegertracing/jaeger-idl/proto-gen/api_v2"
	jaegertranslator "github.com/open-telemetry/opentelemetry-collector-contrib/pkg/translator/jaeger"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"

	"github.com/otelcol-mcp/otelcol-mcp/test/harness"
)

// jaeger is a running all-in-one with nothing stored.
type jaeger struct {
	otlp  string // where it takes OTLP over gRPC
	admin string // its health and metrics
	query api_v2.QueryServiceClient
}

func startJaeger(t *testing.T) *jaeger {
	t.Helper()
	j := &jaeger{otlp: harness.FreeAddress(t), admin: harness.FreeAddress(t)}
	query := harness.FreeAddress(t)
	args := []string{
		"--log-level=warn",
		"--collector.otlp.grpc.host-port=" + j.otlp,
		"--admin.http.host-port=" + j.admin,
		"--query.grpc-server.host-port=" + query,
	}
	for _, unused := range []string{
		"--collector.otlp.http.host-port", "--collector.grpc-server.host-port", "--collector.http-server.host-port",
		"--query.http-server.host-port", "--http-server.host-port", "--processor.jaeger-binary.server-host-port",
		"--processor.jaeger-compact.server-host-port", "--processor.zipkin-compact.server-host-port",
	} {
		args = append(args, unused+"="+harness.FreeAddress(t))
	}
	p := harness.Start(t, "jaeger", harness.Jaeger(t), []string{"SPAN_STORAGE_TYPE=memory"}, args)
	p.Ready(t, func() bool { return harness.HTTPOK("http://" + j.admin + "/") })
	j.query = api_v2.NewQueryServiceClient(dial(t, query, grpc.ForceCodecV2(gogoCodec{})))
	return j
}

func dial(t *testing.T, address string, options ...grpc.CallOption) *grpc.ClientConn {
	t.Helper()
	conn, err := grpc.NewClient(address,
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDefaultCallOptions(options...))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, conn.Close()) })
	return conn
}

// traces are the spans stored under these trace ids.
func (j *jaeger) traces(t *testing.T, ids ...pcommon.TraceID) ptrace.Traces {
	t.Helper()
	j.settle(t)
	batch := &model.Batch{}
	for _, id := range ids {
		spans, err := j.trace(t.Context(), id)
		require.NoError(t, err, "trace %s", id)
		batch.Spans = append(batch.Spans, spans...)
	}
	traces, err := jaegertranslator.ProtoToTraces([]*model.Batch{batch})
	require.NoError(t, err)
	return traces
}

// trace reads one trace as it is stored; an unknown one is empty.
func (j *jaeger) trace(ctx context.Context, id pcommon.TraceID) (spans []*model.Span, err error) {
	jaegerID, err := model.TraceIDFromBytes(id[:])
	if err != nil {
		return nil, err
	}
	stream, err := j.query.GetTrace(ctx, &api_v2.GetTraceRequest{TraceID: jaegerID, RawTraces: true})
	if err != nil {
		return nil, err
	}
	for {
		chunk, err := stream.Recv()
		if errors.Is(err, io.EOF) || status.Code(err) == codes.NotFound {
			return spans, nil
		}
		if err != nil {
			return nil, err
		}
		for i := range chunk.Spans {
			spans = append(spans, &chunk.Spans[i])
		}
	}
}

// settle waits until all that Jaeger has accepted is stored: it answers the
// exporter first and stores after.
func (j *jaeger) settle(t *testing.T) {
	t.Helper()
	harness.Eventually(t, "jaeger does not store what it took", func() bool {
		all := harness.Scrape(t, "http://"+j.admin+"/metrics")
		return all.Sum("jaeger_collector_spans_received_total") == all.Sum("jaeger_collector_spans_saved_by_svc_total")
	})
}
