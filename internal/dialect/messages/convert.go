package messages

import (
	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonscan"
)

// Convert turns what a framework recorded of a model's input or output into messages:
// a list of messages as the APIs of OpenAI, Anthropic and Google or the AI SDK of
// Vercel have them, a request or an answer that has such a list, content blocks, or
// a plain text, which is one message of the given role. What the conventions have no
// part for becomes a generic one. It returns "" if there is nothing, or too much.
func (b *Builder) Convert(text, role string) string {
	b.Reset()
	b.Add(text, role)
	return b.String()
}

// Add is [Builder.Convert] behind the messages that were written before.
func (b *Builder) Add(text, role string) {
	if text == "" || len(text) > MaxInput || text == "{}" || text == "[]" || text == "null" {
		return
	}
	switch v := value(text); {
	case v.IsString():
		b.Message(role)
		b.Text(v.Str())
	case v.IsArray():
		b.list(v, role)
	case v.IsObject():
		b.object(v, role)
	default:
		b.Message(role)
		b.Text(text)
	}
}

// maxNesting bounds how deep lists of lists and messages in messages are followed: each
// level reads its text again.
const maxNesting = 6

// list is one of messages, or else of parts.
func (b *Builder) list(v jsonscan.Value, role string) {
	b.depth++
	defer func() { b.depth-- }()
	if b.depth > maxNesting || !isMessages(v, maxNesting) {
		b.Message(role)
		b.content(v)
		return
	}
	for item := range v.Elements() {
		if b.full() {
			return
		}
		switch {
		case item.IsArray(): // a batch of conversations
			b.list(item, role)
		case item.IsObject():
			b.message(item, role)
		default:
			b.Message(role)
			b.Text(item.Text())
		}
	}
}

// isMessages reports whether the first item has a role, or is a list of such.
func isMessages(v jsonscan.Value, depth int) bool {
	for item := range v.Elements() {
		switch {
		case item.IsArray():
			return depth > 0 && isMessages(item, depth-1)
		case item.IsObject():
			return member(item, "role") != "" || member(item, "parts") != "" || member(item, "message") != ""
		}
		return false
	}
	return false
}

// object is a request, an answer, a message or a part.
func (b *Builder) object(v jsonscan.Value, role string) {
	var o body
	o.read(v)
	if o.system.IsString() && !b.NoSystem {
		b.Message("system")
		b.Text(o.system.Str())
	}
	switch {
	case o.role != "" || o.parts != "":
		b.message(v, role)
	case o.messages.IsArray():
		b.list(o.messages, role)
	case o.choices.IsArray():
		for choice := range o.choices.Elements() {
			b.message(choice, "assistant")
		}
	case o.content.IsObject() && member(o.content, "parts") != "":
		b.message(o.content, role)
	case o.content != "":
		b.Message(role)
		b.content(o.content)
	case o.prompt.IsString():
		b.Message(role)
		b.Text(o.prompt.Str())
	case o.prompt.IsArray():
		b.list(o.prompt, role)
	case o.text.IsString():
		b.Message(role)
		b.answer(&o)
	default:
		b.Message(role)
		b.part(v)
	}
}

// answer is a text, with what else the AI SDK has beside it.
func (b *Builder) answer(o *body) {
	if o.reasoning.IsString() {
		b.Reasoning(o.reasoning.Str())
	}
	if text := o.text.Str(); text != "" {
		b.Text(text)
	}
	if o.toolCalls.IsArray() {
		b.content(o.toolCalls)
	}
}

// body holds what a request or an answer may have.
type body struct {
	role, parts, messages, choices, content, prompt, text, system, toolCalls, reasoning jsonscan.Value
}

func (o *body) read(v jsonscan.Value) {
	for key, member := range v.Members() {
		switch key {
		case "role":
			o.role = member
		case "parts":
			o.parts = member
		case "messages", "contents", "input":
			o.messages = first(o.messages, member)
		case "choices":
			o.choices = member
		case "content":
			o.content = member
		case "prompt":
			o.prompt = member
		case "text":
			o.text = member
		case "system", "instructions":
			o.system = member
		case "config":
			o.system = first(o.system, systemOf(member))
		case "toolCalls", "tool_calls":
			o.toolCalls = member
		case "reasoning", "reasoningText":
			o.reasoning = member
		}
	}
}

// systemOf is the instruction in the configuration of a request to Gemini.
func systemOf(config jsonscan.Value) jsonscan.Value {
	return first(member(config, "system_instruction"), member(config, "systemInstruction"))
}

// SystemOf is the text of the system's instructions in a request, "" if there is
// none.
func SystemOf(request string) string {
	v := value(request)
	if !v.IsObject() {
		return ""
	}
	var o body
	o.read(v)
	return o.system.Str()
}

// message is an object that has a role and content, parts or calls of tools.
func (b *Builder) message(v jsonscan.Value, role string) {
	var m message
	m.read(v)
	if m.inner.IsObject() && b.depth < maxNesting {
		b.depth++
		defer func() { b.depth-- }()
		if own := m.role.Str(); own != "" {
			role = own
		}
		b.message(m.inner, role)
		return
	}
	if own := m.role.Str(); own != "" {
		role = own
	}
	b.Message(role)
	if m.reasoning.IsString() && m.reasoning.Str() != "" {
		b.Reasoning(m.reasoning.Str())
	}
	switch {
	case m.callID.IsString():
		b.ToolResponse(m.callID.Str(), m.content.Text())
	case m.parts != "":
		b.content(m.parts)
	default:
		b.content(m.content)
	}
	if m.calls.IsArray() {
		b.content(m.calls)
	}
	if m.call.IsObject() {
		b.ToolCall("", member(m.call, "name").Str(), member(m.call, "arguments").Text())
	}
}

type message struct{ role, content, parts, calls, call, callID, reasoning, inner jsonscan.Value }

func (m *message) read(v jsonscan.Value) {
	for key, member := range v.Members() {
		switch key {
		case "role":
			m.role = member
		case "content":
			m.content = member
		case "parts":
			m.parts = member
		case "tool_calls", "toolCalls":
			m.calls = member
		case "function_call":
			m.call = member
		case "tool_call_id", "toolCallId":
			m.callID = member
		case "reasoning_content", "reasoning":
			m.reasoning = member
		case "message":
			m.inner = member
		}
	}
}

// content is a text, a part, or a list of either.
func (b *Builder) content(v jsonscan.Value) {
	switch {
	case v == "" || v.IsNull():
	case v.IsString():
		if text := v.Str(); text != "" {
			b.Text(text)
		}
	case v.IsArray():
		for item := range v.Elements() {
			if b.full() {
				return
			}
			if item.IsString() {
				b.Text(item.Str())
			} else {
				b.part(item)
			}
		}
	default:
		b.part(v)
	}
}

func first(values ...jsonscan.Value) jsonscan.Value {
	for _, v := range values {
		if v != "" && !v.IsNull() {
			return v
		}
	}
	return ""
}
