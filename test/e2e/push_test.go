package e2e

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

const (
	ndjson       = "application/x-ndjson"
	observations = "/v1/observations"
)

// reply holds what the collector answered.
type reply struct {
	status int
	header http.Header
	body   string
}

// post pushes a body of observations. Headers are name, value, name, value …
func (c *collector) post(t *testing.T, body []byte, headers ...string) reply {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+c.mcp+observations, bytes.NewReader(body))
	require.NoError(t, err)
	request.Header.Set("Content-Type", ndjson)
	if c.token != "" {
		request.Header.Set("Authorization", "Bearer "+c.token)
	}
	for i := 0; i < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	response, err := c.client.Do(request)
	require.NoError(t, err)
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	return reply{status: response.StatusCode, header: response.Header, body: string(answer)}
}

// accepts pushes a body of which nothing may be refused.
func (c *collector) accepts(t *testing.T, body []byte, headers ...string) {
	t.Helper()
	r := c.post(t, body, headers...)
	require.Equal(t, http.StatusAccepted, r.status, r.body)
	require.Empty(t, r.body, "an empty body says that every item was good")
}

func gzipped(t *testing.T, body []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	_, err := w.Write(body)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return out.Bytes()
}
