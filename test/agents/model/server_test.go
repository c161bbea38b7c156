package model

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var script = Script{Marker: "do the task", Turns: []Turn{
	{Text: "First.", Calls: []Call{
		{Tool: "add", Arguments: map[string]any{"a": 1}, Label: "one"},
		{Tool: "read*", Arguments: map[string]any{"path": Found(`workdir=(\w+)`)}},
	}},
	{Fail: 529},
	{Text: "Last.", Usage: Usage{Input: 100, CacheRead: 20, CacheWrite: 5, Output: 9, Reasoning: 2}},
}}

// requests are one of each interface: with tools, and in a conversation.
var requests = map[Interface]struct{ path, body string }{
	Messages: {"/v1/messages", `{"model":"m","stream":true,"messages":[{"role":"user","content":[{"type":"text","text":"do the task workdir=here"}]}],
		"tools":[{"name":"add"},{"name":"read_file"}]}`},
	Responses: {"/v1/responses", `{"model":"m","stream":true,"input":[{"type":"message","role":"user","content":[{"type":"input_text","text":"do the task workdir=here"}]}],
		"tools":[{"type":"function","name":"add"},{"type":"function","name":"read_file"}]}`},
	Chat: {"/v1/chat/completions", `{"model":"m","stream":true,"stream_options":{"include_usage":true},"messages":[{"role":"user","content":"do the task workdir=here"}],
		"tools":[{"function":{"name":"add"}},{"function":{"name":"read_file"}}]}`},
	Gemini: {"/v1beta/models/m:streamGenerateContent", `{"contents":[{"role":"user","parts":[{"text":"do the task workdir=here"}]}],
		"tools":[{"functionDeclarations":[{"name":"add"},{"name":"read_file"}]}]}`},
}

func start(t *testing.T, scripts ...Script) *Server {
	t.Helper()
	s, err := Start("127.0.0.1:0", scripts...)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

func ask(t *testing.T, s *Server, path, body string) (status int, text string) {
	t.Helper()
	r, err := http.Post(s.URL+path, "application/json", strings.NewReader(body))
	require.NoError(t, err)
	defer r.Body.Close()
	data, err := io.ReadAll(r.Body)
	require.NoError(t, err)
	if r.StatusCode == http.StatusOK {
		require.NotEmpty(t, r.Header.Get("request-id"))
	}
	return r.StatusCode, string(data)
}

// events are the objects of a stream of server-sent events.
func events(t *testing.T, text string) (all []map[string]any) {
	t.Helper()
	for line := range strings.Lines(text) {
		data, ok := strings.CutPrefix(strings.TrimSpace(line), "data: ")
		if !ok || data == "[DONE]" {
			continue
		}
		var e map[string]any
		require.NoError(t, json.Unmarshal([]byte(data), &e), data)
		all = append(all, e)
	}
	return all
}

func TestEveryInterfaceGivesTheScriptOut(t *testing.T) {
	for face, q := range requests {
		t.Run(string(face), func(t *testing.T) {
			s := start(t, script)
			status, body := ask(t, s, q.path, q.body)
			require.Equal(t, http.StatusOK, status)
			require.NotEmpty(t, events(t, body))
			for _, part := range []string{"First.", "add", "read_file", "here"} {
				assert.Contains(t, body, part)
			}
			status, _ = ask(t, s, q.path, q.body)
			require.Equal(t, 529, status)
			_, body = ask(t, s, q.path, q.body)
			assert.Contains(t, body, "Last.")
			_, body = ask(t, s, q.path, q.body)
			assert.Contains(t, body, "All done.")

			got := s.Answers()
			require.Len(t, got, 4)
			assert.Equal(t, face, got[0].Interface)
			require.Len(t, got[0].Calls, 2)
			assert.Equal(t, "one", got[0].Calls[0].Label)
			assert.Equal(t, "read_file", got[0].Calls[1].Tool)
			assert.JSONEq(t, `{"path":"here"}`, string(got[0].Calls[1].Arguments))
			assert.NotEqual(t, got[0].Calls[0].ID, got[0].Calls[1].ID)
			assert.Equal(t, []int{200, 529, 200, 200}, []int{got[0].Status, got[1].Status, got[2].Status, got[3].Status})
			assert.Zero(t, got[1].Usage)
			assert.Equal(t, script.Turns[2].Usage, got[2].Usage)
			assert.NotEqual(t, got[0].Usage, got[3].Usage)
		})
	}
}

// TestUsage finds in the answers what the record says that they had.
func TestUsage(t *testing.T) {
	last := Script{Marker: "do the task", Turns: []Turn{script.Turns[2]}}
	wants := map[Interface]string{
		Messages: `{"input_tokens":75,"cache_read_input_tokens":20,"cache_creation_input_tokens":5,"output_tokens":9}`,
		Responses: `{"input_tokens":100,"input_tokens_details":{"cached_tokens":20},"output_tokens":9,
			"output_tokens_details":{"reasoning_tokens":2},"total_tokens":109}`,
		Chat: `{"prompt_tokens":100,"prompt_tokens_details":{"cached_tokens":20},"completion_tokens":9,
			"completion_tokens_details":{"reasoning_tokens":2},"total_tokens":109}`,
		Gemini: `{"promptTokenCount":100,"cachedContentTokenCount":20,"candidatesTokenCount":7,"thoughtsTokenCount":2,"totalTokenCount":109}`,
	}
	for face, q := range requests {
		t.Run(string(face), func(t *testing.T) {
			_, body := ask(t, start(t, last), q.path, q.body)
			var usage any
			for _, e := range events(t, body) {
				for _, at := range []any{e["usage"], e["usageMetadata"], member(e["response"], "usage")} {
					if at != nil {
						usage = at
					}
				}
			}
			got, err := json.Marshal(usage)
			require.NoError(t, err)
			assert.JSONEq(t, wants[face], string(got))
		})
	}
}

func member(v any, key string) any {
	m, _ := v.(map[string]any)
	return m[key]
}

func TestWithoutAStream(t *testing.T) {
	for face, q := range requests {
		t.Run(string(face), func(t *testing.T) {
			body := strings.Replace(q.body, `"stream":true`, `"stream":false`, 1)
			path := strings.Replace(q.path, "streamGenerateContent", "generateContent", 1)
			status, text := ask(t, start(t, script), path, body)
			require.Equal(t, http.StatusOK, status)
			require.True(t, json.Valid([]byte(text)), text)
			assert.Contains(t, text, "read_file")
		})
	}
}

func TestSideRequestsDoNotTakeATurn(t *testing.T) {
	s := start(t, script)
	_, title := ask(t, s, "/v1/messages", `{"model":"m","messages":[{"role":"user","content":"do the task"}]}`)
	assert.Contains(t, title, "Scripted session")
	summary := strings.Replace(requests[Messages].body, "]}],", `]},{"role":"user","content":"Now create a detailed summary of it"}],`, 1)
	_, text := ask(t, s, "/v1/messages", summary)
	assert.Contains(t, text, "summary")
	_, first := ask(t, s, "/v1/messages", requests[Messages].body)
	assert.Contains(t, first, "First.")
	var sides []bool
	for _, a := range s.Answers() {
		sides = append(sides, a.Side())
	}
	assert.Equal(t, []bool{true, true, false}, sides)
}

func TestWhatNoInterfaceHas(t *testing.T) {
	s := start(t)
	status, _ := ask(t, s, "/v1/embeddings", "{}")
	assert.Equal(t, http.StatusNotFound, status)
	assert.Equal(t, []string{"POST /v1/embeddings"}, s.Strange())
	for path, body := range map[string]string{"/v1/messages": "{", "/v1beta/models/m": "{}"} {
		status, _ := ask(t, s, path, body)
		assert.Equal(t, http.StatusBadRequest, status, path)
	}
	assert.Empty(t, s.Answers())
}

func TestLoopbackOnly(t *testing.T) {
	for _, address := range []string{"0.0.0.0:0", "192.0.2.1:0", "example.com:0", ":0", "nonsense"} {
		_, err := Start(address)
		assert.Error(t, err, address)
	}
}

func TestLog(t *testing.T) {
	s := start(t, script)
	var log bytes.Buffer
	s.LogTo(&log)
	ask(t, s, "/v1/messages", requests[Messages].body)
	assert.Contains(t, log.String(), `marker="do the task"`)
	assert.Contains(t, log.String(), "workdir=here")
}

// TestThinks: a client that does not wait keeps nothing from ending.
func TestThinks(t *testing.T) {
	s := start(t, Script{Marker: "do the task", Turns: []Turn{{After: time.Hour, Text: "Too late."}}})
	ctx, leave := context.WithCancel(t.Context())
	q := requests[Messages]
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, s.URL+q.path, strings.NewReader(q.body))
	require.NoError(t, err)
	failed := make(chan error, 1)
	go func() {
		r, err := http.DefaultClient.Do(request)
		if err == nil {
			err = r.Body.Close()
		}
		failed <- err
	}()
	for len(s.Answers()) == 0 {
		runtime.Gosched()
	}
	leave()
	require.ErrorIs(t, <-failed, context.Canceled)
}
