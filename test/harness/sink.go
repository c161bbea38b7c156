package harness

import (
	"context"
	"net"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
	"google.golang.org/grpc"
	_ "google.golang.org/grpc/encoding/gzip" // exporters compress by default
)

// Sink is a backend inside the test: it keeps every span as OTLP carried it,
// so that nothing a storage loses goes unseen.
type Sink struct {
	ptraceotlp.UnimplementedGRPCServer
	Address string // where it takes OTLP over gRPC

	mu      sync.Mutex
	refusal error // what it answers instead of taking spans
	traces  ptrace.Traces
}

// StartSink starts one at a free address, until the test ends.
func StartSink(t *testing.T) *Sink {
	t.Helper()
	return StartSinkAt(t, FreeAddress(t))
}

// StartSinkAt starts one where others look for it.
func StartSinkAt(t *testing.T, address string) *Sink {
	t.Helper()
	listener, err := net.Listen("tcp", address)
	require.NoError(t, err)
	s := &Sink{Address: address, traces: ptrace.NewTraces()}
	server := grpc.NewServer()
	ptraceotlp.RegisterGRPCServer(server, s)
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	t.Cleanup(func() {
		server.Stop()
		require.NoError(t, <-served)
	})
	return s
}

// Export implements ptraceotlp.GRPCServer.
func (s *Sink) Export(_ context.Context, request ptraceotlp.ExportRequest) (ptraceotlp.ExportResponse, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.refusal != nil {
		return ptraceotlp.ExportResponse{}, s.refusal
	}
	request.Traces().ResourceSpans().MoveAndAppendTo(s.traces.ResourceSpans())
	return ptraceotlp.NewExportResponse(), nil
}

// Refuse makes it answer with an error from now on; nil: take spans again.
func (s *Sink) Refuse(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refusal = err
}

// Forget drops all that came so far.
func (s *Sink) Forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.traces = ptrace.NewTraces()
}

// Received is a copy of all that came so far.
func (s *Sink) Received() ptrace.Traces {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := ptrace.NewTraces()
	s.traces.CopyTo(all)
	return all
}
