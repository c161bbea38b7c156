package configs

import (
	"compress/gzip"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/plog/plogotlp"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
)

// Made up, and put together here so that no scanner of repositories takes them for real.
var (
	fill      = strings.Repeat("aB3", 20)
	gitHub    = "gh" + "p_" + fill[:36]
	gitHubPAT = "github" + "_pat_" + fill[:22] + "_" + fill
	gitLab    = "gl" + "pat-" + fill[:20]
	awsID     = "AK" + "IA" + strings.ToUpper(fill[:16])
	slack     = "xo" + "xb-123456789012-" + fill[:24]
	openAI    = "s" + "k-" + fill[:48]
	anthropic = "s" + "k-ant-api03-" + fill + "-AA"
	jwt       = "ey" + "JhbGciOiJIUzI1NiJ9.ey" + "JzdWIiOiIxMjM0In0." + fill[:43]
	pem       = "-----BEGIN " + "RSA PRIVATE KEY-----\n" + fill + "\n-----END RSA PRIVATE KEY-----"
)

// harmless texts have to come out as they went in.
var harmless = map[string]string{
	"plain":       `{"path":"/tmp/notes.txt","limit":10,"recursive":true,"note":"the basket is on the desk"}`,
	"long names":  `{"task-management-of-a-long-name":"risk-assessment-with-many-words","tokens":12}`,
	"tokenizers":  `{"tokenizer":"cl100k","max_tokens":4096,"progressToken":"p-1","nextPageToken":"page-2"}`,
	"prose":       `The bearer of the letter asked the secretary about basic authentication.`,
	"session":     `{"sessionId":"8a1f4c52-7f8e-4d8b-9d3c-111111111111","mcp.request_id":"r-12345678"}`,
	"url":         `see https://example.com:8443/a/b?page=2&sort=name and mailto:me@example.com`,
	"base64":      `{"data":"iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ"}`,
	"nested":      `{"content":[{"type":"text","text":"{\"status\":\"ok\",\"items\":[1,2,3]}"}]}`,
	"escapes":     `{"text":"a \"quoted\" word\nand C:\\temp\\new"}`,
	"empty":       `{}`,
	"not json":    `ls -la | grep --token-less`,
	"hash":        `commit 3b18e512dba79e4c8300dd08aeb37f8e728b8dad`,
	"task prefix": `task-0123456789abcdef0123456789abcdef`,
}

// secrets are texts with something that must go, and what must stay of them.
var secrets = map[string]struct {
	text  string
	gone  []string
	stays []string
}{
	"header and password": {
		text:  `{"headers":{"authorization":"Bearer abc"},"password":"x-hunter","path":"/tmp/a"}`,
		gone:  []string{"abc", "hunter"},
		stays: []string{`"headers":{"authorization":"[masked: authorization]"}`, `"password":"[masked: secret-value]"`, `"path":"/tmp/a"`},
	},
	"names": {
		text: `{"apiKey":"v-1","api_key":"v-2","X-Api-Key" : "v-3","client_secret":"v-4","accessToken":"v-5",` +
			`"refresh_token":"v-6","GITHUB_TOKEN":"v-7","AWS_SECRET_ACCESS_KEY":"v-8","privateKey":"v-9","dbPassword":"v-10",` +
			`"Set-Cookie":"v-11","credentials":"v-12","passphrase":"v-13","token":"v-14","user":"kept"}`,
		gone:  []string{"v-1"},
		stays: []string{`"user":"kept"`, `"X-Api-Key" : "[masked: secret-value]"`},
	},
	"quotes and backslashes": {
		text:  `{"password":"a\"b-hidden\\","after":"kept"}`,
		gone:  []string{"hidden"},
		stays: []string{`"after":"kept"`},
	},
	"nested once": {
		text:  `{"text":"{\"password\":\"a\\\"hidden\\n\\\\\",\"after\":\"kept\"}"}`,
		gone:  []string{"hidden"},
		stays: []string{`\"password\":\"[masked: secret-value]\"`, `\"after\":\"kept\"`},
	},
	"nested twice": {
		text:  nest(nest(`{"api_key":"a\"hidden\\","after":"kept"}`)),
		gone:  []string{"hidden"},
		stays: []string{`\\\"api_key\\\":\\\"[masked: secret-value]\\\"`, `\\\"after\\\":\\\"kept\\\"`},
	},
	"arrays": {
		text:  `{"Authorization":["Bearer hid]den-1","hidden-2"],"Accept":["kept"]}`,
		gone:  []string{"hid"},
		stays: []string{`"Accept":["kept"]`},
	},
	"nested arrays": {
		text:  nest(`{"Authorization":["Bearer hidden"],"Accept":["kept"]}`),
		gone:  []string{"hidden"},
		stays: []string{`\"Accept\":[\"kept\"]`},
	},
	"numbers": {
		text:  `{"passcode":123456,"after":78}`,
		gone:  []string{"123456"},
		stays: []string{`"passcode":"[masked: secret-value]"`, `"after":78`},
	},
	"spaces and lines": {
		text:  "{\n  \"password\" :\n    \"hidden\",\n  \"after\": \"kept\"\n}",
		gone:  []string{"hidden"},
		stays: []string{`"after": "kept"`},
	},
	"cut before its end": {
		text: `{"path":"/tmp","password":"hidden and then the text is o`,
		gone: []string{"hidden", "then"}, stays: []string{`"path":"/tmp"`},
	},
	"command": {
		text:  `{"command":"curl -H 'Authorization: Bearer hidden-1' --token hidden-2 -b \"Cookie: sid=hidden-3\" https://me:hidden-4@example.com/p?api_key=hidden-5&page=2"}`,
		gone:  []string{"hidden"},
		stays: []string{"curl -H 'Authorization: Bearer [masked: authorization]'", "https://me:[masked: url-password]@example.com/p?api_key=[masked: secret-value]&page=2"},
	},
	"arguments": {
		text: `{"args":["--password","hidden-1","--api-key=hidden-2","--verbose","kept"]}`,
		gone: []string{"hidden"}, stays: []string{`"--verbose","kept"`},
	},
	"environment": {
		text:  `{"text":"PATH=/bin\nDB_PASSWORD=\"hidden 1\"\nSLACK_BOT_TOKEN=hidden-2\nHOME=/root"}`,
		gone:  []string{"hidden"},
		stays: []string{`PATH=/bin\n`, `\nHOME=/root`},
	},
	"python": {
		text:  `KeyError: {'user': 'kept', 'password': 'hidden', 'token': 'hidden'}`,
		gone:  []string{"hidden"},
		stays: []string{"'user': 'kept'"},
	},
	"github":      shape(gitHub),
	"github pat":  shape(gitHubPAT),
	"gitlab":      shape(gitLab),
	"aws":         shape(awsID),
	"slack":       shape(slack),
	"openai":      shape(openAI),
	"anthropic":   shape(anthropic),
	"jwt":         shape(jwt),
	"pem":         shape(pem),
	"bearer":      shape("Bearer " + fill),
	"after break": {text: `{"text":"keys:\n` + openAI + `\nend"}`, gone: []string{openAI}, stays: []string{`keys:`, `\nend`}},
	"pem cut":     {text: "before " + pem[:60], gone: []string{fill[:10]}, stays: []string{"before "}},
	"deep shape":  {text: nest(nest(nest(`{"note":"` + gitHub + `","after":"kept"}`))), gone: []string{gitHub}, stays: []string{"kept"}},
}

// nest puts JSON into a string of JSON.
func nest(text string) string {
	inner, err := json.Marshal(text)
	if err != nil {
		panic(err)
	}
	return `{"text":` + string(inner) + `}`
}

type secret = struct {
	text  string
	gone  []string
	stays []string
}

// shape is a token in the middle of a text, with no name to tell.
func shape(token string) secret {
	inner, err := json.Marshal("use " + token + " and go on")
	if err != nil {
		panic(err)
	}
	return secret{`{"text":` + string(inner) + `}`, []string{token, token[12:]}, []string{"use ", " and go on"}}
}

func TestPrivacy(t *testing.T) {
	dir := t.TempDir()
	p := start(t, nil, "--config", "embedded:privacy", "--config", "yaml:"+toFiles(dir))
	sendTraces(t, p, ptraceotlp.NewExportRequestFromTraces(tracesWithSecrets()))
	sendLogs(t, p, plogotlp.NewExportRequestFromLogs(logsWithSecrets()))

	traces, err := (&ptrace.JSONUnmarshaler{}).UnmarshalTraces([]byte(readLine(t, filepath.Join(dir, "traces.jsonl"))))
	require.NoError(t, err)
	for _, span := range spansOf(traces) {
		checkCase(t, span.Name(), "attribute", str(span.Attributes(), "mcp.tool.input_json"))
		checkCase(t, span.Name(), "status", span.Status().Message())
		checkCase(t, span.Name(), "event", str(span.Events().At(0).Attributes(), "mcp.error.message"))
	}
	checkResource(t, traces.ResourceSpans().At(0).Resource().Attributes())

	logs, err := (&plog.JSONUnmarshaler{}).UnmarshalLogs([]byte(readLine(t, filepath.Join(dir, "logs.jsonl"))))
	require.NoError(t, err)
	records := logs.ResourceLogs().At(0).ScopeLogs().At(0).LogRecords()
	for _, record := range records.All() {
		checkCase(t, record.EventName(), "body", record.Body().Str())
		checkCase(t, record.EventName(), "attribute", str(record.Attributes(), "mcp.log.message"))
		assert.Equal(t, 1, record.Attributes().Len())
	}
	assert.Equal(t, len(secrets)+len(harmless), records.Len())
}

// toFiles sends what a privacy pipeline lets out into files instead of a backend.
func toFiles(dir string) string {
	return `
exporters:
  file/traces: {path: '` + filepath.Join(dir, "traces.jsonl") + `', flush_interval: 50ms}
  file/logs: {path: '` + filepath.Join(dir, "logs.jsonl") + `', flush_interval: 50ms}
service:
  pipelines:
    traces/export: {exporters: [file/traces]}
    logs/export: {exporters: [file/logs]}
`
}

func texts() map[string]string {
	all := maps.Clone(harmless)
	for name, test := range secrets {
		all[name] = test.text
	}
	return all
}

// tracesWithSecrets has one span a case, with the text in each place that a payload can be in.
func tracesWithSecrets() ptrace.Traces {
	traces := ptrace.NewTraces()
	resource := traces.ResourceSpans().AppendEmpty()
	putResource(resource.Resource().Attributes())
	spans := resource.ScopeSpans().AppendEmpty().Spans()
	for name, text := range texts() {
		span := spans.AppendEmpty()
		span.SetName(name)
		span.Attributes().PutStr("mcp.tool.input_json", text)
		span.Status().SetCode(ptrace.StatusCodeError)
		span.Status().SetMessage(text)
		span.Events().AppendEmpty().Attributes().PutStr("mcp.error.message", text)
	}
	return traces
}

func logsWithSecrets() plog.Logs {
	logs := plog.NewLogs()
	records := logs.ResourceLogs().AppendEmpty().ScopeLogs().AppendEmpty().LogRecords()
	for name, text := range texts() {
		record := records.AppendEmpty()
		record.SetEventName(name)
		record.Body().SetStr(text)
		record.Attributes().PutStr("mcp.log.message", text)
	}
	return logs
}

// putResource holds what is masked by the attribute's own name or inside maps and arrays.
func putResource(attributes pcommon.Map) {
	attributes.PutStr("service.name", "agent")
	attributes.PutStr("http.request.header.authorization", "hidden")
	attributes.PutEmptySlice("http.request.header.cookie").AppendEmpty().SetStr("hidden")
	attributes.PutStr("db.password", "hidden")
	attributes.PutEmptyMap("gen_ai.tool.call.arguments").PutStr("password", "hidden")
	attributes.PutEmptySlice("process.command_args").AppendEmpty().SetStr(gitHub)
	attributes.PutInt("gen_ai.usage.input_tokens", 12)
	attributes.PutStr("mcp.progress.token", "p-1")
	attributes.PutStr("mcp.session.id", "s-12345678")
}

func checkResource(t *testing.T, attributes pcommon.Map) {
	text, err := json.Marshal(attributes.AsRaw())
	require.NoError(t, err)
	assert.NotContains(t, string(text), "hidden")
	assert.NotContains(t, string(text), gitHub)
	for key, want := range map[string]any{
		"service.name": "agent", "gen_ai.usage.input_tokens": int64(12),
		"mcp.progress.token": "p-1", "mcp.session.id": "s-12345678",
	} {
		assert.Equal(t, want, attributes.AsRaw()[key], key)
	}
}

func checkCase(t *testing.T, name, place, got string) {
	t.Run(name+"/"+place, func(t *testing.T) {
		if text, ok := harmless[name]; ok {
			assert.Equal(t, text, got)
			return
		}
		test := secrets[name]
		for _, gone := range test.gone {
			assert.NotContains(t, got, gone)
		}
		for _, stays := range test.stays {
			assert.Contains(t, got, stays)
		}
		assert.Equal(t, json.Valid([]byte(test.text)), json.Valid([]byte(got)), "JSON stays JSON: %s", got)
	})
}

func str(attributes pcommon.Map, key string) string {
	value, _ := attributes.Get(key)
	return value.Str()
}

// TestPrivacyObservations pushes a call to the mcp receiver: what the backend gets, the web UI answers and its files hold
// has the call, not its secrets.
func TestPrivacyObservations(t *testing.T) {
	dir, state := t.TempDir(), t.TempDir()
	p := start(t, []string{"HOME=" + state, "XDG_STATE_HOME=" + state}, "--config", "embedded:privacy", "--config", "yaml:"+toFiles(dir))
	body := `[
{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"login","arguments":{"user":"kept","password":"hidden-1"}}},
{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"{\"access_token\":\"hidden-2\"}"}]}}]`
	resp, err := http.Post("http://"+p.mcp+"/v1/observations", "application/json", strings.NewReader(body))
	require.NoError(t, err)
	defer resp.Body.Close()
	require.Equal(t, http.StatusAccepted, resp.StatusCode)

	var files []string
	require.Eventually(t, func() bool {
		files, err = filepath.Glob(filepath.Join(state, "otelcol-mcp", "sessions", "*.jsonl.gz"))
		return len(files) == 1
	}, 20*time.Second, 50*time.Millisecond)
	session := strings.TrimSuffix(filepath.Base(files[0]), ".jsonl.gz")
	zipped, err := os.Open(files[0])
	require.NoError(t, err)
	defer zipped.Close()
	file, err := gzip.NewReader(zipped)
	require.NoError(t, err)
	written, err := io.ReadAll(file)
	require.NoError(t, err)
	for place, text := range map[string]string{
		"backend": readLine(t, filepath.Join(dir, "traces.jsonl")),
		"file":    string(written),
		"page":    get(t, "http://"+p.page+"/_inspector/trace/"+session),
	} {
		assert.NotContains(t, text, "hidden", place)
		for _, want := range []string{"tool.call", "kept", "login", `access_token`, "[masked: secret-value]"} {
			assert.Contains(t, text, want, place)
		}
	}
	assert.NotContains(t, get(t, "http://"+p.page+"/_inspector/sessions"), "hidden")
}
