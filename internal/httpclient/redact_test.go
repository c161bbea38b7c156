package httpclient

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestRedactURL(t *testing.T) {
	for text, want := range map[string]string{
		"https://mcp.example.com:8443/mcp":                             "https://mcp.example.com:8443/mcp",
		"https://me:hunter2@mcp.example.com/mcp?token=hunter2#hunter2": "https://mcp.example.com/mcp",
		"https://hunter2@mcp.example.com/?":                            "https://mcp.example.com/",
		"https:hunter2":                                                unknown,
		"https://me:hunter2@mcp.example.com/%zz":                       unknown,
		"":                                                             "",
	} {
		assert.Equal(t, want, RedactURL(text))
	}
}

type broken struct{}

func (broken) RoundTrip(*http.Request) (*http.Response, error) { return nil, io.ErrClosedPipe }

func TestRedactError(t *testing.T) {
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://me:hunter2@localhost/mcp?token=hunter2", http.NoBody)
	require.NoError(t, err)
	response, err := (&http.Client{Transport: broken{}}).Do(request)
	if err == nil {
		require.NoError(t, response.Body.Close())
	}
	require.ErrorContains(t, err, "hunter2", "or there would be no need")
	err = RedactError(err)
	require.ErrorIs(t, err, io.ErrClosedPipe)
	assert.Equal(t, `Get "http://localhost/mcp": io: read/write on closed pipe`, err.Error())

	_, err = url.Parse("http://me:hunter2@localhost/" + strings.Repeat("%z", 2))
	require.Error(t, err)
	assert.NotContains(t, RedactError(err).Error(), "hunter2")

	for _, other := range []error{nil, context.Canceled, errors.New("busy")} {
		assert.Equal(t, other, RedactError(other))
	}
}
