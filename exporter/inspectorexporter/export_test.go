package inspectorexporter

import (
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

const exportPath = "/_inspector/sessions/s-1/export?format="

// hostileText ends scripts, comments and lines, if something lets it.
const hostileText = "</script><!--<script>alert(1)</script>\u2028\u2029-->\"'&"

// exporting is an exporter with a session that has a secret in each payload.
func exporting(t *testing.T) *running {
	t.Helper()
	r := start(t, configFor(t.TempDir()))
	r.send(func(s ptrace.Span) {
		started("s-1")(s)
		for _, key := range []string{"mcp.session.title", "mcp.host.current_task", "process.working_directory", "vcs.ref.head.name"} {
			s.Attributes().PutStr(key, "canary "+hostileText)
		}
	}, func(s ptrace.Span) {
		span("s-1", "tool.call", call, root, 1, 3)(s)
		s.Attributes().PutStr("mcp.tool.name", "fetch")
		s.Attributes().PutStr("llm.input_messages.0.message.content", "canary")
		s.Attributes().PutStr("somebodys.own.prompt", "a canary sings")
		s.Attributes().PutEmptySlice("somebodys.list").AppendEmpty().SetEmptyMap().PutStr("x", "canary")
		s.Attributes().PutStr("mcp.tool.input_json", `{"a":"canary"}`)
		s.Status().SetCode(ptrace.StatusCodeError)
		s.Status().SetMessage("canary")
		e := s.Events().AppendEmpty()
		e.SetName("exception")
		e.Attributes().PutStr("mcp.error.message", "canary")
	})
	return r
}

func (r *running) export(query string) (*http.Response, string) {
	r.t.Helper()
	res, body := r.get(exportPath + query)
	require.Equal(r.t, http.StatusOK, res.StatusCode, body)
	return res, body
}

var embedded = regexp.MustCompile(`id="exported" data-session="s-1" data-at="[0-9TZ:.-]+" data-payloads="(true|false)">([A-Za-z0-9+/=]+)</script>`)

// inPage returns what the page in the file has.
func inPage(t *testing.T, file string) (payloads, text string) {
	t.Helper()
	found := embedded.FindStringSubmatch(file)
	require.NotNil(t, found)
	z, err := gzip.NewReader(base64.NewDecoder(base64.StdEncoding, strings.NewReader(found[2])))
	require.NoError(t, err)
	all, err := io.ReadAll(z)
	require.NoError(t, err)
	return found[1], string(all)
}

func TestExportJSON(t *testing.T) {
	r := exporting(t)
	res, body := r.export("json")
	assert.Equal(t, `attachment; filename="s-1.json"`, res.Header.Get("Content-Disposition"))
	var got struct {
		Session map[string]any
		Spans   []map[string]any
	}
	require.NoError(t, json.Unmarshal([]byte(body), &got))
	assert.Equal(t, r.row("s-1"), got.Session)
	_, lines := r.get(path)
	assert.Len(t, got.Spans, strings.Count(lines, "\n"))
	for line := range strings.Lines(lines) {
		assert.Contains(t, body, strings.TrimSuffix(line, "\n"))
	}
}

func TestExportOTLP(t *testing.T) {
	_, body := exporting(t).export("otlp")
	require.Equal(t, 1, strings.Count(body, "\n"))
	td, err := (&ptrace.JSONUnmarshaler{}).UnmarshalTraces([]byte(body))
	require.NoError(t, err)
	assert.Equal(t, 2, td.SpanCount(), "the span that runs has no end to export")
	assert.Contains(t, body, "canary")
}

func TestExportHTML(t *testing.T) {
	r := exporting(t)
	res, body := r.export("html")
	assert.Equal(t, `attachment; filename="s-1.html"`, res.Header.Get("Content-Disposition"))
	payloads, text := inPage(t, body)
	assert.Equal(t, "true", payloads)
	row, lines, _ := strings.Cut(text, "\n")
	want, err := json.Marshal(r.row("s-1"))
	require.NoError(t, err)
	assert.JSONEq(t, string(want), row)
	_, stored := r.get(path)
	assert.Equal(t, stored, lines)

	assert.Equal(t, 4, strings.Count(body, "</script>"), "nothing that an agent sent ends a script")
	for _, markup := range []string{"<!--", "alert(1)</script>", `src="/_inspector`} {
		assert.NotContains(t, body, markup)
	}
	assert.Contains(t, body, "default-src 'none'")
	assert.Less(t, len(body), 450_000, "what the page itself takes")
}

func TestExportWithoutPayloads(t *testing.T) {
	r := exporting(t)
	for _, format := range []string{"json", "otlp", "html"} {
		_, body := r.export(format + "&payloads=false")
		if format == "html" {
			var payloads string
			payloads, body = inPage(t, body)
			assert.Equal(t, "false", payloads)
		}
		assert.NotContains(t, body, "canary", format)
		assert.Contains(t, body, "fetch", format)
		assert.Contains(t, body, "tool.call", format)
	}
	_, body := r.export("json&payloads=false")
	assert.Contains(t, body, `"title":"s-1"`)
}

func TestExportRefuses(t *testing.T) {
	r := exporting(t)
	for query, want := range map[string]int{
		exportPath: http.StatusBadRequest, exportPath + "pdf": http.StatusBadRequest, exportPath + "json&payloads=some": http.StatusBadRequest,
		"/_inspector/sessions/missing/export?format=json": http.StatusNotFound, "/_inspector/sessions/a.b/export?format=json": http.StatusBadRequest,
	} {
		res, body := r.get(query)
		assert.Equal(t, want, res.StatusCode, query)
		assert.Contains(t, body, `"error"`, query)
	}
}
