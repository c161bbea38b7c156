package frame

import (
	"bytes"
)

// skim reads one JSON object of any length in parts and keeps of it what a
// reduced message has. It checks brackets and strings, not the rest: what it
// kept is checked at the end.
type skim struct {
	depth    int     // of open brackets
	object   [3]bool // at depth 1 and 2: the bracket is an object's
	section  []byte  // the member of the message that is open at depth 2
	key      []byte  // of the member at hand, at depth 1 or 2
	inString bool
	escaped  bool // the next byte of the string is
	isKey    bool // the string is a member's name
	nextKey  bool // the next string is one
	inScalar bool // a number or word, begun and not ended
	broken   bool

	kept      [len(slots)][]byte
	slot      int // that is being filled, from 1; 0 = none
	slotDepth int
	isResult  bool // there is a result, or an error: without it the reply would be none
	isError   bool
}

// slots are what is kept: section and key, and how many bytes at most. What is
// longer is left out.
var slots = [...]struct {
	section, key string
	limit        int
}{
	{"", "jsonrpc", 16},
	{"", "id", 1024},
	{"", "method", 1024},
	{"params", "name", 4096},
	{"params", "_meta", 64 << 10},
	{"params", "sessionId", 1024},
	{"result", "isError", 8},
	{"result", "_meta", 64 << 10},
	{"result", "sessionId", 1024},
	{"error", "code", 32},
	{"error", "message", 4096},
}

// skippable are the bytes that mean nothing below what is kept.
var skippable = func() (table [256]bool) {
	for i := range table {
		table[i] = bytes.IndexByte([]byte(`"{}[]`), byte(i)) < 0
	}
	return table
}()

func (s *skim) feed(p []byte) {
	for len(p) > 0 && !s.broken {
		n := 1
		switch {
		case s.inString:
			n = s.stringPart(p)
		case s.depth > 2 && s.slot == 0 && skippable[p[0]]:
			for n < len(p) && skippable[p[n]] {
				n++
			}
			p = p[n:]
			continue
		default:
			s.token(p[0])
		}
		s.keep(p[:n])
		p = p[n:]
		s.closeValues()
	}
}

// stringPart returns the number of bytes of p that belong to the string.
func (s *skim) stringPart(p []byte) int {
	i := 0
	if s.escaped {
		s.escaped, i = false, 1
	}
	quote := indexFrom(p, i, '"')
	for {
		escape := bytes.IndexByte(p[i:quote], '\\')
		if escape < 0 {
			break
		}
		if i += escape + 2; i > len(p) {
			s.escaped = true
			return len(p)
		}
		if i > quote {
			quote = indexFrom(p, i, '"')
		}
	}
	if quote == len(p) {
		return quote
	}
	s.inString = false
	return quote + 1
}

// indexFrom is where c comes next, len(p) if nowhere.
func indexFrom(p []byte, from int, c byte) int {
	if i := bytes.IndexByte(p[from:], c); i >= 0 {
		return from + i
	}
	return len(p)
}

func (s *skim) token(c byte) {
	switch c {
	case '"':
		s.isKey = s.nextKey
		if s.inString = true; s.isKey {
			s.key = s.key[:0]
		} else {
			s.begin()
		}
	case '{', '[':
		s.open(c)
	case '}', ']':
		s.endScalar()
		s.depth--
		s.nextKey = false
		s.broken = s.depth < 0
	case ',':
		s.endScalar()
		s.nextKey = s.depth > 0 && s.depth <= 2 && s.object[s.depth]
	case ':':
		s.nextKey = false
	case ' ', '\t', '\r', '\n':
		s.endScalar()
	default:
		if s.depth == 0 {
			s.broken = true
		}
		if !s.inScalar {
			s.inScalar = true
			s.begin()
		}
	}
}

func (s *skim) open(c byte) {
	if s.depth == 0 && c != '{' {
		s.broken = true
		return
	}
	s.begin()
	s.depth++
	s.nextKey = false
	if s.depth > 2 {
		return
	}
	s.object[s.depth] = c == '{'
	s.nextKey = c == '{'
	if s.depth == 2 {
		s.section = append(s.section[:0], s.key...)
	}
}

// begin is called where a value begins: it may be one to keep.
func (s *skim) begin() {
	if s.slot != 0 || s.depth == 0 || s.depth > 2 || !s.object[s.depth] {
		return
	}
	section := s.section
	if s.depth == 1 {
		section = nil
		s.isResult = s.isResult || string(s.key) == "result"
		s.isError = s.isError || string(s.key) == "error"
	}
	for i := range slots {
		if slots[i].section == string(section) && slots[i].key == string(s.key) {
			s.slot, s.slotDepth = i+1, s.depth
			s.kept[i] = s.kept[i][:0]
		}
	}
}

// endScalar ends a number or word before the byte at hand.
func (s *skim) endScalar() {
	if s.inScalar && s.slot != 0 && s.depth == s.slotDepth {
		s.slot = 0
	}
	s.inScalar = false
}

// keep adds bytes to the slot that is being filled, and to the key.
func (s *skim) keep(p []byte) {
	if s.isKey && len(s.key) < 64 {
		s.key = append(s.key, bytes.Trim(p, `"`)...)
	}
	if s.slot == 0 {
		return
	}
	if to := &s.kept[s.slot-1]; len(*to)+len(p) <= slots[s.slot-1].limit {
		*to = append(*to, p...)
	} else {
		*to, s.slot = nil, 0
	}
}

// closeValues ends strings and brackets after the bytes at hand were kept.
func (s *skim) closeValues() {
	if s.inString {
		return
	}
	s.isKey = false
	if s.slot != 0 && !s.inScalar && s.depth == s.slotDepth {
		s.slot = 0
	}
}
