package messages

import (
	"strings"

	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonscan"
)

// part holds what a part of a message may have, by whatever API.
type part struct {
	kind, text, id, name, arguments, response, thinking                  jsonscan.Value
	call, answer, function, inline, file, source, image, data, mime, uri jsonscan.Value
	thought                                                              jsonscan.Value
}

func (p *part) read(v jsonscan.Value) {
	for key, m := range v.Members() {
		if to := p.field(key); to != nil && *to == "" && !m.IsNull() {
			*to = m
		}
	}
}

// field is where the member of that name belongs, nil if nowhere.
func (p *part) field(name string) *jsonscan.Value {
	switch name {
	case "type":
		return &p.kind
	case "text", "content":
		return &p.text
	case "id", "toolCallId", "tool_call_id", "tool_use_id", "call_id", "ref":
		return &p.id
	case "name", "toolName":
		return &p.name
	case "args", "input", "arguments":
		return &p.arguments
	case "result", "output", "response":
		return &p.response
	case "thinking", "reasoning":
		return &p.thinking
	case "thought":
		return &p.thought
	}
	return p.nested(name)
}

func (p *part) nested(name string) *jsonscan.Value {
	switch name {
	case "functionCall", "function_call", "toolRequest":
		return &p.call
	case "functionResponse", "function_response", "toolResponse":
		return &p.answer
	case "function":
		return &p.function
	case "inlineData", "inline_data":
		return &p.inline
	case "fileData", "file_data":
		return &p.file
	case "source", "media":
		return &p.source
	case "image_url", "image", "url":
		return &p.image
	case "data":
		return &p.data
	case "mime_type", "mediaType", "mimeType", "media_type", "contentType":
		return &p.mime
	case "uri", "fileUri", "file_uri":
		return &p.uri
	}
	return nil
}

// part writes one part.
func (b *Builder) part(v jsonscan.Value) {
	if !v.IsObject() {
		b.Generic("", v)
		return
	}
	var p part
	p.read(v)
	if !p.typed(b) && !p.untyped(b) {
		b.Generic(p.kind.Str(), v)
	}
}

// typed writes a part whose type is known.
func (p *part) typed(b *Builder) bool {
	switch p.kind.Str() {
	case "text", "input_text", "output_text":
		b.Text(p.text.Text())
	case "reasoning", "thinking":
		b.Reasoning(first(p.thinking, p.text).Text())
	case "tool-call", "tool_call", "tool_use", "function", "function_call":
		p.toolCall(b)
	case "tool-result", "tool_result", "tool_call_response", "function_call_output":
		b.ToolResponse(p.id.Text(), plainOutput(first(p.response, p.text)))
	case "image", "image_url", "file", "document", "input_image", "blob", "uri":
		return p.media(b)
	default:
		return false
	}
	return true
}

// untyped writes a part that is known by its members, as those of Gemini are.
func (p *part) untyped(b *Builder) bool {
	switch {
	case p.call.IsObject():
		var call part
		call.read(p.call)
		call.toolCall(b)
	case p.answer.IsObject():
		var answer part
		answer.read(p.answer)
		b.ToolResponse(answer.id.Text(), answer.response.Text())
	case p.function.IsObject(), p.kind == "" && p.name != "" && p.arguments != "":
		p.toolCall(b)
	case p.inline.IsObject(), p.file.IsObject():
		return p.media(b)
	case p.kind == "" && p.thinking.IsString():
		b.Reasoning(p.thinking.Str())
	case p.kind == "" && p.thought.IsTrue() && p.text.IsString(): // Gemini's
		b.Reasoning(p.text.Str())
	case p.kind == "" && p.text.IsString():
		b.Text(p.text.Str())
	default:
		return false
	}
	return true
}

// toolCall has its name and arguments itself or, as OpenAI has it, in a function.
func (p *part) toolCall(b *Builder) {
	name, arguments := p.name, p.arguments
	if p.function.IsObject() {
		name, arguments = member(p.function, "name"), member(p.function, "arguments")
	}
	b.ToolCall(p.id.Text(), name.Text(), arguments.Text())
}

// plainOutput is the value of an output that says its type: {"type":"json","value":…}.
func plainOutput(v jsonscan.Value) string {
	if inner := member(v, "value"); inner != "" && member(v, "type") != "" {
		return inner.Text()
	}
	return v.Text()
}

// media writes an image, a sound or a document. It reports whether it found one.
func (p *part) media(b *Builder) bool {
	for _, from := range []jsonscan.Value{p.inline, p.file, p.source, p.image, p.data} {
		if from.IsObject() {
			var inner part
			inner.read(from)
			if inner.mime == "" {
				inner.mime = p.mime
			}
			return inner.writeSource(b)
		}
	}
	return p.writeSource(b)
}

// writeSource writes what is here or at an address.
func (p *part) writeSource(b *Builder) bool {
	mime := p.mime.Str()
	kind := modality(mime)
	if mime == "" && (strings.Contains(p.kind.Str(), "image") || p.kind == "") {
		kind = "image"
	}
	switch address := first(p.uri, p.image).Str(); {
	case strings.Contains(address, "://"), strings.HasPrefix(address, "data:"):
		b.Media(kind, mime, address)
	case address != "":
		b.Blob(kind, mime, address)
	case p.data.IsString():
		b.Blob(kind, mime, p.data.Str())
	default:
		return false
	}
	return true
}

// modality returns that of a media type.
func modality(mime string) string {
	kind, _, _ := strings.Cut(mime, "/")
	switch kind {
	case "image", "audio", "video":
		return kind
	}
	return "document"
}
