package e2e

import (
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/otelcol-mcp/otelcol-mcp/test/harness"
)

// The backend is away at first; the sender repeats the body until it is taken.
func TestBackendComesBack(t *testing.T) {
	address := harness.FreeAddress(t)
	c := startCollector(t, "sink.yaml", map[string]string{"SINK_ADDRESS": address})
	body := readTranscript(t, everything).body

	refused := c.post(t, body)
	assertRetryable(t, http.StatusServiceUnavailable, refused)
	s := harness.StartSinkAt(t, address)
	harness.Eventually(t, "the collector refuses though the backend is back", func() bool {
		r := c.post(t, body)
		if r.status != http.StatusAccepted {
			assertRetryable(t, http.StatusServiceUnavailable, r)
		}
		return r.status == http.StatusAccepted
	})
	assertSameSpans(t, readGolden(t, goldenOf("everything")), s.Received())
	own := c.ownMetrics(t)
	assert.Positive(t, own.Sum(rejected, "endpoint", observations, "reason", "pipeline_refused"))
	assert.Positive(t, own.Sum("otelcol_receiver_refused_spans", "receiver", "mcp"))
}

// A backend that says it is too busy, and for how long.
func TestBackendIsBusy(t *testing.T) {
	s := harness.StartSink(t)
	c := startCollector(t, "sink.yaml", map[string]string{"SINK_ADDRESS": s.Address})
	busy, err := status.New(codes.ResourceExhausted, "too much").
		WithDetails(&errdetails.RetryInfo{RetryDelay: durationpb.New(7 * time.Second)})
	require.NoError(t, err)
	body := readTranscript(t, everything).body

	s.Refuse(busy.Err())
	refused := c.post(t, body)
	assertRetryable(t, http.StatusTooManyRequests, refused)
	assert.Equal(t, "7", refused.header.Get("Retry-After"), "the backend's own delay")
	s.Refuse(nil)
	c.accepts(t, body)
	assertSameSpans(t, readGolden(t, goldenOf("everything")), s.Received())
}

// A backend that will never take this: repeating it is of no use.
func TestBackendRefusesForGood(t *testing.T) {
	s := harness.StartSink(t)
	c := startCollector(t, "sink.yaml", map[string]string{"SINK_ADDRESS": s.Address})
	s.Refuse(status.Error(codes.InvalidArgument, "no"))
	refused := c.post(t, readTranscript(t, everything).body)
	assert.Equal(t, http.StatusInternalServerError, refused.status)
	assert.Empty(t, refused.header.Get("Retry-After"))
}

func assertRetryable(t *testing.T, code int, r reply) {
	t.Helper()
	assert.Equal(t, code, r.status, r.body)
	seconds, err := strconv.Atoi(r.header.Get("Retry-After"))
	assert.NoError(t, err, "Retry-After")
	assert.Positive(t, seconds, "Retry-After")
}
