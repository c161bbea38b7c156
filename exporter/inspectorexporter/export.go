package inspectorexporter

import (
	"bufio"
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io"
	"net/http"
	"regexp"
	"strings"
	"time"
	"unicode"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.uber.org/zap"

	"github.com/otelcol-mcp/otelcol-mcp/exporter/inspectorexporter/internal/sessions"
	"github.com/otelcol-mcp/otelcol-mcp/exporter/inspectorexporter/internal/store"
	"github.com/otelcol-mcp/otelcol-mcp/internal/dialect"
	"github.com/otelcol-mcp/otelcol-mcp/internal/inspectorwire"
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// exported is one session on its way into one file.
type exported struct {
	id       string
	row      []byte // JSON
	lines    *store.Trace
	payloads bool
	now      time.Time
}

// exportFormats has the media type, the extension and the writer of each format.
var exportFormats = map[string]struct {
	media, extension string
	write            func(*exported, io.Writer) error
}{
	"html": {"text/html; charset=utf-8", ".html", (*exported).html},
	"json": {"application/json", ".json", (*exported).json},
	"otlp": {"application/x-ndjson", ".otlp.jsonl", (*exported).otlp},
}

// Errors of the parameters of an export.
var (
	errFormat   = errors.New("format: html, json or otlp")
	errPayloads = errors.New("payloads: true or false")
)

// export sends a session as one file to be saved.
func (g *gateway) export(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	format, known := exportFormats[q.Get("format")]
	payloads := q.Get("payloads")
	x := exported{id: r.PathValue("session_id"), payloads: payloads != "false", now: time.Now()}
	switch {
	case !known:
		refuse(w, http.StatusBadRequest, errFormat.Error())
		return
	case payloads != "" && payloads != "true" && payloads != "false":
		refuse(w, http.StatusBadRequest, errPayloads.Error())
		return
	}
	var err error
	if x.lines, err = g.find(x.id); err != nil {
		g.refuseTrace(w, x.id, err)
		return
	}
	if x.row, known = g.board.Row(x.id); !known {
		refuse(w, http.StatusNotFound, store.ErrMissing.Error())
		return
	}
	if !x.payloads {
		x.row = rowWithoutPayloads(x.row)
	}
	w.Header().Set("Content-Type", format.media)
	w.Header().Set("Content-Disposition", `attachment; filename="`+x.id+format.extension+`"`) // the id was checked
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(writeTimeout))
	if r.Method == http.MethodHead {
		return
	}
	if err = format.write(&x, w); err != nil {
		g.log.Warn("An export was cut short", zap.String("session", x.id), zap.Error(err))
		panic(http.ErrAbortHandler) // a file that is cut short must not look whole
	}
}

// json writes the row and the spans' lines as one object.
func (x *exported) json(w io.Writer) error {
	if _, err := fmt.Fprintf(w, "{\"session\":%s,\"spans\":[\n", x.row); err != nil {
		return err
	}
	separator := ""
	err := x.eachLine(func(line []byte) error {
		_, err := fmt.Fprintf(w, "%s%s", separator, line)
		separator = ",\n"
		return err
	})
	if err == nil {
		_, err = io.WriteString(w, "\n]}\n")
	}
	return err
}

// otlp writes the spans that have an end as OTLP/JSON, a request a line.
func (x *exported) otlp(w io.Writer) error {
	return x.eachBatch(inspectorwire.NewSpans(""), func(td ptrace.Traces) error {
		text, err := (&ptrace.JSONMarshaler{}).MarshalTraces(td)
		if err == nil {
			_, err = w.Write(append(text, '\n'))
		}
		return err
	})
}

// html writes the web UI with the session in it: a page that needs no server.
func (x *exported) html(w io.Writer) error {
	var row struct {
		Title string `json:"title"`
	}
	if err := json.Unmarshal(x.row, &row); err != nil {
		return err
	}
	files := assets()
	theme, page := inlineScript(files["/theme.js"].body), inlineScript(files["/page.js"].body)
	style := string(files["/index.css"].body)
	policy := "default-src 'none'; script-src " + sourceOf(theme) + " " + sourceOf(page) + "; style-src " + sourceOf(style) +
		"; worker-src blob:; img-src data:; base-uri 'none'; form-action 'none'"
	icon := "data:image/svg+xml;base64," + base64.StdEncoding.EncodeToString(files["/icon.svg"].body)
	if _, err := fmt.Fprintf(w, exportHead, policy, html.EscapeString(row.Title), icon, theme, style, inlineScript(files["/worker.js"].body),
		x.id, sessions.Time(x.now.UnixNano()), x.payloads); err != nil {
		return err
	}
	encoded := base64.NewEncoder(base64.StdEncoding, w)
	z, _ := gzip.NewWriterLevel(encoded, gzip.BestCompression) // the level is valid
	if _, err := fmt.Fprintf(z, "%s\n", x.row); err != nil {
		return err
	}
	err := x.eachLine(func(line []byte) error {
		_, err := fmt.Fprintf(z, "%s\n", line)
		return err
	})
	if err = errors.Join(err, z.Close(), encoded.Close()); err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, exportTail, page)
	return err
}

// exportHead and exportTail surround the session's row and lines, which are gzip in base64.
const (
	exportHead = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="%s">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>%s</title>
<link rel="icon" type="image/svg+xml" href="%s">
<script>%s</script>
<style>%s</style>
</head>
<body>
<div id="app"></div>
<noscript>This page needs JavaScript.</noscript>
<script type="text/plain" id="worker">%s</script>
<script type="text/plain" id="exported" data-session="%s" data-at="%s" data-payloads="%t">`
	exportTail = "</script>\n<script type=\"module\">%s</script>\n</body>\n</html>\n"
)

// markup is what ends or changes the parsing of a script element. It occurs in literals
// only, where \x3c is the same.
var markup = regexp.MustCompile(`(?i)<(!--|/?script)`)

func inlineScript(body []byte) string { return markup.ReplaceAllString(string(body), `\x3c$1`) }

// sourceOf returns the source expression that allows an inline script or style.
func sourceOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// eachLine visits the session's lines, without line feeds and, if payloads are unwanted,
// without these.
func (x *exported) eachLine(visit func([]byte) error) error {
	if x.payloads {
		return x.scan(visit)
	}
	return x.eachBatch(inspectorwire.NewSpansWithRunning(), func(td ptrace.Traces) (err error) {
		each(td, func(r ptrace.ResourceSpans, s ptrace.ScopeSpans, span ptrace.Span) {
			if err == nil {
				line := inspectorwire.AppendSpan(nil, r, s, span, "")
				err = visit(line[:len(line)-1])
			}
		})
		return err
	})
}

// maxBatch is how many bytes of lines are converted at once.
const maxBatch = 4 << 20

// eachBatch visits the lines as spans. Lines that are no span are left out.
func (x *exported) eachBatch(spans *inspectorwire.Spans, visit func(ptrace.Traces) error) error {
	size := 0
	flush := func() error {
		size = 0
		td := spans.Traces()
		if td.SpanCount() == 0 {
			return nil
		}
		if !x.payloads {
			removePayloads(td)
		}
		return visit(td)
	}
	err := x.scan(func(line []byte) error {
		_, _ = spans.Add(line) // what is no span is left out
		if size += len(line); size < maxBatch {
			return nil
		}
		return flush()
	})
	if err != nil {
		return err
	}
	return flush()
}

// scan visits the stored lines.
func (x *exported) scan(visit func([]byte) error) error {
	lines := x.lines.Lines(0, x.lines.Size)
	defer lines.Close()
	from := bufio.NewReaderSize(lines, 64<<10)
	for {
		line, err := from.ReadBytes('\n')
		if n := len(line); n > 1 && line[n-1] == '\n' {
			if err := visit(line[:n-1]); err != nil {
				return err
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// removePayloads leaves names, sizes, times and codes. What agents send under keys of their
// own is judged by its form.
func removePayloads(td ptrace.Traces) {
	exact, prefixes := map[string]bool{}, []string(nil)
	for _, key := range dialect.Payloads() {
		if prefix, open := strings.CutSuffix(key, "*"); open {
			prefixes = append(prefixes, prefix)
		} else {
			exact[key] = true
		}
	}
	isPayload := func(key string, v pcommon.Value) bool {
		if mcpconv.IsPayload(key) || exact[key] || isProse(v) {
			return true
		}
		for _, prefix := range prefixes {
			if strings.HasPrefix(key, prefix) {
				return true
			}
		}
		return false
	}
	each(td, func(r ptrace.ResourceSpans, _ ptrace.ScopeSpans, span ptrace.Span) {
		r.Resource().Attributes().RemoveIf(isPayload)
		span.Attributes().RemoveIf(isPayload)
		span.Status().SetMessage("")
		for _, e := range span.Events().All() {
			e.Attributes().RemoveIf(isPayload)
		}
	})
}

// longestName is the longest value that may be a name, an id or an address.
const longestName = 256

// isProse reports whether a value has words, or a structure of any kind.
func isProse(v pcommon.Value) bool {
	switch v.Type() {
	case pcommon.ValueTypeStr:
		return len(v.Str()) > longestName || strings.ContainsFunc(v.Str(), unicode.IsSpace)
	case pcommon.ValueTypeMap, pcommon.ValueTypeBytes:
		return true
	case pcommon.ValueTypeSlice:
		for _, item := range v.Slice().All() {
			if isProse(item) {
				return true
			}
		}
	}
	return false
}

// rowPayloads are the members of a row, at any depth, that have what people and models said.
var rowPayloads = map[string]bool{
	"title": true, "current_task": true, "error": true, "detail": true, "prompt": true, "message": true, "about": true, "directory": true, "branch": true,
}

func rowWithoutPayloads(row []byte) []byte {
	var v any
	if json.Unmarshal(row, &v) != nil { // a row is JSON
		return []byte("{}")
	}
	m, _ := v.(map[string]any)
	dropMembers(m)
	m["title"] = m["id"]
	text, _ := json.Marshal(m) // nothing in it can fail
	return text
}

func dropMembers(v any) {
	switch v := v.(type) {
	case map[string]any:
		for key, value := range v {
			if rowPayloads[key] {
				delete(v, key)
			} else {
				dropMembers(value)
			}
		}
	case []any:
		for _, item := range v {
			dropMembers(item)
		}
	}
}
