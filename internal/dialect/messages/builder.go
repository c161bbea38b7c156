// Package messages converts the messages of model calls to what the semantic
// conventions have in gen_ai.input.messages and gen_ai.output.messages
// (https://github.com/open-telemetry/semantic-conventions-genai, gen-ai-dev/1.42.0-dev:
// model/gen-ai/gen-ai-input-messages.json): messages of a role that have parts.
package messages

import (
	"strings"

	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonscan"
)

// MaxInput bounds the bytes of JSON that are converted. What is longer stays as it is.
const MaxInput = 1 << 20

// maxOutput keeps tiny parts from becoming many times their size.
const maxOutput = 2 * MaxInput

// Builder writes messages. The zero value is ready; [Builder.Reset] makes it ready
// again. It is not safe for concurrent use.
type Builder struct {
	// NoSystem leaves the instructions of a request out.
	NoSystem bool

	out     []byte
	inParts bool
	parts   int
	depth   int // of lists and messages that are read
}

// Reset drops what was written and keeps the memory.
func (b *Builder) Reset() {
	out := b.out[:0]
	if cap(out) > MaxInput {
		out = nil // one large message must not stay in memory
	}
	*b = Builder{NoSystem: b.NoSystem, out: out}
}

// Message begins a message. A role that is empty is the user's.
func (b *Builder) Message(role string) {
	b.end()
	if len(b.out) == 0 {
		b.out = append(b.out, '[')
	} else {
		b.out = append(b.out, ',')
	}
	b.out = append(b.out, `{"role":`...)
	b.quote(Role(role))
	b.out = append(b.out, `,"parts":[`...)
	b.inParts, b.parts = true, 0
}

func (b *Builder) end() {
	if b.inParts {
		b.out = append(b.out, `]}`...)
		b.inParts = false
	}
}

// String is all messages as JSON, "" if there is none or they are too long.
func (b *Builder) String() string {
	b.end()
	if len(b.out) == 0 || b.full() {
		return ""
	}
	return string(append(b.out, ']'))
}

// full reports whether nothing more is to be written.
func (b *Builder) full() bool { return len(b.out) > maxOutput }

// open begins a part of the type.
func (b *Builder) open(kind string) {
	if !b.inParts {
		b.Message("")
	}
	if b.parts++; b.parts > 1 {
		b.out = append(b.out, ',')
	}
	b.out = append(b.out, `{"type":"`...)
	b.out = append(b.out, kind...)
	b.out = append(b.out, '"')
}

func (b *Builder) close() { b.out = append(b.out, '}') }

// Parts adds the content blocks in a list of JSON to the message. It reports whether
// the text was one.
func (b *Builder) Parts(text string) bool {
	v := value(text)
	if !v.IsArray() {
		return false
	}
	b.content(v)
	return true
}

// Text adds a text.
func (b *Builder) Text(content string) {
	b.open("text")
	b.name("content")
	b.quote(content)
	b.close()
}

// Reasoning adds what the model thought.
func (b *Builder) Reasoning(content string) {
	b.open("reasoning")
	b.name("content")
	b.quote(content)
	b.close()
}

// ToolCall adds what the model wants to call; arguments are JSON or any text.
func (b *Builder) ToolCall(id, name, arguments string) {
	b.open("tool_call")
	b.member("id", id)
	b.name("name")
	b.quote(name)
	if arguments != "" {
		b.name("arguments")
		b.any(arguments)
	}
	b.close()
}

// ToolResponse adds what a tool answered: JSON or any text.
func (b *Builder) ToolResponse(id, response string) {
	b.open("tool_call_response")
	b.member("id", id)
	b.name("response")
	b.any(response)
	b.close()
}

// Media adds an image, a sound or a document by its address, a data URL included.
func (b *Builder) Media(modality, mime, address string) {
	if head, data, ok := strings.Cut(address, ";base64,"); ok && strings.HasPrefix(head, "data:") {
		b.Blob(modality, strings.TrimPrefix(head, "data:"), data)
		return
	}
	b.open("uri")
	b.member("mime_type", mime)
	b.name("modality")
	b.quote(modality)
	b.name("uri")
	b.quote(address)
	b.close()
}

// Blob adds one by its content, which is base64.
func (b *Builder) Blob(modality, mime, data string) {
	b.open("blob")
	b.member("mime_type", mime)
	b.name("modality")
	b.quote(modality)
	b.name("content")
	b.quote(data)
	b.close()
}

// Generic adds what the conventions have no part for; content is JSON.
func (b *Builder) Generic(kind string, content jsonscan.Value) {
	b.open("generic")
	b.name("generic_type")
	if kind == "" {
		kind = "unknown"
	}
	b.quote(kind)
	b.name("content")
	b.out = append(b.out, content...)
	b.close()
}

func (b *Builder) name(name string) {
	b.out = append(b.out, ',', '"')
	b.out = append(b.out, name...)
	b.out = append(b.out, '"', ':')
}

// member adds a string unless it is empty.
func (b *Builder) member(name, content string) {
	if content != "" {
		b.name(name)
		b.quote(content)
	}
}

// any adds JSON as it is, and other text as a string.
func (b *Builder) any(text string) {
	if v := value(text); v.IsObject() || v.IsArray() {
		b.out = append(b.out, v...)
		return
	}
	b.quote(text)
}

func (b *Builder) quote(s string) { b.out = AppendQuoted(b.out, s) }

// Role is a role by the name that the conventions have for it.
func Role(name string) string {
	switch name {
	case "", "human", "HUMAN":
		return "user"
	case "model", "ai", "AI", "chatbot", "MODEL":
		return "assistant"
	case "function", "toolResult":
		return "tool"
	}
	return name
}
