package mcpserver

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/consumer/consumererror"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session"
)

func TestInitialize(t *testing.T) {
	b := newBench(t)
	w := b.post(initialize)
	r := replyOf(t, w)
	assert.Equal(t, "2025-11-25", r.Result.ProtocolVersion)
	assert.Equal(t, serverName, r.Result.ServerInfo.Name)
	assert.Equal(t, "1.2.3", r.Result.ServerInfo.Version)
	assert.Contains(t, r.Result.Instructions, "host_heartbeat")
	assert.Equal(t, map[string]any{"tools": map[string]any{}}, r.Result.Capabilities)
	start := b.last(t, "session.start").Attributes()
	id, _ := start.Get("mcp.session.id")
	assert.Equal(t, w.Header().Get(sessionHeader), id.Str())
	for key, want := range map[string]string{
		"session.id": id.Str(), "mcp.client.name": "agent", "mcp.client.version": "7", "mcp.server.name": serverName,
		"mcp.protocol.version": "2025-11-25",
	} {
		got, _ := start.Get(key)
		assert.Equal(t, want, got.Str(), key)
	}
}

func TestTheAgreedRevisionIsRecorded(t *testing.T) {
	b := newBench(t)
	w := b.post(strings.Replace(initialize, "2025-11-25", "1999-01-01", 1))
	agreed := replyOf(t, w).Result.ProtocolVersion
	assert.NotEqual(t, "1999-01-01", agreed)
	got, _ := b.last(t, "session.start").Attributes().Get("mcp.protocol.version")
	assert.Equal(t, agreed, got.Str())
}

func TestAFailedInitializeOpensNothing(t *testing.T) {
	b := newBench(t)
	w := b.post(`{"jsonrpc":"2.0","id":1,"method":"initialize"}`)
	assert.Equal(t, http.StatusBadRequest, w.Code)
	assert.Empty(t, w.Header().Get(sessionHeader))
	assert.Empty(t, b.sessions.index)
	assert.Empty(t, b.names())
}

func TestASession(t *testing.T) {
	b := newBench(t)
	id := b.open(t)
	for range 3 {
		w := b.post(list, sessionHeader, id, versionHeader, "2025-11-25")
		require.Len(t, replyOf(t, w).Result.Tools, 2)
		w = b.post(heartbeatNote, sessionHeader, id, versionHeader, "2025-11-25")
		require.Equal(t, http.StatusAccepted, w.Code)
		require.Empty(t, w.Body.String())
	}
	require.Equal(t, http.StatusNoContent, b.do(http.MethodDelete, "", sessionHeader, id).Code)
	reason, _ := b.last(t, "workflow.run").Attributes().Get("mcp.session.end_reason")
	assert.Equal(t, "closed", reason.Str())
	for name, w := range map[string]*httptest.ResponseRecorder{
		"request":      b.post(list, sessionHeader, id),
		"notification": b.post(heartbeatNote, sessionHeader, id),
		"delete":       b.do(http.MethodDelete, "", sessionHeader, id),
	} {
		assert.Equal(t, http.StatusNotFound, w.Code, name)
	}
	again := b.post(initialize, sessionHeader, id)
	assert.NotEqual(t, id, again.Header().Get(sessionHeader))
}

func TestSessionsThatAreNotOpen(t *testing.T) {
	b := newBench(t)
	id := b.open(t)
	for _, unknown := range []string{"x", strings.ToUpper(id), id[:30], strings.Repeat("0", 32), id + "00", strings.Repeat("x", 2000)} {
		w := b.post(heartbeatNote, sessionHeader, unknown)
		assert.Equal(t, http.StatusNotFound, w.Code, unknown)
		assert.Equal(t, codeNoSession, replyOf(t, w).Error.Code)
		assert.Equal(t, http.StatusNotFound, b.do(http.MethodDelete, "", sessionHeader, unknown).Code, unknown)
	}
	assert.Equal(t, http.StatusBadRequest, b.do(http.MethodDelete, "").Code)
	assert.Equal(t, http.StatusAccepted, b.post(heartbeatNote, sessionHeader, id).Code)
}

func TestWithoutASession(t *testing.T) {
	b := newBench(t)
	assert.Len(t, replyOf(t, b.post(list)).Result.Tools, 2)
	assert.Equal(t, http.StatusAccepted, b.post(heartbeatNote).Code)
	assert.Equal(t, http.StatusAccepted, b.post(heartbeatNote, "X-Session-Id", "mine").Code)
	id, _ := b.last(t, "notifications/host.heartbeat").Attributes().Get("session.id")
	assert.Equal(t, "mine", id.Str())
	assert.Equal(t, http.StatusBadRequest, b.post(heartbeatNote, "X-Session-Id", strings.Repeat("x", idBytes+1)).Code)
}

func TestMethods(t *testing.T) {
	b := newBench(t)
	for _, method := range []string{http.MethodGet, http.MethodPut, http.MethodHead, http.MethodOptions, http.MethodPatch} {
		w := b.do(method, "", sessionHeader, b.open(t))
		assert.Equal(t, http.StatusMethodNotAllowed, w.Code, method)
		assert.Equal(t, "POST, DELETE", w.Header().Get("Allow"), method)
	}
}

func TestEveryNotificationIsTaken(t *testing.T) {
	b := newBench(t)
	id := b.open(t)
	for _, method := range []string{
		"notifications/initialized", "notifications/cancelled", "notifications/host.heartbeat", "notifications/host.compacting",
		"notifications/host.subagent_spawned", "notifications/host.subagent_completed", "notifications/host.token_pressure",
		"notifications/host.error", "notifications/roots/list_changed", "notifications/reminder", "x", "vendor/whatever",
	} {
		w := b.post(fmt.Sprintf(`{"method":%q,"params":{"phase":"idle"},"jsonrpc":"2.0"}`, method), sessionHeader, id)
		assert.Equal(t, http.StatusAccepted, w.Code, method)
		assert.Empty(t, w.Body.String(), method)
	}
	assert.Contains(t, b.names(), "vendor/whatever")
	w := b.post(`{"jsonrpc":"2.0","id":77,"result":{}}`, sessionHeader, id)
	assert.Equal(t, http.StatusAccepted, w.Code, "a reply that nobody asked for")
	w = b.do(http.MethodPost, heartbeatNote, sessionHeader, id, "Accept", "")
	assert.Equal(t, http.StatusAccepted, w.Code, "needs no Accept")
}

func TestRefusedTelemetry(t *testing.T) {
	for name, refusal := range map[string]error{"retryable": errNotNow, "permanent": consumererror.NewPermanent(errNotNow)} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			b.refuses(refusal)
			id := b.open(t)
			assert.Equal(t, http.StatusAccepted, b.post(heartbeatNote, sessionHeader, id).Code, "fire and forget")
			r := replyOf(t, b.post(callOf("host_heartbeat", `{"phase":"idle"}`), sessionHeader, id))
			assert.Equal(t, false, r.Result.StructuredContent["recorded"])
			assert.Empty(t, b.names())
			require.EqualValues(t, 3, b.counted(t, "rejected_messages", "pipeline_refused"))

			b.refuses(nil)
			assert.Equal(t, http.StatusAccepted, b.post(heartbeatNote, sessionHeader, id).Code, "the session is open all the same")
			assert.Contains(t, b.names(), "notifications/host.heartbeat")
		})
	}
}

func TestARefusedDelete(t *testing.T) {
	b := newBench(t)
	id := b.open(t)
	b.refuses(errNotNow)
	w := b.do(http.MethodDelete, "", sessionHeader, id)
	assert.Equal(t, http.StatusServiceUnavailable, w.Code)
	assert.Equal(t, "1", w.Header().Get("Retry-After"))
	b.refuses(consumererror.NewPermanent(errNotNow))
	assert.Equal(t, http.StatusNoContent, b.do(http.MethodDelete, "", sessionHeader, id).Code, "there is no sense in trying again")
}

func TestBodies(t *testing.T) {
	b := newBench(t)
	many := "[" + strings.Repeat(heartbeatNote+",", batchMax) + heartbeatNote + "]"
	for _, tt := range []struct {
		name, body   string
		status, code int
	}{
		{"empty", "", 415, codeInvalidRequest},
		{"white space", " ", 400, codeParse},
		{"not JSON", "{", 400, codeParse},
		{"cut", heartbeatNote[:40], 400, codeParse},
		{"two", heartbeatNote + heartbeatNote, 400, codeParse},
		{"something after", heartbeatNote + "x", 400, codeParse},
		{"not UTF-8", `{"jsonrpc":"2.0","method":"` + "\xff" + `"}`, 400, codeParse},
		{"a number", "7", 400, codeInvalidRequest},
		{"no message", "{}", 400, codeInvalidRequest},
		{"an observation record", `{"message":` + heartbeatNote + `}`, 400, codeInvalidRequest},
		{"an empty batch", "[]", 400, codeInvalidRequest},
		{"a batch with rubbish", "[" + heartbeatNote + ",7]", 400, codeInvalidRequest},
		{"an open batch", "[" + heartbeatNote, 400, codeParse},
		{"a long batch", many, 400, codeInvalidRequest},
		{"initialize in a batch", "[" + initialize + "]", 400, codeInvalidRequest},
		{"an id of a wrong type", `{"jsonrpc":"2.0","id":{},"method":"tools/list"}`, 400, codeInvalidRequest},
		{"an unknown method", `{"jsonrpc":"2.0","id":"a\"b","method":"resources/list"}`, 200, codeNoMethod},
		{"a subscription", `{"jsonrpc":"2.0","id":3,"method":"subscriptions/listen"}`, 200, codeNoMethod},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := b.post(tt.body)
			assert.Equal(t, tt.status, w.Code)
			r := replyOf(t, w)
			require.NotNil(t, r.Error, w.Body)
			assert.Equal(t, tt.code, r.Error.Code)
			if tt.code == codeNoMethod {
				assert.Contains(t, tt.body, `"id":`+string(r.ID))
			}
		})
	}
	assert.Empty(t, b.names())
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

func TestBodiesThatCannotBeRead(t *testing.T) {
	b := newBench(t)
	for name, tt := range map[string]struct {
		body io.Reader
		want int
	}{
		"too large":   {strings.NewReader(strings.Repeat(" ", 200) + list), http.StatusRequestEntityTooLarge},
		"ended early": {io.MultiReader(strings.NewReader(list), failing{io.ErrUnexpectedEOF}), http.StatusBadRequest},
		"broken":      {failing{errors.New("broken")}, http.StatusBadRequest},
	} {
		r := httptest.NewRequest(http.MethodPost, Path, tt.body)
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		r.Body = http.MaxBytesReader(w, r.Body, 200)
		b.ServeHTTP(w, r)
		assert.Equal(t, tt.want, w.Code, name)
	}
}

func TestContentTypes(t *testing.T) {
	b := newBench(t)
	for media, want := range map[string]int{
		"application/json": 202, "application/json; charset=utf-8": 202, "APPLICATION/JSON": 202,
		"text/plain": 415, "application/x-ndjson": 415, "application/x-www-form-urlencoded": 415, "": 415, ";": 415,
	} {
		assert.Equal(t, want, b.post(heartbeatNote, "Content-Type", media).Code, media)
	}
	assert.Equal(t, http.StatusBadRequest, b.post(list, "Accept", "text/html").Code)
}

func TestRevisions(t *testing.T) {
	b := newBench(t)
	batch := "[" + heartbeatNote + "," + list + "," + heartbeatNote + "]"
	for version, want := range map[string][3]int{ // notification, request, batch
		"": {202, 200, 200}, "2024-11-05": {202, 200, 200}, "2025-03-26": {202, 200, 200},
		"2025-06-18": {202, 200, 400}, "2025-11-25": {202, 200, 400},
		"2026-07-28": {202, 400, 400}, "2099-01-01": {202, 400, 400}, // no _meta
		"1.0": {400, 400, 400}, "2025-01-01": {400, 400, 400},
	} {
		for i, body := range []string{heartbeatNote, list, batch} {
			w := b.post(body, versionHeader, version)
			assert.Equal(t, want[i], w.Code, "%s %d: %s", version, i, w.Body)
		}
	}
	w := b.post(batch)
	require.JSONEq(t, "2", string(replies(t, w)[0].ID))
	require.Len(t, replies(t, w), 1)
}

func TestStateless(t *testing.T) {
	b := newBench(t)
	const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"agent","version":"7"}}`
	headers := func(more ...string) []string { return append([]string{versionHeader, "2026-07-28"}, more...) }

	w := b.post(`{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{`+meta+`}}`, headers("Mcp-Method", "server/discover")...)
	r := replyOf(t, w)
	assert.Contains(t, r.Result.SupportedVersions, "2026-07-28")
	assert.Equal(t, "complete", r.Result.ResultType)
	assert.Contains(t, r.Result.Instructions, "host_heartbeat")
	assert.Empty(t, w.Header().Get(sessionHeader))

	r = replyOf(t, b.post(`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{`+meta+`}}`,
		headers("Mcp-Method", "tools/list", sessionHeader, "of another era")...))
	assert.Len(t, r.Result.Tools, 2)

	call := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"host_heartbeat","arguments":{"phase":"idle"},` + meta + `}}`
	r = replyOf(t, b.post(call, headers("Mcp-Method", "tools/call", "Mcp-Name", "host_heartbeat")...))
	assert.Equal(t, true, r.Result.StructuredContent["recorded"])
	assert.NotNil(t, replyOf(t, b.post(call, headers("Mcp-Method", "tools/call", "Mcp-Name", "other")...)).Error)

	assert.Equal(t, http.StatusAccepted, b.post(heartbeatNote, headers()...).Code, "needs no Mcp-Method")
	w = b.post(`{"jsonrpc":"2.0","id":9,"method":"subscriptions/listen","params":{`+meta+`}}`, headers("Mcp-Method", "subscriptions/listen")...)
	assert.Equal(t, http.StatusNotFound, w.Code)
	assert.Equal(t, codeNoMethod, replyOf(t, w).Error.Code)
}

func TestTraceContexts(t *testing.T) {
	b := newBench(t)
	const parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
	b.post(heartbeatNote, "X-Session-Id", "s", "traceparent", parent)
	links := b.last(t, "notifications/host.heartbeat").Links()
	require.Equal(t, 1, links.Len())
	assert.Equal(t, "b7ad6b7169203331", links.At(0).SpanID().String())
	b.post(heartbeatNote, "X-Session-Id", "s", "traceparent", "rubbish")
	assert.EqualValues(t, 1, b.counted(t, "invalid_trace_contexts", ""))
}

func TestTheLongestUnusedSessionIsEnded(t *testing.T) {
	b := newBench(t)
	oldest, used := b.open(t), b.open(t)
	for range sessionsMax - 2 {
		b.open(t)
	}
	require.Equal(t, http.StatusAccepted, b.post(heartbeatNote, sessionHeader, oldest).Code)
	b.open(t)
	assert.Equal(t, http.StatusNotFound, b.post(heartbeatNote, sessionHeader, used).Code)
	assert.Equal(t, http.StatusAccepted, b.post(heartbeatNote, sessionHeader, oldest).Code)
}

// What ends in the engine, by an end record or by its limits, is over here.
func TestASessionThatEndsElsewhere(t *testing.T) {
	b := newBench(t)
	id := b.open(t)
	require.NoError(t, b.runner.Run(t.Context(), "/elsewhere", func(tx *session.Tx, now int64) error {
		return tx.Apply(t.Context(), &event.Envelope{Arrival: now, Time: now, Session: id}, &event.Closed{Reason: "finished"})
	}))
	assert.Equal(t, http.StatusNotFound, b.post(heartbeatNote, sessionHeader, id).Code)
}

// A session that the engine was given back after a restart goes on.
func TestASessionThatWasRestored(t *testing.T) {
	b := newBench(t)
	id := b.open(t)
	b.sessions = newLedger(sessionsMax, time.Hour, b.runner.Engine.State)
	assert.Equal(t, http.StatusAccepted, b.post(heartbeatNote, sessionHeader, id).Code)
}

// A silent session is over for both at once.
func TestASilentSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		id := b.open(t)
		time.Sleep(time.Hour) // virtual
		assert.Equal(t, http.StatusAccepted, b.post(heartbeatNote, sessionHeader, id).Code)
		time.Sleep(time.Hour + 1)
		_, err := b.runner.Sweep(t.Context(), false)
		require.NoError(t, err)
		reason, _ := b.last(t, "workflow.run").Attributes().Get("mcp.session.end_reason")
		assert.Equal(t, "idle", reason.Str())
		assert.Equal(t, http.StatusNotFound, b.post(heartbeatNote, sessionHeader, id).Code)
		assert.Empty(t, b.sessions.index)
	})
}
