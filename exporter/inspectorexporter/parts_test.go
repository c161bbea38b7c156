package inspectorexporter

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-mcp/otelcol-mcp/exporter/inspectorexporter/internal/sessions"
)

// own makes a span one of a trace and a service of its own.
func own(trace byte, service string, fill func(ptrace.Span)) func(ptrace.Span) {
	return func(s ptrace.Span) {
		fill(s)
		s.SetTraceID(pcommon.TraceID{15: trace})
		if service != "" {
			s.Attributes().PutStr("service.name", service)
		}
	}
}

func (r *running) ids() (ids []string) {
	r.t.Helper()
	page, err := r.board.List(sessions.Query{Limit: 100})
	require.NoError(r.t, err)
	for _, text := range page.Sessions {
		_, id, _ := strings.Cut(string(text), `"id":"`)
		id, _, _ = strings.Cut(id, `"`)
		ids = append(ids, id)
	}
	return ids
}

func (r *running) lines(id string) []string {
	r.t.Helper()
	res, body := r.get("/_inspector/trace/" + id)
	require.Equal(r.t, http.StatusOK, res.StatusCode)
	return strings.Split(strings.TrimSpace(body), "\n")
}

// TestPartsAfterARestart: a session that became part of another one stays so, with all
// that it did, counted once.
func TestPartsAfterARestart(t *testing.T) {
	dir := t.TempDir()
	model := []any{"gen_ai.operation.name", "chat", "gen_ai.usage.input_tokens", 10}
	part := append([]any{"mcp.session.part_of", "a-1"}, model...)
	r := start(t, configFor(dir))
	r.send(started("a-1"), span("a-1", "ai.zero", 40, root, 0, 1, model...))
	r.send(span("child", "ai.first", 41, root, 1, 2, model...))
	r.send(span("child", "ai.second", 42, root, 2, 3, part...))
	r.send(span("child", "ai.third", 43, root, 3, 4, model...))
	before := r.row("a-1")
	assert.Equal(t, []string{"a-1"}, r.ids())
	assert.InDelta(t, 5, before["span_count"], 0)
	assert.Len(t, r.lines("a-1"), 6, "the root and the marker, and four calls")
	r.close()
	assert.NoFileExists(t, filepath.Join(dir, "child.jsonl.gz"))

	for range 2 {
		r = start(t, configFor(dir))
		assert.Equal(t, []string{"a-1"}, r.ids())
		row := r.row("a-1")
		for _, key := range []string{"span_count", "started_at", "trace_bytes"} {
			assert.Equal(t, before[key], row[key], key)
		}
		r.close()
	}

	r = start(t, configFor(dir))
	r.send(span("child", "ai.fourth", 44, root, 4, 5, model...))
	assert.Equal(t, []string{"a-1"}, r.ids(), "what comes later belongs there, too")
	assert.InDelta(t, 6, r.row("a-1")["span_count"], 0)
	r.send(ended("a-1"))
	r.close()
	r = start(t, configFor(dir))
	assert.Equal(t, []string{"a-1"}, r.ids())
	assert.InDelta(t, 7, r.row("a-1")["span_count"], 0, "also where the index has the row")
}

// TestPartsWhoseFileStayed: a crash before the lines were moved loses no count.
func TestPartsWhoseFileStayed(t *testing.T) {
	dir := t.TempDir()
	model := []any{"gen_ai.operation.name", "chat", "gen_ai.usage.input_tokens", 10}
	r := start(t, configFor(dir))
	r.send(started("a-1"), span("child", "ai.first", 41, root, 1, 2, model...))
	r.close()
	require.NoError(t, os.WriteFile(filepath.Join(dir, ".parts.jsonl"), []byte("{\"id\":\"child\",\"whole\":\"a-1\"}\n{}\nnonsense\n"), 0o600))
	r = start(t, configFor(dir))
	assert.Equal(t, []string{"a-1"}, r.ids())
	assert.InDelta(t, 2, r.row("a-1")["span_count"], 0)
}

// TestConversations: frameworks make a trace a turn, and name the conversation in some
// spans of it only, which may be the last ones.
func TestConversations(t *testing.T) {
	dir := t.TempDir()
	chat := []any{"gen_ai.operation.name", "chat", "gen_ai.usage.input_tokens", 10, "gen_ai.request.model", "m-1"}
	tool := []any{"gen_ai.operation.name", "execute_tool", "gen_ai.tool.name", "search"}
	agent := []any{"gen_ai.operation.name", "invoke_agent", "gen_ai.conversation.id", "c-1"}
	r := start(t, configFor(dir))
	for trace := range byte(2) { // children in a batch before that of the span which names the conversation
		at := 10 * int(trace)
		r.send(own(trace+1, "", span("", "chat m-1", 10*trace+11, 10*trace+10, at, at+1, chat...)), own(trace+1, "", span("", "execute_tool search", 10*trace+12, 10*trace+10, at+1, at+2, tool...)))
		assert.Len(t, r.ids(), 1+min(int(trace), 1), "nothing says whose it is yet")
		r.send(own(trace+1, "", span("", "invoke_agent", 10*trace+10, 0, at, at+3, agent...)))
		assert.Equal(t, []string{"c-1"}, r.ids())
	}
	row := r.row("c-1")
	assert.InDelta(t, 6, row["span_count"], 0)
	lines := r.lines("c-1")
	assert.Len(t, lines, 6, "the session's trace has them all")
	r.close()
	r = start(t, configFor(dir))
	assert.Equal(t, []string{"c-1"}, r.ids())
	assert.InDelta(t, 6, r.row("c-1")["span_count"], 0)
}
