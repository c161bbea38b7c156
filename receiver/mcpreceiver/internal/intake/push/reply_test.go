package push

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/consumer/consumererror"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/durationpb"
)

// later is an error that asks to wait.
func later(t *testing.T, code codes.Code, d time.Duration) error {
	s, err := status.New(code, "secret").WithDetails(&errdetails.RetryInfo{RetryDelay: durationpb.New(d)})
	require.NoError(t, err)
	return fmt.Errorf("wrapped: %w", s.Err())
}

func TestRefuse(t *testing.T) {
	for _, tt := range []struct {
		name  string
		err   error
		code  int
		retry string
	}{
		{"any", errors.New("secret"), http.StatusServiceUnavailable, "1"},
		{"unavailable", status.Error(codes.Unavailable, "secret"), http.StatusServiceUnavailable, "1"},
		{"exhausted", status.Error(codes.ResourceExhausted, "secret"), http.StatusTooManyRequests, "1"},
		{"exhausted for a while", later(t, codes.ResourceExhausted, 30*time.Second), http.StatusTooManyRequests, "30"},
		{"rounded up", later(t, codes.Unavailable, 1500*time.Millisecond), http.StatusServiceUnavailable, "2"},
		{"at least a second", later(t, codes.Unavailable, time.Millisecond), http.StatusServiceUnavailable, "1"},
		{"no delay", later(t, codes.Unavailable, 0), http.StatusServiceUnavailable, "1"},
		{"backwards", later(t, codes.Unavailable, -time.Second), http.StatusServiceUnavailable, "1"},
		{"for good", consumererror.NewPermanent(errors.New("secret")), http.StatusInternalServerError, ""},
		{"for good, joined", errors.Join(errors.New("x"), consumererror.NewPermanent(errors.New("secret"))), http.StatusInternalServerError, ""},
		{"client gone", context.Canceled, http.StatusServiceUnavailable, "1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := httptest.NewRecorder()
			refuse(w, tt.err)
			assert.Equal(t, tt.code, w.Code)
			assert.Equal(t, tt.retry, w.Header().Get("Retry-After"))
			assert.NotContains(t, w.Body.String(), "secret")
		})
	}
}

func TestMembersThatAreNotReadAreTold(t *testing.T) {
	b := newBench()
	w := b.post(ObservationsPath, ndjson, []byte(`{"sesion":"s","message":`+call+"}\n"+reply+"\n"+`{"session":"s",`+call[1:]))
	assert.Equal(t, http.StatusAccepted, w.Code)
	assert.Empty(t, w.Body.String(), "a body tells of what was not taken")
	assert.Equal(t, `item 0: unknown members: "sesion"; item 2: unknown members: "session"`, w.Header().Get(WarningHeader))

	w = b.post(ObservationsPath, ndjson, []byte(call+"\n"+reply))
	assert.Empty(t, w.Header().Values(WarningHeader))

	w = b.post(ObservationsPath, ndjson, bytes.Repeat([]byte(`{"`+strings.Repeat("\U0010fffd", 99)+`":1,`+call[1:]+"\n"), 1000))
	assert.Equal(t, http.StatusAccepted, w.Code)
	assert.Less(t, len(w.Header().Get(WarningHeader)), 1024)
	b.drain(t)
}

func TestOnlySomeRejectionsAreToldButAllAreCounted(t *testing.T) {
	var y tally
	for i := range rejectionsMax + 5 {
		y.reject(i, errLongID)
	}
	assert.Len(t, y.first, rejectionsMax)
	assert.Equal(t, int64(rejectionsMax+5), y.rejected)
}
