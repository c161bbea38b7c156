package configs

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
)

// hosted is a backend that others run: OTLP/HTTP with a key. It is a fake: it keeps what
// it gets, whatever key that comes with.
type hosted struct {
	mu      sync.Mutex
	headers http.Header
	path    string
	spans   []ptrace.Span
}

func (h *hosted) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	body, _ := io.ReadAll(q.Body)
	if strings.HasSuffix(q.URL.Path, "/v1/traces") {
		request := ptraceotlp.NewExportRequest()
		if err := request.UnmarshalProto(gunzipped(q, body)); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		h.mu.Lock()
		h.headers, h.path = q.Header, q.URL.Path
		h.spans = append(h.spans, spansOf(request.Traces())...)
		h.mu.Unlock()
	}
	w.Header().Set("Content-Type", "application/x-protobuf")
}

// received is the span of that name, nil until it came.
func (h *hosted) received(name string) *ptrace.Span {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, span := range h.spans {
		if span.Name() == name {
			return &span
		}
	}
	return nil
}

// TestHosted sends a tool call in a dialect through the configuration of each hosted
// backend, and checks what that gets: address, key, and the attributes that it reads.
func TestHosted(t *testing.T) {
	for name, test := range map[string]struct {
		env        []string
		address    string // the variable
		path       string
		headers    map[string]string
		attributes map[string]any
		size       int  // of a payload of 40,000 bytes, at most
		without    bool // the framework's own keys
	}{
		"langfuse": {
			env: []string{"LANGFUSE_PUBLIC_KEY=pk-1", "LANGFUSE_SECRET_KEY=sk-1"}, address: "LANGFUSE_HOST",
			path: "/api/public/otel/v1/traces", size: 30720,
			headers:    map[string]string{"Authorization": "Basic cGstMTpzay0x", "X-Langfuse-Ingestion-Version": "4"},
			attributes: map[string]any{"langfuse.observation.type": "tool"},
		},
		"phoenix": {
			env: []string{"PHOENIX_API_KEY=key-1"}, address: "PHOENIX_ENDPOINT", path: "/v1/traces", size: 30720,
			headers:    map[string]string{"Authorization": "Bearer key-1"},
			attributes: map[string]any{"openinference.span.kind": "TOOL", "tool.name": "weather"},
		},
		"honeycomb": {
			without: true,
			env:     []string{"HONEYCOMB_API_KEY=key-1"}, address: "HONEYCOMB_ENDPOINT", path: "/v1/traces", size: 30720,
			headers: map[string]string{"X-Honeycomb-Team": "key-1"},
		},
		"datadog": {
			without: true,
			env:     []string{"DD_API_KEY=key-1"}, address: "DD_OTLP_ENDPOINT", path: "/v1/traces", size: 30720,
			headers: map[string]string{"Dd-Api-Key": "key-1", "Dd-Otlp-Source": "llmobs"},
		},
		"grafana-cloud": {
			without: true,
			env:     []string{"GRAFANA_CLOUD_INSTANCE_ID=1", "GRAFANA_CLOUD_TOKEN=t"}, address: "GRAFANA_CLOUD_ENDPOINT", path: "/v1/traces", size: 2048,
			headers:    map[string]string{"Authorization": "Basic MTp0"},
			attributes: map[string]any{"gen_ai.tool.call.result_original_bytes": int64(40000)},
		},
	} {
		t.Run(name, func(t *testing.T) {
			h := &hosted{}
			server := httptest.NewServer(h)
			defer server.Close()
			p := start(t, append(test.env, test.address+"="+server.URL), "--config", "embedded:"+name)
			sendTraces(t, p, ptraceotlp.NewExportRequestFromTraces(vercelTool(strings.Repeat("x", 40000))))
			require.Eventually(t, func() bool { return h.received("ai.toolCall") != nil }, 30*time.Second, 50*time.Millisecond)

			assert.Equal(t, test.path, h.path)
			for key, want := range test.headers {
				assert.Equal(t, want, h.headers.Get(key), key)
			}
			got := h.received("ai.toolCall").Attributes().AsRaw()
			assert.Equal(t, "execute_tool", got["gen_ai.operation.name"])
			assert.Equal(t, "weather", got["gen_ai.tool.name"])
			assert.Len(t, got["gen_ai.tool.call.result"], test.size)
			for key, v := range got {
				text, _ := v.(string)
				assert.LessOrEqual(t, len(text), test.size, key)
			}
			_, there := got["ai.toolCall.result"]
			assert.Equal(t, test.without, !there)
			for key, want := range test.attributes {
				assert.Equal(t, want, got[key], key)
			}
		})
	}
}

// vercelTool is a call of a tool as the AI SDK of Vercel reports it.
func vercelTool(result string) ptrace.Traces {
	traces := ptrace.NewTraces()
	ss := traces.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty()
	ss.Scope().SetName("ai")
	span := ss.Spans().AppendEmpty()
	span.SetTraceID([16]byte{1})
	span.SetSpanID([8]byte{1})
	span.SetName("ai.toolCall")
	span.Attributes().PutStr("ai.operationId", "ai.toolCall")
	span.Attributes().PutStr("ai.toolCall.name", "weather")
	span.Attributes().PutStr("ai.toolCall.result", result)
	return traces
}
