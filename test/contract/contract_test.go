// Package contract checks the running collector against the description of the Inspector gateway. It is a
// module of its own, so that the validator's dependencies stay out of ours.
package contract

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/gorillamux"
)

// gateway is a running collector and its description.
type gateway struct {
	t           *testing.T
	doc         *openapi3.T
	router      routers.Router
	page, input string
	seen        map[string]bool // operation and status
}

func TestContract(t *testing.T) {
	g := start(t)
	g.say(`{"time":"%s","session":"live-1","host":"live-1","direction":"client_to_server","message":{"jsonrpc":"2.0","method":"notifications/host.heartbeat","params":{"phase":"working","tokens_used":50000,"tokens_limit":200000,"current_task":"Read the log","tool_calls_total":3}}}`)
	events := g.events("/_inspector/events?view=board")
	g.say(`{"time":"%s","session":"live-1","client":"claude","server":"files","message":{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"grep","arguments":{"q":"x"}}}}`)
	g.say(`{"time":"%s","session":"live-1","message":{"jsonrpc":"2.0","id":2,"method":"elicitation/create","params":{"message":"May I?","requestedSchema":{"type":"object"}}}}`)
	g.say(`{"time":"%s","session":"live-1","message":{"jsonrpc":"2.0","id":2,"result":{"action":"accept"}}}`)
	g.say(`{"time":"%s","session":"done-1","message":{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"fail"}}}`)
	g.say(`{"time":"%s","session":"done-1","message":{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"no"}}}`)
	g.say(`{"time":"%s","session":"done-1","end":{"reason":"closed","exit_code":2}}`)
	g.say(`{"time":"%s","message":{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"up"}}}`)
	g.say(`{"time":"%s","session":"live-1","message":{"jsonrpc":"2.0","id":3,"method":"resources/read","params":{"uri":"file:///a"}}}`)
	g.say(`{"time":"%s","session":"live-1","message":{"jsonrpc":"2.0","id":3,"result":{"contents":[{"uri":"file:///a","mimeType":"text/plain","text":"a"}]}}}`)
	g.say(`{"time":"%s","session":"live-1","message":{"jsonrpc":"2.0","id":4,"method":"prompts/get","params":{"name":"review","arguments":{"lang":"go"}}}}`)
	g.say(`{"time":"%s","session":"live-1","message":{"jsonrpc":"2.0","id":4,"result":{"messages":[]}}}`)
	g.say(`{"time":"%s","session":"live-1","message":{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"none","progress":1,"total":2}}}`)
	g.say(`{"time":"%s","session":"live-1","host":"live-1","direction":"client_to_server","message":{"jsonrpc":"2.0","method":"notifications/host.error","params":{"error_type":"rate_limit","message":"slow down","retrying":true,"retry_count":2}}}`)
	kinds := g.read(events, "ResourceFetched", "PromptUsed", "ProgressUpdate", "SessionFinished", "SessionChanged", "StreamChanged")
	for _, kind := range []string{"Connected", "SessionStarted", "WaitingOnSignal", "SignalReceived", "SessionChanged", "SessionFinished"} {
		if !kinds[kind] {
			t.Errorf("the stream had no %s", kind)
		}
	}
	g.requests()
	var row struct {
		HostError struct {
			Type       string `json:"type"`
			RetryCount int    `json:"retry_count"`
		} `json:"host_error"`
		ToolCalls int `json:"tool_calls"`
	}
	for range 100 { // the last state record may come a moment later
		if g.decode(g.get("/_inspector/sessions/live-1"), &row); row.HostError.Type != "" {
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	if row.HostError.Type != "rate_limit" || row.HostError.RetryCount != 2 || row.ToolCalls != 3 {
		t.Errorf("the row does not say what its host does: %+v", row)
	}
	g.complete()
}

// requests makes every kind of request there is, and more.
func (g *gateway) requests() {
	var page struct {
		Next string `json:"next_cursor"`
	}
	g.decode(g.get("/_inspector/sessions?limit=1"), &page)
	g.get("/_inspector/health")
	g.get("/_inspector/sessions")
	g.get("/_inspector/streams")
	g.get("/_inspector/sessions?limit=1&cursor=" + page.Next)
	g.get("/_inspector/sessions?order=attention&state=running,waiting,failed&q=LIVE")
	g.get("/_inspector/sessions/totals")
	g.get("/_inspector/sessions/totals?since=2026-01-01T00:00:00Z")
	g.bad("/_inspector/sessions/totals?since=yesterday")
	g.bad("/_inspector/sessions?limit=0")
	g.bad("/_inspector/sessions?order=worst")
	g.bad("/_inspector/sessions?cursor=nonsense")
	g.get("/_inspector/sessions/live-1")
	g.get("/_inspector/sessions/missing")
	g.bad("/_inspector/sessions/a.b")
	for _, query := range []string{"html", "json", "otlp", "json&payloads=false", "html&payloads=true"} {
		g.get("/_inspector/sessions/live-1/export?format=" + query)
	}
	g.bad("/_inspector/sessions/live-1/export?format=pdf")
	g.get("/_inspector/sessions/missing/export?format=json")
	trace := g.get("/_inspector/trace/live-1")
	g.lines(trace)
	g.get("/_inspector/trace/live-1", "Range", "bytes=10-20")
	g.get("/_inspector/trace/live-1", "Range", "bytes=99999999-")
	g.get("/_inspector/trace/live-1", "Accept-Encoding", "gzip")
	g.get("/_inspector/trace/live-1?download=1")
	g.get("/_inspector/trace/live-1", "If-None-Match", g.head("/_inspector/trace/live-1").Get("ETag"))
	g.get("/_inspector/trace/missing")
	g.bad("/_inspector/trace/a.b")
	g.bad("/_inspector/events?view=none")
	g.get("/_inspector/ui")
	for _, path := range []string{"health", "sessions", "sessions/totals", "streams", "sessions/live-1", "sessions/live-1/export?format=json", "trace/live-1", "events", "ui"} {
		g.get("/_inspector/"+path, "Origin", "https://evil.example")
	}
}

// complete fails if an answer that is described was never seen; two cannot be brought about here.
func (g *gateway) complete() {
	for _, item := range g.doc.Paths.Map() {
		for _, operation := range item.Operations() {
			for status := range operation.Responses.Map() {
				key := operation.OperationID + " " + status
				if key != "events 503" && key != "ui 404" && !g.seen[key] {
					g.t.Errorf("no request was answered like %s", key)
				}
			}
		}
	}
}

func (g *gateway) get(path string, headers ...string) []byte { return g.request(path, true, headers) }

// bad is a request that the description forbids; the answer must be described all the same.
func (g *gateway) bad(path string) { g.request(path, false, nil) }

func (g *gateway) request(path string, allowed bool, headers []string) []byte {
	g.t.Helper()
	req, err := http.NewRequestWithContext(context.Background(), http.MethodGet, g.page+path, http.NoBody)
	g.must(err)
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	res, err := (&http.Transport{DisableCompression: true, DisableKeepAlives: true}).RoundTrip(req)
	g.must(err)
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	g.must(err)
	g.validate(req, res, body, allowed)
	return body
}

func (g *gateway) validate(req *http.Request, res *http.Response, body []byte, allowed bool) {
	g.t.Helper()
	route, params, err := g.router.FindRoute(req)
	g.must(err)
	g.seen[fmt.Sprintf("%s %d", route.Operation.OperationID, res.StatusCode)] = true
	in := &openapi3filter.RequestValidationInput{Request: req, PathParams: params, Route: route}
	if err := openapi3filter.ValidateRequest(context.Background(), in); (err == nil) != allowed {
		g.t.Errorf("%s: the description says of the request: %v", req.URL, err)
	}
	if !allowed && res.StatusCode != http.StatusBadRequest {
		g.t.Errorf("%s: %d", req.URL, res.StatusCode)
	}
	out := &openapi3filter.ResponseValidationInput{
		RequestValidationInput: in, Status: res.StatusCode, Header: res.Header,
		Options: &openapi3filter.Options{IncludeResponseStatus: true},
	}
	if err := openapi3filter.ValidateResponse(context.Background(), out.SetBodyBytes(body)); err != nil {
		g.t.Errorf("%s: %d %s: %v", req.URL, res.StatusCode, res.Header.Get("Content-Type"), err)
	}
}

func (g *gateway) head(path string) http.Header {
	res, err := http.Get(g.page + path)
	g.must(err)
	g.must(res.Body.Close())
	return res.Header
}

// lines checks each line of a trace.
func (g *gateway) lines(trace []byte) {
	n := 0
	for line := range bytes.Lines(trace) {
		g.schema("SpanLine", line)
		n++
	}
	if n == 0 {
		g.t.Error("the trace has no lines")
	}
}

func (g *gateway) schema(name string, text []byte) {
	g.t.Helper()
	var v any
	g.decode(text, &v)
	if err := g.doc.Components.Schemas[name].Value.VisitJSON(v); err != nil {
		g.t.Errorf("%s is no %s: %v", text, name, err)
	}
}

func (g *gateway) events(path string) *bufio.Reader {
	req, err := http.NewRequestWithContext(g.t.Context(), http.MethodGet, g.page+path, http.NoBody)
	g.must(err)
	res, err := http.DefaultClient.Do(req)
	g.must(err)
	g.t.Cleanup(func() { _ = res.Body.Close() })
	if res.StatusCode != http.StatusOK || !strings.HasPrefix(res.Header.Get("Content-Type"), "text/event-stream") {
		g.t.Fatalf("%s: %d %s", path, res.StatusCode, res.Header)
	}
	g.seen["events 200"] = true
	return bufio.NewReader(res.Body)
}

// read checks each event until the last ones were seen.
func (g *gateway) read(in *bufio.Reader, last ...string) map[string]bool {
	kinds := map[string]bool{}
	for done := false; !done; {
		line, err := in.ReadString('\n')
		g.must(err)
		data, ok := strings.CutPrefix(line, "data: ")
		if !ok {
			continue
		}
		var event struct{ Type string }
		g.decode([]byte(data), &event)
		g.schema("Event", []byte(data))
		g.schema(event.Type, []byte(data))
		kinds[event.Type] = true
		done = true
		for _, kind := range last {
			done = done && kinds[kind]
		}
	}
	return kinds
}

// say sends one observation, now.
func (g *gateway) say(format string) {
	g.t.Helper()
	line := fmt.Sprintf(format, time.Now().UTC().Format(time.RFC3339Nano))
	res, err := http.Post(g.input+"/v1/observations", "application/x-ndjson", strings.NewReader(line+"\n"))
	g.must(err)
	body, _ := io.ReadAll(res.Body)
	g.must(res.Body.Close())
	if res.StatusCode != http.StatusAccepted {
		g.t.Fatalf("%s: %d %s", line, res.StatusCode, body)
	}
}

func (g *gateway) decode(text []byte, v any) {
	g.t.Helper()
	if err := json.Unmarshal(text, v); err != nil {
		g.t.Fatalf("%s: %v", text, err)
	}
}

func (g *gateway) must(err error) {
	g.t.Helper()
	if err != nil {
		g.t.Fatal(err)
	}
}

// start runs the collector that OTELCOL_MCP names until the test ends.
func start(t *testing.T) *gateway {
	binary := os.Getenv("OTELCOL_MCP")
	if binary == "" {
		if os.Getenv("CI") != "" {
			t.Fatal("OTELCOL_MCP must name the collector")
		}
		t.Skip("OTELCOL_MCP names no collector")
	}
	g := &gateway{t: t, seen: map[string]bool{}}
	input, page := free(t), free(t)
	g.input, g.page = "http://"+input, "http://"+page
	g.describe()
	cmd := exec.Command(binary, "--config", "embedded:default", "--config", fmt.Sprintf(`yaml:
receivers: {mcp: {http: {endpoint: "%s"}, otlp: {protocols: {grpc: {endpoint: "localhost:0"}, http: {endpoint: "localhost:0"}}}}}
exporters: {mcp_inspector: {http: {endpoint: "%s"}}, prometheus: {endpoint: "localhost:0"}}
extensions: {healthcheckv2: {http: {endpoint: "localhost:0"}}, zpages: {endpoint: "localhost:0"}}
service: {telemetry: {metrics: {level: none, readers: []}}}
`, input, page))
	cmd.Env = append(os.Environ(), "XDG_STATE_HOME="+t.TempDir())
	var log bytes.Buffer
	cmd.Stdout, cmd.Stderr = &log, &log
	g.must(cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		if err := cmd.Wait(); err != nil || t.Failed() {
			t.Errorf("the collector: %v\n%s", err, log.String())
		}
	})
	g.answers(g.page + "/_inspector/health")
	g.answers(g.input + "/v1/observations") // receivers start after exporters
	return g
}

// answers waits until there is an answer, whatever it says.
func (g *gateway) answers(url string) {
	for range 200 {
		if res, err := http.Get(url); err == nil {
			g.must(res.Body.Close())
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	g.t.Fatalf("%s does not answer", url)
}

func (g *gateway) describe() {
	doc, err := openapi3.NewLoader().LoadFromFile(filepath.Join("..", "..", "exporter", "inspectorexporter", "openapi.yaml"))
	g.must(err)
	g.must(doc.Validate(context.Background()))
	doc.Servers = openapi3.Servers{{URL: g.page}}
	g.doc = doc
	g.router, err = gorillamux.NewRouter(doc)
	g.must(err)
	for _, kind := range []string{"application/x-ndjson", "text/event-stream", "text/html", "application/gzip"} {
		openapi3filter.RegisterBodyDecoder(kind, openapi3filter.PlainBodyDecoder)
	}
}

func free(t *testing.T) string {
	l, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}
