package mcpserver

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
)

func callOf(tool, arguments string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, tool, arguments)
}

func replies(tb testing.TB, w *httptest.ResponseRecorder) (all []reply) {
	require.NoError(tb, json.Unmarshal(w.Body.Bytes(), &all), w.Body)
	return all
}

// counted is one of our own metrics, with that reason if one is given.
func (b *bench) counted(tb testing.TB, name, reason string) (sum int64) {
	m, err := b.tel.GetMetric("otelcol_mcp_receiver_" + name)
	require.NoError(tb, err)
	for _, p := range m.Data.(metricdata.Sum[int64]).DataPoints {
		endpoint, _ := p.Attributes.Value("endpoint")
		assert.Equal(tb, Path, endpoint.AsString())
		if r, _ := p.Attributes.Value("reason"); r.AsString() == reason {
			sum += p.Value
		}
	}
	return sum
}

func TestHeartbeatTools(t *testing.T) {
	b := newBench(t)
	for _, tt := range []struct {
		arguments string
		percent   any
	}{
		{`{"phase":"working"}`, nil},
		{`{"phase":"thinking","tokens_used":61200,"tokens_limit":200000,"detail":"reads","files_active":["a.go","b.go"],"subagents":2}`, 31.0},
		{`{"phase":"compacting","tokens_used":61200.0,"tokens_limit":2e5}`, 31.0},
		{`{"phase":"waiting_approval","tokens_used":0,"tokens_limit":200000}`, nil},
		{`{"phase":"idle","tokens_used":1,"tokens_limit":0}`, nil},
		{`{"phase":"error","tokens_used":300000,"tokens_limit":200000}`, 150.0},
		{`{"phase":"idle","tokens_used":1e300,"tokens_limit":1e-300}`, nil},
		{`{"phase":"idle","something_new":{"a":1}}`, nil},
	} {
		for _, tool := range []string{"host_heartbeat", "eywa_heartbeat"} {
			r := replyOf(t, b.post(callOf(tool, tt.arguments)))
			require.Nil(t, r.Error)
			var in struct{ Phase string }
			require.NoError(t, json.Unmarshal([]byte(tt.arguments), &in))
			assert.False(t, r.Result.IsError, tt.arguments)
			assert.Equal(t, map[string]any{"recorded": true, "phase": in.Phase, "token_percent": tt.percent},
				r.Result.StructuredContent, tt.arguments)
		}
	}
}

func TestBadHeartbeats(t *testing.T) {
	b := newBench(t)
	for _, arguments := range []string{
		`{}`, `{"phase":"sleeping"}`, `{"phase":7}`, `{"phase":"idle","tokens_used":"many"}`,
		`{"phase":"idle","files_active":"a.go"}`, `{"phase":"idle","subagents":-1}`, `[]`, `7`,
	} {
		r := replyOf(t, b.post(callOf("host_heartbeat", arguments)))
		assert.True(t, r.Error != nil || r.Result.IsError, arguments)
	}
	r := replyOf(t, b.post(callOf("echo", `{}`)))
	require.NotNil(t, r.Error)
	assert.Contains(t, r.Error.Message, "unknown tool")
}

func TestToolsTellTheirArguments(t *testing.T) {
	b := newBench(t)
	for _, tool := range replyOf(t, b.post(list)).Result.Tools {
		assert.True(t, strings.HasSuffix(tool.Name, "_heartbeat"))
		assert.Len(t, tool.InputSchema.Properties, 6)
		assert.Equal(t, []string{"working", "thinking", "compacting", "waiting_approval", "idle", "error"},
			tool.InputSchema.Properties["phase"].Enum)
	}
}

// A call of a heartbeat tool is a heartbeat and no call.
func TestAToolsHeartbeatIsRecorded(t *testing.T) {
	b := newBench(t)
	id := b.open(t)
	b.post(callOf("eywa_heartbeat", `{"phase":"thinking","tokens_used":50,"tokens_limit":200,"detail":"reads","files_active":["a.go"],"subagents":2}`),
		sessionHeader, id)
	got := b.last(t, "notifications/host.heartbeat").Attributes().AsRaw()
	for key, want := range map[string]any{
		"session.id": id, "mcp.host.phase": "thinking", "mcp.host.source": "tool", "mcp.host.current_task": "reads",
		"mcp.host.tokens.used": int64(50), "mcp.host.tokens.limit": int64(200), "mcp.host.tokens.percent": 25.0,
		"mcp.host.files_active": []any{"a.go"}, "mcp.host.subagents": int64(2),
	} {
		assert.Equal(t, want, got[key], key)
	}
	b.do(http.MethodDelete, "", sessionHeader, id)
	assert.NotContains(t, b.names(), "tool.call")
	assert.NotContains(t, b.names(), "initialize")
	assert.Contains(t, b.names(), "host.phase")
	kind, _ := b.last(t, "workflow.run").Attributes().Get("mcp.workflow.type")
	assert.Equal(t, "host_session", kind.Str())
}

// Hosts of the era without sessions are distinguished by name and address.
func TestDerivedSessions(t *testing.T) {
	b := newBench(t)
	const meta = `"_meta":{"io.modelcontextprotocol/clientInfo":{"name":"agent","version":"7"}}`
	b.post(`{"jsonrpc":"2.0","method":"notifications/host.heartbeat","params":{"phase":"idle",`+meta+`}}`, versionHeader, "2026-07-28")
	got := b.last(t, "notifications/host.heartbeat").Attributes().AsRaw()
	assert.Equal(t, "agent@192.0.2.1", got["session.id"])
	assert.NotContains(t, got, "mcp.session.id")
}
