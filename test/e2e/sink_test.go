package e2e

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

// sink is a backend inside the test: it keeps every span as OTLP carried it,
// so that nothing a storage loses goes unseen.
type sink struct {
	ptraceotlp.UnimplementedGRPCServer
	address string

	mu      sync.Mutex
	refusal error // what it answers instead of taking spans
	traces  ptrace.Traces
}

func startSink(t *testing.T) *sink {
	t.Helper()
	return startSinkAt(t, freeAddress(t))
}

func startSinkAt(t *testing.T, address string) *sink {
	t.Helper()
	listener, err := net.Listen("tcp", address)
	require.NoError(t, err)
	s := &sink{address: address, traces: ptrace.NewTraces()}
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
func (s *sink) Export(_ context.Context, request ptraceotlp.ExportRequest) (ptraceotlp.ExportResponse, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.refusal != nil {
		return ptraceotlp.ExportResponse{}, s.refusal
	}
	request.Traces().ResourceSpans().MoveAndAppendTo(s.traces.ResourceSpans())
	return ptraceotlp.NewExportResponse(), nil
}

// refuse makes it answer with an error from now on; nil: take spans again.
func (s *sink) refuse(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refusal = err
}

// forget drops all that came so far.
func (s *sink) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.traces = ptrace.NewTraces()
}

// received is a copy of all that came so far.
func (s *sink) received() ptrace.Traces {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := ptrace.NewTraces()
	s.traces.CopyTo(all)
	return all
}
