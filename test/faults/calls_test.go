package faults

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/plog/plogotlp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/encoding/gzip"
	"google.golang.org/grpc/status"

	"github.com/otelcol-mcp/otelcol-mcp/test/harness"
)

// TestCallBombs calls the otlp receiver over gRPC with messages that unpack to what one
// may have, many at once, over a connection each. What is refused is refused so that
// exporters send it again.
func TestCallBombs(t *testing.T) {
	otlp := harness.FreeAddress(t)
	c := startLimited(t, fmt.Sprintf(`receivers: {mcp: {otlp: {protocols: {grpc: {endpoint: %q}}}}}`, otlp))
	health := c.watchHealth(t)
	logs := plog.NewLogs()
	logs.ResourceLogs().AppendEmpty().ScopeLogs().AppendEmpty().LogRecords().AppendEmpty().Body().SetStr(strings.Repeat("x", 4<<20-1<<10))
	request := plogotlp.NewExportRequestFromLogs(logs)
	answers := &tally{}
	var senders sync.WaitGroup
	for range choose(24, 256) {
		senders.Go(func() { answers.add(call(t, otlp, request).String()) })
	}
	senders.Wait()
	t.Logf("answers %v, slowest answer of the health check %v", answers.count, health())
	answers.only(t, codes.OK.String(), codes.Unavailable.String())
	harness.Eventually(t, "nothing is accepted", func() bool { return call(t, otlp, plogotlp.NewExportRequest()) == codes.OK })
	c.checkResident(t)
}

// call sends one over a connection of its own.
func call(t *testing.T, address string, request plogotlp.ExportRequest) codes.Code {
	conn, err := grpc.NewClient(address, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if !assert.NoError(t, err) {
		return codes.Unknown
	}
	defer func() { assert.NoError(t, conn.Close()) }()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute) // with the race detector, beside other tests
	defer cancel()
	_, err = plogotlp.NewGRPCClient(conn).Export(ctx, request, grpc.UseCompressor(gzip.Name))
	return status.Code(err)
}
