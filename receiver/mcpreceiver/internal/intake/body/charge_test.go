package body

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

func TestChargeUntilTheHandlerReturns(t *testing.T) {
	b := NewBudget(1000)
	var inside func()
	handler := b.Charge(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, err := io.ReadAll(r.Body)
		if inside != nil {
			then := inside
			inside = nil
			then()
		}
		_, _ = io.WriteString(w, status.Code(err).String())
	}))
	send := func(bytes int) string {
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/v1/logs", strings.NewReader(strings.Repeat("x", bytes))))
		return w.Body.String()
	}
	inside = func() {
		assert.EqualValues(t, 600, b.Used())
		assert.Equal(t, codes.OK.String(), send(400))
		assert.Equal(t, codes.ResourceExhausted.String(), send(401))
		assert.EqualValues(t, 600, b.Used(), "what was refused is given back")
	}
	assert.Equal(t, codes.OK.String(), send(600))
	assert.Equal(t, codes.InvalidArgument.String(), send(1001))
	assert.Zero(t, b.Used())
}
