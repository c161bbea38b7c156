package inspectorexporter

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestTheGatewayIsReadOnly: what an Inspector controls is answered with where to
// turn to.
func TestTheGatewayIsReadOnly(t *testing.T) {
	r := start(t, configFor(t.TempDir()))
	for path, words := range map[string]string{
		"/_inspector/signal/s-1": "cannot signal or cancel", "/_inspector/cancel/s-1": "cannot signal or cancel",
		"/_inspector/sessions": "read-only", "/_inspector/nosuch": "read-only",
	} {
		res := r.do(http.MethodPost, path)
		body, err := io.ReadAll(res.Body)
		require.NoError(t, err)
		require.NoError(t, res.Body.Close())
		assert.Equal(t, http.StatusMethodNotAllowed, res.StatusCode, path)
		assert.Equal(t, "GET, HEAD", res.Header.Get("Allow"), path)
		var answer struct{ Error string }
		require.NoError(t, json.Unmarshal(body, &answer))
		assert.Contains(t, answer.Error, words, path)
		assert.Contains(t, answer.Error, "read-only", path)
	}
}

// TestLongestSearch: 200 characters are 200 characters, however many bytes.
func TestLongestSearch(t *testing.T) {
	r := start(t, configFor(t.TempDir()))
	for _, character := range []string{"a", "%C3%A9", "%F0%9F%9A%80"} {
		res, body := r.get("/_inspector/sessions?q=" + strings.Repeat(character, 200))
		assert.Equal(t, http.StatusOK, res.StatusCode, body)
		res, body = r.get("/_inspector/sessions?q=" + strings.Repeat(character, 201))
		assert.Equal(t, http.StatusBadRequest, res.StatusCode)
		assert.Contains(t, body, "200 characters")
	}
}

// TestAllSessionsWithoutPages: a client that knows no next_cursor sees all.
func TestAllSessionsWithoutPages(t *testing.T) {
	r := start(t, configFor(t.TempDir()))
	for i := range 222 {
		r.send(started(fmt.Sprintf("s-%d", i)))
	}
	var list struct {
		Sessions []struct{ ID string }
		Next     string `json:"next_cursor"`
	}
	_, body := r.get("/_inspector/sessions")
	require.NoError(t, json.Unmarshal([]byte(body), &list))
	assert.Len(t, list.Sessions, 222)
	assert.Empty(t, list.Next)
	_, body = r.get("/_inspector/sessions?limit=100")
	require.NoError(t, json.Unmarshal([]byte(body), &list))
	assert.Len(t, list.Sessions, 100)
	assert.NotEmpty(t, list.Next)
}
