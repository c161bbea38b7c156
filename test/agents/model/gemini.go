package model

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

type geminiContent struct {
	Role  string `json:"role"`
	Parts []struct {
		Text string `json:"text"`
	} `json:"parts"`
}

func (c geminiContent) text() string {
	var all strings.Builder
	for _, p := range c.Parts {
		all.WriteString(p.Text + "\n")
	}
	return all.String()
}

func readGemini(r *http.Request, body []byte) (request, error) {
	name, method, ok := strings.Cut(r.PathValue("call"), ":")
	if !ok {
		return request{}, fmt.Errorf("no method in %q", r.PathValue("call"))
	}
	var q struct {
		Contents          []geminiContent `json:"contents"`
		SystemInstruction geminiContent   `json:"systemInstruction"`
		Tools             []struct {
			FunctionDeclarations []struct {
				Name string `json:"name"`
			} `json:"functionDeclarations"`
		} `json:"tools"`
		GenerationConfig struct {
			MIME string `json:"responseMimeType"`
		} `json:"generationConfig"`
	}
	if err := json.Unmarshal(body, &q); err != nil {
		return request{}, err
	}
	out := request{model: name, stream: method == "streamGenerateContent", system: q.SystemInstruction.text(), reasons: true}
	for _, c := range q.Contents {
		if c.Role == "user" {
			out.users = append(out.users, c.text())
		}
	}
	for _, t := range q.Tools {
		for _, f := range t.FunctionDeclarations {
			out.tools = append(out.tools, f.Name)
		}
	}
	out.schema = q.GenerationConfig.MIME == "application/json"
	return out, nil
}

// geminiUsage counts thoughts beside the candidates, not as part of them.
func geminiUsage(u Usage) map[string]any {
	return map[string]any{
		"promptTokenCount":        u.Input,
		"cachedContentTokenCount": u.CacheRead,
		"candidatesTokenCount":    u.Output - u.Reasoning,
		"thoughtsTokenCount":      u.Reasoning,
		"totalTokenCount":         u.Input + u.Output,
	}
}

func writeGemini(w http.ResponseWriter, q request, t Turn, a Answer) {
	if t.Fail != 0 {
		writeJSON(w, t.Fail, map[string]any{"error": map[string]any{"code": t.Fail, "message": "scripted failure", "status": "INTERNAL"}})
		return
	}
	var parts []any
	if t.Text != "" {
		parts = append(parts, map[string]any{"text": t.Text})
	}
	for _, c := range a.Calls {
		parts = append(parts, map[string]any{"functionCall": map[string]any{"id": c.ID, "name": c.Tool, "args": c.Arguments}})
	}
	response := map[string]any{
		"candidates": []any{map[string]any{
			"content": map[string]any{"role": "model", "parts": parts}, "finishReason": "STOP", "index": 0,
		}},
		"usageMetadata": geminiUsage(a.Usage), "modelVersion": a.Model, "responseId": a.ID,
	}
	if !q.stream {
		writeJSON(w, http.StatusOK, response)
		return
	}
	newStream(w).send("", response)
}
