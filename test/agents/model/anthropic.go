package model

import (
	"encoding/json"
	"net/http"
)

// content is text, or a list of parts of which some have text.
type content string

// UnmarshalJSON implements json.Unmarshaler.
func (c *content) UnmarshalJSON(data []byte) error {
	var text string
	if json.Unmarshal(data, &text) == nil {
		*c = content(text)
		return nil
	}
	var parts []struct {
		Text string `json:"text"`
	}
	if err := json.Unmarshal(data, &parts); err != nil {
		return err
	}
	for _, p := range parts {
		*c += content(p.Text) + "\n"
	}
	return nil
}

type chatMessage struct {
	Role    string  `json:"role"`
	Content content `json:"content"`
}

// texts returns those of one role.
func texts(messages []chatMessage, role string) (all []string) {
	for _, m := range messages {
		if m.Role == role {
			all = append(all, string(m.Content))
		}
	}
	return all
}

func readMessages(_ *http.Request, body []byte) (request, error) {
	var q struct {
		Model    string        `json:"model"`
		Stream   bool          `json:"stream"`
		System   content       `json:"system"`
		Messages []chatMessage `json:"messages"`
		Tools    []struct {
			Name string `json:"name"`
		} `json:"tools"`
		OutputConfig json.RawMessage `json:"output_config"`
		OutputFormat json.RawMessage `json:"output_format"`
	}
	if err := json.Unmarshal(body, &q); err != nil {
		return request{}, err
	}
	r := request{model: q.Model, stream: q.Stream, system: string(q.System), caches: true}
	r.users = texts(q.Messages, "user")
	r.schema = q.OutputFormat != nil || (q.OutputConfig != nil && len(q.Tools) == 0)
	for _, t := range q.Tools {
		r.tools = append(r.tools, t.Name)
	}
	return r, nil
}

// anthropicUsage has all four fields: what is read from and written to the
// cache is not part of its input.
func anthropicUsage(u Usage) map[string]any {
	return map[string]any{
		"input_tokens":                u.Input - u.CacheRead - u.CacheWrite,
		"cache_read_input_tokens":     u.CacheRead,
		"cache_creation_input_tokens": u.CacheWrite,
		"output_tokens":               u.Output,
	}
}

func anthropicBlocks(t Turn, a Answer) (blocks []map[string]any) {
	if t.Text != "" {
		blocks = append(blocks, map[string]any{"type": "text", "text": t.Text})
	}
	for _, c := range a.Calls {
		blocks = append(blocks, map[string]any{"type": "tool_use", "id": c.ID, "name": c.Tool, "input": c.Arguments})
	}
	return blocks
}

func stopReason(a Answer) string {
	if len(a.Calls) > 0 {
		return "tool_use"
	}
	return "end_turn"
}

func writeMessages(w http.ResponseWriter, q request, t Turn, a Answer) {
	if t.Fail != 0 {
		kind := "api_error"
		if t.Fail == 529 {
			kind = "overloaded_error"
		}
		writeJSON(w, t.Fail, map[string]any{
			"type": "error", "error": map[string]any{"type": kind, "message": "scripted failure"}, "request_id": a.RequestID,
		})
		return
	}
	message := map[string]any{
		"id": a.ID, "type": "message", "role": "assistant", "model": a.Model, "content": []any{},
		"stop_reason": nil, "stop_sequence": nil, "usage": anthropicUsage(a.Usage),
	}
	blocks := anthropicBlocks(t, a)
	if !q.stream {
		message["content"], message["stop_reason"] = blocks, stopReason(a)
		writeJSON(w, http.StatusOK, message)
		return
	}
	s := newStream(w)
	s.send("message_start", map[string]any{"type": "message_start", "message": message})
	for i, b := range blocks {
		sendBlock(s, i, b)
	}
	s.send("message_delta", map[string]any{
		"type":  "message_delta",
		"delta": map[string]any{"stop_reason": stopReason(a), "stop_sequence": nil},
		"usage": anthropicUsage(a.Usage),
	})
	s.send("message_stop", map[string]any{"type": "message_stop"})
}

// sendBlock sends a block as its start, one delta and its stop.
func sendBlock(s stream, i int, b map[string]any) {
	start := map[string]any{"type": "text", "text": ""}
	delta := map[string]any{"type": "text_delta", "text": b["text"]}
	if b["type"] == "tool_use" {
		arguments, _ := b["input"].(json.RawMessage)
		start = map[string]any{"type": "tool_use", "id": b["id"], "name": b["name"], "input": map[string]any{}}
		delta = map[string]any{"type": "input_json_delta", "partial_json": string(arguments)}
	}
	s.send("content_block_start", map[string]any{"type": "content_block_start", "index": i, "content_block": start})
	s.send("content_block_delta", map[string]any{"type": "content_block_delta", "index": i, "delta": delta})
	s.send("content_block_stop", map[string]any{"type": "content_block_stop", "index": i})
}
