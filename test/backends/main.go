// Command backends sends a feed to a collector and prints what there is in it, so that what a
// backend shows can be held against the truth:
//
//	go run ./test/backends http://localhost:4319 http://localhost:4328
package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
)

// Truth is what the feed contains of one session.
type Truth struct {
	Session, Service string
	ToolCalls        int   // of MCP
	InputTokens      int64 // of all calls of models, with what came from caches
}

// agents are the recordings of coding agents' spans. Of their input tokens, the recorder's
// model counted as many.
var agents = []struct {
	folder string
	truth  Truth
}{
	{"claudecode", Truth{Service: "claude-code", InputTokens: 19813}},
	{"codex", Truth{Service: "codex", InputTokens: 19850}},
	{"copilot", Truth{Service: "github-copilot", InputTokens: 19813}},
	{"geminicli", Truth{Service: "gemini-cli", InputTokens: 19813}},
	{"opencode", Truth{Service: "opencode", InputTokens: 12777}},
}

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: backends MCP-URL OTLP-URL, in the root of the repository")
		os.Exit(1)
	}
	truths, err := feed(".", os.Args[1], os.Args[2])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	out := json.NewEncoder(os.Stdout)
	for _, truth := range truths {
		_ = out.Encode(truth)
	}
}

// feed sends all: recorded sessions of MCP, an Inspector's workflow, a call whose server sends
// spans of its own, and the spans of five coding agents as their exporters send them.
func feed(root, mcp, otlp string) (truths []Truth, err error) {
	for _, name := range []string{"everything", "waits"} {
		body, err := os.ReadFile(filepath.Join(root, "test", "peers", "transcripts", name+".ndjson"))
		if err != nil {
			return nil, err
		}
		truths = append(truths, Truth{Session: "s-" + name, Service: "mcp-client", ToolCalls: bytes.Count(body, []byte(`"method":"tools/call"`))})
		if err := post(mcp+"/v1/observations", body); err != nil {
			return nil, err
		}
	}
	if err := errors.Join(
		post(mcp+"/v1/inspector/events", []byte(workflow)),
		post(mcp+"/v1/observations", []byte(called)),
		send(otlp, served()),
	); err != nil {
		return nil, err
	}
	truths = append(truths, Truth{Session: "s-workflow", Service: "mcp-agent"}, Truth{Session: "s-stitched", Service: "shop-agent", ToolCalls: 1})
	for _, agent := range agents {
		if agent.folder == "codex" { // its spans have no tokens
			logs, err := os.ReadFile(filepath.Join(root, "internal", "agent", agent.folder, "testdata", "session.logs.json"))
			if err != nil {
				return nil, err
			}
			if err := post(otlp+"/v1/logs", logs); err != nil {
				return nil, err
			}
		}
		recorded, err := read(filepath.Join(root, "internal", "agent", agent.folder, "testdata", "session.traces.json"))
		if err != nil {
			return nil, err
		}
		for _, request := range inRequests(recorded) {
			if err := send(otlp, request); err != nil {
				return nil, err
			}
		}
		truths = append(truths, agent.truth)
	}
	return truths, nil
}

const workflow = `[{"type":"SessionStarted","session_id":"s-workflow","timestamp":"2026-02-19T16:00:00Z","engine":"mcp-agent","title":"RouterWorkflow"},
{"type":"ResourceFetched","session_id":"s-workflow","timestamp":"2026-02-19T16:00:01Z","uri":"file:///a","mime_type":"text/plain","bytes":3},
{"type":"ProgressUpdate","session_id":"s-workflow","timestamp":"2026-02-19T16:00:02Z","progress_token":"p","percent":50,"message":"half"},
{"type":"SessionFinished","session_id":"s-workflow","timestamp":"2026-02-19T16:00:03Z","status":"completed"}]`

// called is a call of a tool, as its client's side shows it; served is what its server sends.
const called = `{"time":"2026-02-19T16:00:00Z","session":"s-stitched","client":"shop-agent","server":"prices","message":{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"price","_meta":{"mcp.request_id":"price-0001"}}}}
{"time":"2026-02-19T16:00:02Z","session":"s-stitched","client":"shop-agent","server":"prices","message":{"jsonrpc":"2.0","id":1,"result":{"content":[]}}}
{"time":"2026-02-19T16:00:03Z","session":"s-stitched","end":{"reason":"closed"}}`

func served() ptrace.Traces {
	td := ptrace.NewTraces()
	rs := td.ResourceSpans().AppendEmpty()
	rs.Resource().Attributes().PutStr("service.name", "prices")
	spans := rs.ScopeSpans().AppendEmpty().Spans()
	for i, name := range []string{"tools/call price", "SELECT prices"} {
		s := spans.AppendEmpty()
		s.SetName(name)
		s.SetTraceID(pcommon.TraceID{15: 7})
		s.SetSpanID(pcommon.SpanID{7: byte(i + 1)})
		s.SetStartTimestamp(1771516800_500000000)
		s.SetEndTimestamp(1771516801_000000000)
	}
	spans.At(0).SetKind(ptrace.SpanKindServer)
	spans.At(0).Attributes().PutStr("mcp.request_id", "price-0001")
	spans.At(1).SetParentSpanID(pcommon.SpanID{7: 1})
	return td
}

// read reads a recording. Of the agent's internal spans it has no more than a few; those that
// others name as their parent are added as the agent sends them.
func read(path string) (ptrace.Traces, error) {
	all := ptrace.NewTraces()
	text, err := os.ReadFile(path)
	if err != nil {
		return all, err
	}
	documents := json.NewDecoder(bytes.NewReader(text))
	for {
		var document json.RawMessage
		if err := documents.Decode(&document); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return all, fmt.Errorf("%s: %w", path, err)
		}
		td, err := (&ptrace.JSONUnmarshaler{}).UnmarshalTraces(document)
		if err != nil {
			return all, fmt.Errorf("%s: %w", path, err)
		}
		td.ResourceSpans().MoveAndAppendTo(all.ResourceSpans())
	}
	addParents(all)
	return all, nil
}

type spanID struct {
	trace pcommon.TraceID
	span  pcommon.SpanID
}

func addParents(all ptrace.Traces) {
	known, turns := map[spanID]bool{}, map[pcommon.TraceID][]ptrace.Span{}
	for s := range each(all) {
		known[spanID{s.TraceID(), s.SpanID()}] = true
		if s.Name() == "session_task.turn" {
			turns[s.TraceID()] = append(turns[s.TraceID()], s)
		}
	}
	for _, rs := range all.ResourceSpans().All() {
		for _, ss := range rs.ScopeSpans().All() {
			for i := range ss.Spans().Len() {
				child := ss.Spans().At(i)
				id := spanID{child.TraceID(), child.ParentSpanID()}
				if id.span.IsEmpty() || known[id] {
					continue
				}
				known[id] = true
				parent := ss.Spans().AppendEmpty()
				child.CopyTo(parent)
				parent.SetSpanID(id.span)
				parent.SetParentSpanID(pcommon.SpanID{})
				parent.SetName("internal")
				parent.Attributes().Clear()
				for _, turn := range turns[id.trace] {
					if turn.SpanID() != child.SpanID() && turn.StartTimestamp() <= child.StartTimestamp() && child.EndTimestamp() <= turn.EndTimestamp() {
						parent.SetParentSpanID(turn.SpanID())
					}
				}
			}
		}
	}
}

func each(td ptrace.Traces) func(func(ptrace.Span) bool) {
	return func(yield func(ptrace.Span) bool) {
		for _, rs := range td.ResourceSpans().All() {
			for _, ss := range rs.ScopeSpans().All() {
				for _, s := range ss.Spans().All() {
					if !yield(s) {
						return
					}
				}
			}
		}
	}
}

// inRequests are the spans in the order in which they end, five a request.
func inRequests(all ptrace.Traces) (requests []ptrace.Traces) {
	type placed struct {
		rs   ptrace.ResourceSpans
		ss   ptrace.ScopeSpans
		span ptrace.Span
	}
	var spans []placed
	for _, rs := range all.ResourceSpans().All() {
		for _, ss := range rs.ScopeSpans().All() {
			for _, s := range ss.Spans().All() {
				spans = append(spans, placed{rs, ss, s})
			}
		}
	}
	slices.SortStableFunc(spans, func(a, b placed) int { return cmp.Compare(a.span.EndTimestamp(), b.span.EndTimestamp()) })
	for part := range slices.Chunk(spans, 5) {
		td := ptrace.NewTraces()
		for _, p := range part {
			rs := td.ResourceSpans().AppendEmpty()
			p.rs.Resource().CopyTo(rs.Resource())
			ss := rs.ScopeSpans().AppendEmpty()
			p.ss.Scope().CopyTo(ss.Scope())
			p.span.CopyTo(ss.Spans().AppendEmpty())
		}
		requests = append(requests, td)
	}
	return requests
}

func send(otlp string, td ptrace.Traces) error {
	body, err := ptraceotlp.NewExportRequestFromTraces(td).MarshalJSON()
	if err != nil {
		return err
	}
	return post(otlp+"/v1/traces", body)
}

func post(url string, body []byte) error {
	response, err := http.Post(url, "application/json", bytes.NewReader(body))
	if err != nil {
		return err
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	if response.StatusCode >= http.StatusBadRequest || strings.Contains(string(answer), "rejected") {
		return fmt.Errorf("%s: %s: %s", url, response.Status, answer)
	}
	return nil
}
