package telemetry

import (
	"bytes"
	"encoding/json"

	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
)

// genaiMessage is a message in the schema of the semantic conventions
// (gen_ai.input.messages, gen_ai.output.messages). Values that the sender wrote
// stay as it wrote them.
type genaiMessage struct {
	Role  json.RawMessage `json:"role"`
	Parts []genaiPart     `json:"parts"`
}

// genaiPart is one piece of a message, or of system instructions.
type genaiPart struct {
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

// samplingMessage is a message as MCP's sampling has it; Content is one block or several.
type samplingMessage struct {
	Role    json.RawMessage `json:"role"`
	Content json.RawMessage `json:"content"`
}

// samplingBlock is a piece of content of MCP's sampling.
type samplingBlock struct {
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

// genaiMessages returns messages of MCP's sampling in the schema of the semantic conventions,
// JSON; "" if what was sent has not the shape of messages.
func genaiMessages(sent string) string {
	var all []samplingMessage
	if json.Unmarshal([]byte(sent), &all) != nil || len(all) == 0 {
		return ""
	}
	converted := make([]genaiMessage, 0, len(all))
	for _, m := range all {
		parts := genaiParts(m.Content)
		if !event.JSON(m.Role).IsString() || parts == nil {
			return ""
		}
		converted = append(converted, genaiMessage{m.Role, parts})
	}
	return encodeJSON(converted)
}

// genaiParts returns the parts of a message's content; nil if it has none.
func genaiParts(content json.RawMessage) []genaiPart {
	if !event.JSON(content).IsArray() {
		content = append(append(json.RawMessage{'['}, content...), ']')
	}
	var sent []json.RawMessage
	if json.Unmarshal(content, &sent) != nil {
		return nil
	}
	parts := make([]genaiPart, 0, len(sent))
	for _, raw := range sent {
		var b samplingBlock
		if json.Unmarshal(raw, &b) != nil || !event.JSON(b.Type).IsString() {
			return nil
		}
		parts = append(parts, genaiPartOf(raw, &b))
	}
	return parts
}

// genaiPartOf returns a block as a part; one that the semantic conventions do not know, or
// that lacks what they require, is a generic part around the block.
func genaiPartOf(raw json.RawMessage, b *samplingBlock) genaiPart {
	data := event.JSON(b.Data).IsString()
	switch kind := event.JSON(b.Type).Str(); {
	case kind == "text" && event.JSON(b.Text).IsString():
		return genaiPart{Type: "text", Content: b.Text}
	case (kind == "image" || kind == "audio") && data:
		return genaiPart{Type: "blob", Modality: kind, MimeType: b.MimeType, Content: b.Data}
	case kind == "tool_use" && event.JSON(b.Name).IsString():
		return genaiPart{Type: "tool_call", ID: b.ID, Name: b.Name, Arguments: b.Input}
	case kind == "tool_result" && b.Content != nil:
		return genaiPart{Type: "tool_call_response", ID: b.UseID, Response: b.Content}
	}
	return genaiPart{Type: "generic", GenericType: b.Type, Content: raw}
}

// genaiInstructions returns a system prompt in the schema of the semantic conventions, JSON;
// "" if there is none.
func genaiInstructions(prompt string) string {
	if prompt == "" {
		return ""
	}
	return encodeJSON([]genaiPart{{Type: "text", Content: json.RawMessage(encodeJSON(prompt))}})
}

// encodeJSON returns the value as JSON; "" if it cannot be encoded.
func encodeJSON(v any) string {
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	if e.Encode(v) != nil {
		return ""
	}
	return string(bytes.TrimSuffix(text.Bytes(), []byte("\n")))
}

// genaiFinishReason returns MCP's stopReason in the words of the semantic conventions.
func genaiFinishReason(stop string) string {
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
