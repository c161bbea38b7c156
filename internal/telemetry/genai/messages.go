// Package genai has what models are sent and what they answer in the schema of the
// semantic conventions for generative AI. It is made of functions without state.
package genai

import (
	"bytes"
	"encoding/json"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
)

// message is a message in the schema of the semantic conventions
// (gen_ai.input.messages, gen_ai.output.messages). Values that the sender wrote
// stay as it wrote them.
type message struct {
	Role  json.RawMessage `json:"role"`
	Parts []part          `json:"parts"`
}

// part is one piece of a message, or of system instructions.
type part struct {
	Type        string          `json:"type"`
	GenericType json.RawMessage `json:"generic_type,omitempty"`
	Modality    string          `json:"modality,omitempty"`
	MimeType    json.RawMessage `json:"mime_type,omitempty"`
	ID          json.RawMessage `json:"id,omitempty"`
	Name        json.RawMessage `json:"name,omitempty"`
	Arguments   json.RawMessage `json:"arguments,omitempty"`
	Response    json.RawMessage `json:"response,omitempty"`
	Content     json.RawMessage `json:"content,omitempty"`
}

// sampled is a message as MCP's sampling has it; Content is one block or several.
type sampled struct {
	Role    json.RawMessage `json:"role"`
	Content json.RawMessage `json:"content"`
}

// block is a piece of content of MCP's sampling.
type block struct {
	Type     json.RawMessage `json:"type"`
	Text     json.RawMessage `json:"text"`
	Data     json.RawMessage `json:"data"`
	MimeType json.RawMessage `json:"mimeType"`
	ID       json.RawMessage `json:"id"`
	Name     json.RawMessage `json:"name"`
	Input    json.RawMessage `json:"input"`
	UseID    json.RawMessage `json:"toolUseId"`
	Content  json.RawMessage `json:"content"`
}

// Messages are those of MCP's sampling in the schema of the semantic conventions,
// JSON; "" if what was sent has not the shape of messages.
func Messages(sent string) string {
	var all []sampled
	if json.Unmarshal([]byte(sent), &all) != nil || len(all) == 0 {
		return ""
	}
	converted := make([]message, 0, len(all))
	for _, m := range all {
		parts := partsOf(m.Content)
		if !event.JSON(m.Role).IsString() || parts == nil {
			return ""
		}
		converted = append(converted, message{m.Role, parts})
	}
	return encode(converted)
}

// partsOf are the parts of a message's content; nil if it has none.
func partsOf(content json.RawMessage) []part {
	if !event.JSON(content).IsArray() {
		content = append(append(json.RawMessage{'['}, content...), ']')
	}
	var sent []json.RawMessage
	if json.Unmarshal(content, &sent) != nil {
		return nil
	}
	parts := make([]part, 0, len(sent))
	for _, raw := range sent {
		var b block
		if json.Unmarshal(raw, &b) != nil || !event.JSON(b.Type).IsString() {
			return nil
		}
		parts = append(parts, partOf(raw, &b))
	}
	return parts
}

// partOf is a block as a part; one that the semantic conventions do not know, or
// that lacks what they require, is a generic part around the block.
func partOf(raw json.RawMessage, b *block) part {
	data := event.JSON(b.Data).IsString()
	switch kind := event.JSON(b.Type).Str(); {
	case kind == "text" && event.JSON(b.Text).IsString():
		return part{Type: "text", Content: b.Text}
	case (kind == "image" || kind == "audio") && data:
		return part{Type: "blob", Modality: kind, MimeType: b.MimeType, Content: b.Data}
	case kind == "tool_use" && event.JSON(b.Name).IsString():
		return part{Type: "tool_call", ID: b.ID, Name: b.Name, Arguments: b.Input}
	case kind == "tool_result" && b.Content != nil:
		return part{Type: "tool_call_response", ID: b.UseID, Response: b.Content}
	}
	return part{Type: "generic", GenericType: b.Type, Content: raw}
}

// Instructions is a system prompt in the schema of the semantic conventions, JSON;
// "" if there is none.
func Instructions(prompt string) string {
	if prompt == "" {
		return ""
	}
	return encode([]part{{Type: "text", Content: json.RawMessage(encode(prompt))}})
}

// encode is the value as JSON; "" if it is none.
func encode(v any) string {
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	if e.Encode(v) != nil {
		return ""
	}
	return string(bytes.TrimSuffix(text.Bytes(), []byte("\n")))
}

// FinishReason is MCP's stopReason in the words of the semantic conventions.
func FinishReason(stop string) string {
	switch stop {
	case "endTurn", "stopSequence":
		return "stop"
	case "maxTokens":
		return "length"
	case "toolUse":
		return "tool_calls"
	}
	return stop
}
