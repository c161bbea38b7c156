package intake

import (
	"context"
	"io"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// lively answers with a body that always has something to read until the request
// is given up, or never if it is dead.
type lively struct {
	ctx  context.Context
	dead bool
}

func (l *lively) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(&lively{r.Context(), l.dead})}, nil
}

func (l *lively) Read(p []byte) (int, error) {
	if l.dead {
		<-l.ctx.Done()
	}
	if err := l.ctx.Err(); err != nil {
		return 0, err
	}
	return len(p), nil
}

func TestOnlyTheServersSilenceCounts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://localhost", http.NoBody)
		require.NoError(t, err)
		response, err := (&IdleTransport{Next: &lively{}, Timeout: time.Minute}).RoundTrip(request)
		require.NoError(t, err)
		time.Sleep(time.Hour) // the list of sessions is slow
		for range 3 {
			n, err := response.Body.Read(make([]byte, 10))
			require.NoError(t, err)
			assert.Equal(t, 10, n)
			time.Sleep(time.Hour) // a pipeline takes its time
		}
		require.NoError(t, response.Body.Close())

		response, err = (&IdleTransport{Next: &lively{dead: true}, Timeout: time.Minute}).RoundTrip(request)
		require.NoError(t, err)
		before := time.Now()
		_, err = response.Body.Read(make([]byte, 10))
		require.EqualError(t, err, "the server sent nothing for 1m0s")
		assert.Equal(t, time.Minute, time.Since(before))
		require.NoError(t, response.Body.Close())
	})
}
