package model

import (
	"encoding/json"
	"fmt"
	"net/http"
)

func readChat(_ *http.Request, body []byte) (request, error) {
	var q struct {
		Model         string        `json:"model"`
		Stream        bool          `json:"stream"`
		Messages      []chatMessage `json:"messages"`
		StreamOptions struct {
			IncludeUsage bool `json:"include_usage"`
		} `json:"stream_options"`
		Tools []struct {
			Function struct {
				Name string `json:"name"`
			} `json:"function"`
		} `json:"tools"`
	}
	if err := json.Unmarshal(body, &q); err != nil {
		return request{}, err
	}
	r := request{model: q.Model, stream: q.Stream, usage: q.StreamOptions.IncludeUsage, reasons: true}
	r.users = texts(q.Messages, "user")
	for _, text := range texts(q.Messages, "system") {
		r.system += text
	}
	for _, t := range q.Tools {
		r.tools = append(r.tools, t.Function.Name)
	}
	return r, nil
}

func chatUsage(u Usage) map[string]any {
	return map[string]any{
		"prompt_tokens":             u.Input,
		"prompt_tokens_details":     map[string]any{"cached_tokens": u.CacheRead},
		"completion_tokens":         u.Output,
		"completion_tokens_details": map[string]any{"reasoning_tokens": u.Reasoning},
		"total_tokens":              u.Input + u.Output,
	}
}

func chatCalls(a Answer) (calls []map[string]any) {
	for i, c := range a.Calls {
		calls = append(calls, map[string]any{
			"index": i, "id": c.ID, "type": "function",
			"function": map[string]any{"name": c.Tool, "arguments": string(c.Arguments)},
		})
	}
	return calls
}

func writeChat(w http.ResponseWriter, q request, t Turn, a Answer) {
	if t.Fail != 0 {
		writeJSON(w, t.Fail, map[string]any{"error": map[string]any{"type": "server_error", "message": "scripted failure"}})
		return
	}
	message := map[string]any{"role": "assistant", "content": t.Text}
	finish := "stop"
	if calls := chatCalls(a); calls != nil {
		message["tool_calls"], finish = calls, "tool_calls"
	}
	envelope := func(object string, choices []any) map[string]any {
		return map[string]any{"id": a.ID, "object": object, "created": 1700000000, "model": a.Model, "choices": choices}
	}
	if !q.stream {
		whole := envelope("chat.completion", []any{map[string]any{"index": 0, "message": message, "finish_reason": finish}})
		whole["usage"] = chatUsage(a.Usage)
		writeJSON(w, http.StatusOK, whole)
		return
	}
	s := newStream(w)
	const chunk = "chat.completion.chunk"
	s.send("", envelope(chunk, []any{map[string]any{"index": 0, "delta": message, "finish_reason": nil}}))
	s.send("", envelope(chunk, []any{map[string]any{"index": 0, "delta": map[string]any{}, "finish_reason": finish}}))
	if q.usage {
		last := envelope(chunk, []any{})
		last["usage"] = chatUsage(a.Usage)
		s.send("", last)
	}
	fmt.Fprint(w, "data: [DONE]\n\n")
}
