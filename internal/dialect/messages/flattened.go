package messages

import (
	"slices"
	"strconv"
	"strings"
)

// maxFlat bounds the attributes of flattened messages that are read.
const maxFlat = 4096

// Flat collects flattened messages: attributes whose keys end in a number and the name
// of a member, as 0.message.role. The zero value is ready; [Flat.Reset] makes it ready
// again.
type Flat struct {
	list   []flat
	bytes  int        // of all texts
	calls  []flatCall // memory for those of a message
	pieces []flatPart // likewise
}

// Reset drops what was collected and keeps the memory.
func (f *Flat) Reset() { f.list, f.bytes = f.list[:0], 0 }

// keptFlat is of how many attributes the memory is kept for other batches.
const keptFlat = 256

// Release lets go of what was collected.
func (f *Flat) Release() {
	if cap(f.list) > keptFlat {
		f.list = nil
	}
	clear(f.list[:cap(f.list)])
	f.calls, f.pieces = nil, nil
	f.Reset()
}

// flat is one attribute: the number of its message, and the rest of its key.
type flat struct {
	message    int
	name, text string
}

// Add takes an attribute: what follows the prefix of its key, without a middle that
// each has, and its text. Keys without a number are none of a message.
func (f *Flat) Add(key, middle, text string) {
	digits, name, _ := strings.Cut(key, ".")
	n, ok := number(digits)
	if ok && n >= 0 && len(f.list) < maxFlat && len(text) <= MaxInput-f.bytes {
		f.bytes += len(text)
		f.list = append(f.list, flat{n, strings.TrimPrefix(name, middle), text})
	}
}

// Flattened is the messages that were collected as JSON, "" if there is none. A
// message that names no role has the given one.
func (b *Builder) Flattened(f *Flat, role string) string {
	slices.SortStableFunc(f.list, func(a, b flat) int {
		if a.message != b.message {
			return a.message - b.message
		}
		return compareKeys(a.name, b.name)
	})
	b.Reset()
	for list := f.list; len(list) > 0 && !b.full(); {
		n := 1
		for n < len(list) && list[n].message == list[0].message {
			n++
		}
		b.flatMessage(f, list[:n], role)
		list = list[n:]
	}
	return b.String()
}

// compareKeys orders numbers in keys as numbers.
func compareKeys(a, b string) int {
	for {
		x, restA, moreA := strings.Cut(a, ".")
		y, restB, moreB := strings.Cut(b, ".")
		if x != y {
			if n, ok := number(x); ok {
				if m, ok := number(y); ok {
					return n - m
				}
			}
			return strings.Compare(x, y)
		}
		if !moreA || !moreB {
			return len(restA) - len(restB)
		}
		a, b = restA, restB
	}
}

// number is a text as a number. Most are names of members, for each of which
// [strconv.Atoi] would allocate an error.
func number(text string) (int, bool) {
	if text == "" || text[0] > '9' {
		return 0, false
	}
	n, err := strconv.Atoi(text)
	return n, err == nil
}

// flatMessage writes the message that the attributes are of.
func (b *Builder) flatMessage(from *Flat, list []flat, role string) {
	m := flatMessage{role: role, calls: from.calls[:0], pieces: from.pieces[:0]}
	for _, f := range list {
		m.read(f.name, f.text)
	}
	b.Message(m.role)
	switch {
	case m.callID != "" && len(m.calls) == 0:
		b.ToolResponse(m.callID, m.content)
	case strings.HasPrefix(m.content, `[{"`) && b.Parts(m.content): // content blocks as JSON
	case m.content != "":
		b.Text(m.content)
	}
	for i := range m.pieces {
		b.flatPart(&m.pieces[i])
	}
	if m.function.name != "" && len(m.calls) == 0 {
		b.ToolCall("", m.function.name, m.function.arguments)
	}
	for i := range m.calls {
		b.ToolCall(m.calls[i].id, m.calls[i].name, m.calls[i].arguments)
	}
	from.calls, from.pieces = m.calls, m.pieces
}

func (b *Builder) flatPart(p *flatPart) {
	switch {
	case p.image != "":
		b.Media("image", "", p.image)
	case p.text != "" && p.kind == "reasoning":
		b.Reasoning(p.text)
	case p.audio != "":
		b.Media("audio", "", p.audio)
	case p.text != "":
		b.Text(p.text)
	case p.kind != "" && p.kind != "text" && p.kind != "reasoning":
		b.Generic(p.kind, "null")
	}
}

type flatMessage struct {
	role, content, callID string
	function              flatCall // as there were before tools
	calls                 []flatCall
	pieces                []flatPart
}

type flatCall struct{ number, id, name, arguments string }

type flatPart struct{ number, kind, text, image, audio string }

// read takes one member: role, content, tool_call_id, contents.0.message_content.text,
// tool_calls.0.tool_call.function.name, function_call_name (OpenInference) or
// tool_calls.0.name.
func (m *flatMessage) read(name, text string) {
	if rest, ok := strings.CutPrefix(name, "tool_calls."); ok {
		m.call(rest, text)
		return
	}
	if rest, ok := strings.CutPrefix(name, "contents."); ok {
		m.part(rest, text)
		return
	}
	switch name {
	case "role":
		if text != "" {
			m.role = text
		}
	case "content":
		m.content = text
	case "tool_call_id":
		m.callID = text
	case "function_call_name":
		m.function.name = text
	case "function_call_arguments_json":
		m.function.arguments = text
	}
}

func (m *flatMessage) call(name, text string) {
	number, name, _ := strings.Cut(name, ".")
	if n := len(m.calls); n == 0 || m.calls[n-1].number != number {
		m.calls = append(m.calls, flatCall{number: number})
	}
	c := &m.calls[len(m.calls)-1]
	switch strings.TrimPrefix(name, "tool_call.") {
	case "id":
		c.id = text
	case "name", "function.name":
		c.name = text
	case "arguments", "function.arguments":
		c.arguments = text
	}
}

func (m *flatMessage) part(name, text string) {
	number, name, _ := strings.Cut(name, ".")
	if n := len(m.pieces); n == 0 || m.pieces[n-1].number != number {
		m.pieces = append(m.pieces, flatPart{number: number})
	}
	p := &m.pieces[len(m.pieces)-1]
	switch strings.TrimPrefix(name, "message_content.") {
	case "type":
		p.kind = text
	case "text":
		p.text = text
	case "image.image.url":
		p.image = text
	case "audio.audio.url":
		p.audio = text
	}
}
