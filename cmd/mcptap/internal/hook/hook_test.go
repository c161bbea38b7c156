package hook

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-mcp/otelcol-mcp/cmd/mcptap/internal/outbox"
)

func environment(pairs ...string) func(string) string {
	return func(name string) string {
		for i := 0; i < len(pairs); i += 2 {
			if pairs[i] == name {
				return pairs[i+1]
			}
		}
		return ""
	}
}

func TestParse(t *testing.T) {
	for _, args := range []string{
		"claude-code --endpoint http://c/ --otlp-endpoint=http://o", "--endpoint=http://c claude-code --unknown x --otlp-endpoint http://o/",
		"claude-code other --endpoint http://c/v1/observations --otlp-endpoint http://o", "claude-code --endpoint http://c --headers A=b,C=d --otlp-endpoint=http://o",
	} {
		c := Parse(strings.Fields(args), nil)
		assert.Equal(t, "claude-code http://c http://o", c.Agent+" "+c.Endpoint+" "+c.OTLP, args)
	}
	assert.Equal(t, "A=b,C=d", Parse([]string{"codex", "--headers=A=b,C=d"}, nil).Headers)
	assert.Equal(t, "Stop", Parse([]string{"copilot", "--event", "Stop"}, nil).Event)
	assert.Equal(t, "A=b", HeadersOf(environment("MCPTAP_HEADERS", "A=b")))
	assert.Equal(t, "http://c/x", Endpoint(environment("MCPTAP_ENDPOINT", "http://c/x/v1/observations")))
	assert.Equal(t, "http://c", Endpoint(environment("OTELCOL_MCP_URL", "http://c/")))
	assert.Empty(t, Endpoint(environment()))
}

func TestHeaders(t *testing.T) {
	for text, want := range map[string]http.Header{
		"": {}, ",": {}, "x-team=a": {"X-Team": {"a"}}, "X-Team=a%2Fb%20c,X_User=%C3%A9": {"X-Team": {"a/b c"}, "X_user": {"\u00e9"}},
	} {
		got, err := Headers(text)
		require.NoError(t, err, text)
		assert.Equal(t, want, got, text)
	}
	for text, want := range map[string]string{
		"X-Team": `"X-Team" has no =`, "X-Team=": "the value of X-Team", "=a": "not the name of a header", "X Team=a": `"X…" is not the name`, "Authorization: Bearer a": `"Authorization…" has no =`, "X-Team=a b": "%20 for a space",
		"X-Team=%zz": "percent-encoding", "X-Team=%0d%0aY:z": "percent-encoding", "X-Team='$(x)'": "percent-encoding",
		"authorization=Bearer": "set MCPTAP_AUTHORIZATION", "Cookie=a": "would stand in the settings",
	} {
		got, err := Headers(text + ",X-User=u")
		require.ErrorContains(t, err, want, text)
		assert.Equal(t, http.Header{"X-User": {"u"}}, got, "what is valid is sent")
	}
}

func TestSend(t *testing.T) {
	var got *http.Request
	var body string
	collector := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text := make([]byte, 100)
		n, _ := r.Body.Read(text)
		got, body = r.Clone(context.Background()), string(text[:n])
		w.WriteHeader(http.StatusAccepted)
	}))
	defer collector.Close()
	c := Call{
		Agent: "gemini-cli", Endpoint: collector.URL, Home: t.TempDir(), Now: time.Unix(7, 8),
		Headers: "X-Team=a%20b,Content-Type=text/plain,Authorization=c", Event: "SubagentStart",
		Env: environment("TRACEPARENT", "00-1-2-01", "TRACESTATE", "a\r\nb", "MCPTAP_AUTHORIZATION", "Bearer x"),
	}
	require.NoError(t, c.Send(t.Context(), strings.NewReader(`{"session_id":"s"}`)))
	assert.Equal(t, "/v1/hooks/gemini-cli?event=SubagentStart&time=7000000008", got.RequestURI)
	assert.Equal(t, `{"session_id":"s"}`, body)
	assert.Equal(t, "application/json", got.Header.Get("Content-Type"))
	assert.Equal(t, "00-1-2-01", got.Header.Get("Traceparent"))
	assert.Empty(t, got.Header.Get("Tracestate"))
	assert.Equal(t, "Bearer x", got.Header.Get("Authorization"))
	assert.Equal(t, "a b", got.Header.Get("X-Team"))

	got = nil
	require.NoError(t, c.Send(t.Context(), strings.NewReader(" \n")))
	require.NoError(t, c.Send(t.Context(), strings.NewReader(strings.Repeat("x", maxInput+1))))
	assert.Nil(t, got, "what the receiver would refuse is not sent")
}

// What the settings of agents say of their telemetry.
func TestTelemetry(t *testing.T) {
	const claude = `"CLAUDE_CODE_ENABLE_TELEMETRY":"1","CLAUDE_CODE_ENHANCED_TELEMETRY_BETA":"1","OTEL_LOGS_EXPORTER":"otlp","OTEL_TRACES_EXPORTER":"otlp"`
	for name, c := range map[string]struct {
		agent, file, text, want string
		env                     []string
	}{
		"claude":           {"claude-code", ".claude/settings.json", `{"env":{` + claude + `,"OTEL_EXPORTER_OTLP_ENDPOINT":"http://127.0.0.1:4328/"}}`, "logs,traces", nil},
		"claude, logs":     {"claude-code", ".claude/settings.json", `{"env":{` + strings.Replace(claude, `BETA":"1"`, `BETA":"0"`, 1) + `,"OTEL_EXPORTER_OTLP_ENDPOINT":"http://localhost:4328"}}`, "logs", nil},
		"claude elsewhere": {"claude-code", ".claude/settings.json", `{"env":{` + claude + `,"OTEL_EXPORTER_OTLP_ENDPOINT":"http://localhost:4318"}}`, "", nil},
		"claude, project": {
			"claude-code", "p/.claude/settings.local.json", `{"env":{` + claude + `}}`, "logs,traces",
			[]string{"CLAUDE_PROJECT_DIR", "p", "OTEL_EXPORTER_OTLP_ENDPOINT", "http://localhost:4328"},
		},
		"claude, off":                    {"claude-code", ".claude/settings.json", `{`, "", nil},
		"codex":                          {"codex", ".codex/config.toml", "[otel]\nexporter = {otlp-http = {endpoint = \"http://localhost:4328/v1/logs\"}}\n[otel.trace_exporter.otlp-http]\nendpoint = \"http://localhost:4328/v1/traces\"", "logs,traces", nil},
		"codex, other":                   {"codex", ".codex/config.toml", "[otel]\nexporter = \"none\"\ntrace_exporter = {otlp-http = {endpoint = \"http://localhost:4328/v1/logs\"}}", "", nil},
		"gemini":                         {"gemini-cli", ".gemini/settings.json", `{/* c */"telemetry":{"enabled":true,"otlpEndpoint":"http://localhost:4328",}}`, "logs,traces", nil},
		"gemini, off":                    {"gemini-cli", ".gemini/settings.json", `{"telemetry":{"otlpEndpoint":"http://localhost:4328"}}`, "", nil},
		"gemini, traces without details": {"gemini-cli", ".gemini/settings.json", `{"telemetry":{"enabled":true,"otlpEndpoint":"http://localhost:4328","traces":false}}`, "logs,traces", nil},
		"gemini, elsewhere by variable": {
			"gemini-cli", ".gemini/settings.json", `{"telemetry":{"enabled":true,"otlpEndpoint":"http://localhost:4328"}}`, "",
			[]string{"OTEL_EXPORTER_OTLP_ENDPOINT", "http://c:4318"},
		},
		"gemini, here by variable": {
			"gemini-cli", ".gemini/settings.json", `{"telemetry":{"otlpEndpoint":"http://c"}}`, "logs,traces",
			[]string{"GEMINI_TELEMETRY_ENABLED", "1", "OTEL_EXPORTER_OTLP_ENDPOINT", "http://c", "GEMINI_TELEMETRY_OTLP_ENDPOINT", "http://localhost:4328"},
		},
		"gemini, off by variable": {
			"gemini-cli", ".gemini/settings.json", `{"telemetry":{"enabled":true,"otlpEndpoint":"http://localhost:4328"}}`, "",
			[]string{"GEMINI_TELEMETRY_ENABLED", "false"},
		},
		"gemini, into a file by variable": {
			"gemini-cli", ".gemini/settings.json", `{"telemetry":{"enabled":true,"otlpEndpoint":"http://localhost:4328"}}`, "",
			[]string{"GEMINI_TELEMETRY_OUTFILE", "x"},
		},
		"copilot": {"copilot", "x", "", "traces", []string{"OTEL_EXPORTER_OTLP_ENDPOINT", "http://localhost:4328"}},
		"cursor":  {"cursor", "x", "", "", nil},
	} {
		t.Run(name, func(t *testing.T) {
			home := t.TempDir()
			path := filepath.Join(home, c.file)
			require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
			require.NoError(t, os.WriteFile(path, []byte(c.text), 0o600))
			t.Chdir(home)
			call := Call{Agent: c.agent, OTLP: "http://localhost:4328", Home: home, Env: environment(c.env...)}
			assert.Equal(t, c.want, strings.Join(call.telemetry(), ","))
		})
	}
}

// What could not be delivered says for how long.
func TestWhatWaitedSaysSo(t *testing.T) {
	var got []string
	collector := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got = append(got, r.RequestURI)
		w.WriteHeader(http.StatusAccepted)
	}))
	defer collector.Close()
	c := Call{Agent: "codex", Endpoint: collector.URL, State: t.TempDir(), Now: time.Now().Add(-100 * time.Second), Env: environment()}
	box := outbox.New(c.State, c.Endpoint)
	require.NoError(t, box.MarkDown("refused", time.Now()))
	require.NoError(t, c.Send(t.Context(), strings.NewReader(`{"session_id":"s"}`)))
	require.Empty(t, got)
	c.SendWaiting(t.Context())
	require.Len(t, got, 1)
	assert.Regexp(t, fmt.Sprintf(`^/v1/hooks/codex\?time=%d&waited_ms=10\d{4}$`, c.Now.UnixNano()), got[0])
}
