package dialect

import (
	"slices"
	"strconv"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"
)

// maxFlat is how many attributes of flattened messages are read.
const maxFlat = 4096

// flat is one attribute of flattened messages: the message's number, and the rest of
// the key.
type flat struct {
	message int
	name    string
	value   pcommon.Value
}

// flattened sets the fact to the messages whose members are attributes, with keys
// that begin with the dialect's prefix of that index, a number and a middle:
// llm.input_messages.0.message.role.
func (s *Span) flattened(prefix int, to Field, middle string) {
	if !s.Saw(prefix) || s.Has(to) {
		return
	}
	list := s.flats(prefix, middle)
	if len(list) == 0 {
		return
	}
	s.builder.Reset()
	for len(list) > 0 {
		n := 1
		for n < len(list) && list[n].message == list[0].message {
			n++
		}
		s.flatMessage(list[:n], to)
		list = list[n:]
	}
	if text := s.builder.String(); text != "" {
		s.SetText(to, text)
		s.spent |= 1 << prefix
	}
}

func (s *Span) flats(prefix int, middle string) (list []flat) {
	for key, v := range s.Attributes.All() {
		rest, ok := strings.CutPrefix(key, s.prefixes[prefix])
		if !ok {
			continue
		}
		number, name, _ := strings.Cut(rest, ".")
		n, err := strconv.Atoi(number)
		if err != nil || n < 0 || len(list) == maxFlat {
			continue
		}
		list = append(list, flat{n, strings.TrimPrefix(name, middle), v})
	}
	slices.SortStableFunc(list, func(a, b flat) int {
		if a.message != b.message {
			return a.message - b.message
		}
		return compareKeys(a.name, b.name)
	})
	return list
}

// compareKeys orders numbers in keys as numbers.
func compareKeys(a, b string) int {
	for {
		x, restA, moreA := strings.Cut(a, ".")
		y, restB, moreB := strings.Cut(b, ".")
		if x != y {
			n, errN := strconv.Atoi(x)
			m, errM := strconv.Atoi(y)
			if errN == nil && errM == nil {
				return n - m
			}
			return strings.Compare(x, y)
		}
		if !moreA || !moreB {
			return len(restA) - len(restB)
		}
		a, b = restA, restB
	}
}

// flatMessage writes the message that the attributes are of.
func (s *Span) flatMessage(list []flat, to Field) {
	m := flatMessage{}
	for _, f := range list {
		m.read(f.name, textOf(f.value))
	}
	if m.role == "" && to == OutputMessages {
		m.role = "assistant"
	}
	s.builder.Message(m.role)
	switch {
	case m.callID != "" && len(m.calls) == 0:
		s.builder.ToolResponse(m.callID, m.content)
	case m.content != "":
		s.content(m.content)
	}
	for _, p := range m.parts {
		switch {
		case p.image != "":
			s.builder.Media("image", "", p.image)
		case p.text != "" && p.kind == "reasoning":
			s.builder.Reasoning(p.text)
		case p.text != "":
			s.builder.Text(p.text)
		}
	}
	for _, c := range m.calls {
		s.builder.ToolCall(c.id, c.name, c.arguments)
	}
}

// content writes a text, or the content blocks that some record as JSON.
func (s *Span) content(text string) {
	if strings.HasPrefix(text, `[{"`) && s.builder.Parts(text) {
		return
	}
	s.builder.Text(text)
}

type flatMessage struct {
	role, content, callID string
	calls                 []flatCall
	parts                 []flatPart
}

type flatCall struct{ number, id, name, arguments string }

type flatPart struct{ number, kind, text, image string }

// read takes one member: role, content, tool_call_id, contents.0.message_content.text,
// tool_calls.0.tool_call.function.name (OpenInference) or tool_calls.0.name.
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
		m.role = text
	case "content":
		m.content = text
	case "tool_call_id":
		m.callID = text
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
	if n := len(m.parts); n == 0 || m.parts[n-1].number != number {
		m.parts = append(m.parts, flatPart{number: number})
	}
	p := &m.parts[len(m.parts)-1]
	switch strings.TrimPrefix(name, "message_content.") {
	case "type":
		p.kind = text
	case "text":
		p.text = text
	case "image.image.url":
		p.image = text
	}
}
