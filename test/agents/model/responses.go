package model

import (
	"encoding/json"
	"fmt"
	"net/http"
)

type responsesTool struct {
	Type  string          `json:"type"`
	Name  string          `json:"name"`
	Tools []responsesTool `json:"tools"` // of a namespace
}

func readResponses(_ *http.Request, body []byte) (request, error) {
	var q struct {
		Model        string            `json:"model"`
		Stream       bool              `json:"stream"`
		Instructions string            `json:"instructions"`
		Input        []json.RawMessage `json:"input"`
		Tools        []responsesTool   `json:"tools"`
	}
	if err := json.Unmarshal(body, &q); err != nil {
		return request{}, err
	}
	r := request{model: q.Model, stream: q.Stream, system: q.Instructions, reasons: true}
	for _, item := range q.Input {
		var m chatMessage
		if json.Unmarshal(item, &m) == nil && m.Role == "user" {
			r.users = append(r.users, string(m.Content))
		}
	}
	for _, t := range q.Tools {
		r.tools = append(r.tools, t.Name)
		for _, inner := range t.Tools {
			r.tools = append(r.tools, t.Name+"."+inner.Name)
		}
	}
	return r, nil
}

func responsesUsage(u Usage) map[string]any {
	return map[string]any{
		"input_tokens":          u.Input,
		"input_tokens_details":  map[string]any{"cached_tokens": u.CacheRead},
		"output_tokens":         u.Output,
		"output_tokens_details": map[string]any{"reasoning_tokens": u.Reasoning},
		"total_tokens":          u.Input + u.Output,
	}
}

func responsesItems(t Turn, a Answer) (items []map[string]any) {
	if t.Text != "" {
		items = append(items, map[string]any{
			"type": "message", "id": "msg_" + a.ID, "role": "assistant", "status": "completed",
			"content": []any{map[string]any{"type": "output_text", "text": t.Text, "annotations": []any{}}},
		})
	}
	for i, c := range a.Calls {
		item := map[string]any{
			"type": "function_call", "id": fmt.Sprintf("fc_%s_%d", a.ID, i), "call_id": c.ID, "name": c.Tool,
			"arguments": string(c.Arguments), "status": "completed",
		}
		if c.Namespace != "" {
			item["namespace"] = c.Namespace
		}
		items = append(items, item)
	}
	return items
}

func writeResponses(w http.ResponseWriter, q request, t Turn, a Answer) {
	if t.Fail != 0 {
		writeJSON(w, t.Fail, map[string]any{"error": map[string]any{"type": "server_error", "message": "scripted failure"}})
		return
	}
	items := responsesItems(t, a)
	response := map[string]any{
		"id": a.ID, "object": "response", "model": a.Model, "status": "completed", "output": items, "usage": responsesUsage(a.Usage),
	}
	if !q.stream {
		writeJSON(w, http.StatusOK, response)
		return
	}
	s := newStream(w)
	s.send("response.created", map[string]any{"type": "response.created", "response": map[string]any{"id": a.ID, "model": a.Model}})
	for i, item := range items {
		s.send("response.output_item.added", map[string]any{"type": "response.output_item.added", "output_index": i, "item": item})
		if item["type"] == "message" {
			s.send("response.output_text.delta", map[string]any{
				"type": "response.output_text.delta", "item_id": item["id"], "output_index": i, "content_index": 0, "delta": t.Text,
			})
		}
		s.send("response.output_item.done", map[string]any{"type": "response.output_item.done", "output_index": i, "item": item})
	}
	s.send("response.completed", map[string]any{"type": "response.completed", "response": response})
}
