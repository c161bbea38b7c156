package inspectorexporter

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componentstatus"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/config/confighttp"
	"go.opentelemetry.io/collector/config/configoptional"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

func TestPathsThatLeadElsewhere(t *testing.T) {
	parent := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(parent, "secret.jsonl.gz"), []byte("secret"), 0o600))
	r := start(t, configFor(filepath.Join(parent, "sessions")))
	r.send(started("../secret"), started("s-1"))
	for _, id := range []string{
		"..%2fsecret", "%2e%2e%2fsecret", "..%5csecret", "..", "%2e%2e", ".", "%00", "a%00b", "s-1%0d%0aX-Evil:%201", "a.b", "%252e%252e",
		"C:%5cboot.ini", "~", strings.Repeat("a", 129), strings.Repeat("a", 60_000), "%ff", "s-1.jsonl.gz", ".sessions.jsonl",
	} {
		for _, endpoint := range []string{"/_inspector/trace/", "/_inspector/sessions/"} {
			res, body := r.get(endpoint + id)
			assert.Contains(t, []int{http.StatusBadRequest, http.StatusNotFound, http.StatusMovedPermanently, http.StatusTemporaryRedirect}, res.StatusCode, id)
			assert.NotContains(t, body, "secret", id)
			assert.Empty(t, res.Header.Get("X-Evil"))
		}
	}
	for _, name := range []string{"../openapi.yaml", "..%2f..%2fopenapi.yaml", "%2e%2e/webui.go", "nosuch.js", "assets/"} {
		res, body := r.get("/_inspector/ui/" + name)
		assert.NotEqual(t, http.StatusOK, res.StatusCode, name)
		assert.NotContains(t, body, "package", name)
	}
}

func TestForeignPages(t *testing.T) {
	r := start(t, configFor(t.TempDir()))
	for _, path := range []string{"/_inspector/health", "/_inspector/sessions", "/_inspector/trace/s-1", "/_inspector/events", "/_inspector/ui", "/"} {
		for _, headers := range [][]string{
			{"Origin", "https://evil.example"}, {"Origin", "null"}, {"Host", "evil.example"}, {"Host", "127.0.0.1.evil.example:7810"},
		} {
			res := r.do(http.MethodGet, path, headers...)
			require.NoError(t, res.Body.Close())
			assert.Equal(t, http.StatusForbidden, res.StatusCode, "%s %s", path, headers)
			assert.Empty(t, res.Header.Get("Access-Control-Allow-Origin"))
		}
	}
	res := r.do(http.MethodOptions, "/_inspector/sessions", "Origin", r.base, "Access-Control-Request-Method", "GET")
	require.NoError(t, res.Body.Close())
	assert.Empty(t, res.Header.Get("Access-Control-Allow-Origin"))
	res, _ = r.get("/_inspector/health", "Origin", r.base)
	assert.Equal(t, http.StatusOK, res.StatusCode, "the web UI itself")
}

func TestCORSOnlyWhenAsked(t *testing.T) {
	cfg := configFor(t.TempDir())
	cfg.HTTP.CORS = configoptional.Some(confighttp.CORSConfig{AllowedOrigins: []string{"https://ok.example"}})
	r := start(t, cfg)
	res, _ := r.get("/_inspector/health", "Origin", "https://ok.example")
	assert.Equal(t, http.StatusOK, res.StatusCode)
	assert.Equal(t, "https://ok.example", res.Header.Get("Access-Control-Allow-Origin"))
	res, _ = r.get("/_inspector/health", "Origin", "https://evil.example")
	assert.Equal(t, http.StatusForbidden, res.StatusCode)
}

func TestNothingIsRunByABrowser(t *testing.T) {
	r := start(t, configFor(t.TempDir()))
	const hostile = `<script>alert(1)</script>"><img src=x onerror=alert(1)>`
	r.send(func(s ptrace.Span) {
		started("s-1")(s)
		for _, key := range []string{"mcp.session.title", "mcp.client.name", "mcp.host.current_task", "mcp.workflow.engine"} {
			s.Attributes().PutStr(key, hostile)
		}
	})
	for path, kind := range map[string]string{
		"/_inspector/health": "application/json", "/_inspector/sessions": "application/json", "/_inspector/sessions/s-1": "application/json",
		"/_inspector/trace/s-1": "application/x-ndjson", "/_inspector/ui": "text/html; charset=utf-8", "/nosuch": "application/json",
		"/_inspector/trace/" + "nosuch": "application/json",
	} {
		res, body := r.get(path)
		assert.Equal(t, "nosniff", res.Header.Get("X-Content-Type-Options"), path)
		assert.Equal(t, kind, res.Header.Get("Content-Type"), path)
		assert.Equal(t, "DENY", res.Header.Get("X-Frame-Options"), path)
		policy := res.Header.Get("Content-Security-Policy")
		assert.Contains(t, policy, "default-src 'none'", path)
		assert.NotContains(t, policy, "unsafe", path)
		if strings.HasPrefix(kind, "text/html") {
			assert.NotContains(t, body, "<script>", "no inline script")
			assert.NotRegexp(t, `(src|href)="(https?:)?//`, body, "nothing of a third party")
		}
	}
	_, body := r.get("/_inspector/sessions")
	assert.NotContains(t, body, "<script>", "JSON escapes it, too")
	var page struct{ Sessions []struct{ Title string } }
	require.NoError(t, json.Unmarshal([]byte(body), &page))
	assert.Equal(t, hostile, page.Sessions[0].Title)
}

func TestOnlyGet(t *testing.T) {
	r := start(t, configFor(t.TempDir()))
	for _, method := range []string{http.MethodPost, http.MethodPut, http.MethodDelete, http.MethodPatch} {
		res := r.do(method, "/_inspector/sessions")
		require.NoError(t, res.Body.Close())
		assert.Equal(t, http.StatusMethodNotAllowed, res.StatusCode, method)
	}
}

func TestHealthTellsWhoAnswers(t *testing.T) {
	r := start(t, configFor(t.TempDir()))
	res, body := r.get("/_inspector/health")
	require.Equal(t, http.StatusOK, res.StatusCode)
	var health struct{ Name, Version string }
	require.NoError(t, json.Unmarshal([]byte(body), &health))
	assert.Equal(t, "otelcol-mcp", health.Name)
	assert.NotEmpty(t, health.Version)
}

func TestPageIsCachedByTag(t *testing.T) {
	r := start(t, configFor(t.TempDir()))
	res, body := r.get("/_inspector/ui")
	require.Equal(t, http.StatusOK, res.StatusCode)
	assert.NotEmpty(t, body)
	res, _ = r.get("/_inspector/ui", "If-None-Match", res.Header.Get("ETag"))
	assert.Equal(t, http.StatusNotModified, res.StatusCode)
	res, _ = r.get("/")
	assert.Equal(t, "/_inspector/ui", res.Header.Get("Location"))
}

// statusHost remembers the last status.
type statusHost struct {
	component.Host
	last chan componentstatus.Status
}

func (h *statusHost) Report(e *componentstatus.Event) { h.last <- e.Status() }

func TestADiskThatFailsIsAStatus(t *testing.T) {
	dir := t.TempDir()
	host := &statusHost{componenttest.NewNopHost(), make(chan componentstatus.Status, 10)}
	r := startWith(t, configFor(dir), host)
	blocked := filepath.Join(dir, "s-1.jsonl.gz")
	require.NoError(t, os.Mkdir(blocked, 0o700))
	r.send(started("s-1")) // requires that there is no error
	assert.Equal(t, componentstatus.StatusRecoverableError, <-host.last)
	_, health := r.get("/_inspector/health")
	assert.Contains(t, health, `"ok":false`)
	_, lines := r.get("/_inspector/trace/s-1")
	assert.Equal(t, 2, strings.Count(lines, "\n"), "still shown")
	require.NoError(t, os.Remove(blocked))
	assert.Equal(t, componentstatus.StatusOK, <-host.last)
}

func TestQueriesThatAreWrong(t *testing.T) {
	r := start(t, configFor(t.TempDir()))
	for _, query := range []string{
		"limit=0", "limit=10001", "limit=x", "order=x", "state=x", "state=", "cursor=x", "cursor=0.x.a", "cursor=0.1.a/b", "q=" + strings.Repeat("a", 201), "q=" + strings.Repeat("%C3%A9", 201),
	} {
		res, body := r.get("/_inspector/sessions?" + query)
		assert.Equal(t, http.StatusBadRequest, res.StatusCode, query)
		assert.Contains(t, body, strings.SplitN(query, "=", 2)[0], query)
	}
	res, _ := r.get("/_inspector/events?view=x")
	assert.Equal(t, http.StatusBadRequest, res.StatusCode)
}
