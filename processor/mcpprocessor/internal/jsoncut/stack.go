package jsoncut

import "github.com/otelcol-mcp/otelcol-mcp/internal/jsonscan"

// stack remembers for each open bracket whether it is an object's. A copy is
// independent, so that it serves as a snapshot.
type stack struct {
	depth int
	words [jsonscan.MaxDepth / 64]uint64
}

func (s *stack) push(object bool) {
	word, bit := s.depth/64, uint64(1)<<(s.depth%64)
	s.words[word] &^= bit
	if object {
		s.words[word] |= bit
	}
	s.depth++
}

func (s *stack) pop() { s.depth-- }

// object reports whether the innermost open bracket is an object's.
func (s *stack) object() bool {
	top := s.depth - 1
	return top >= 0 && s.words[top/64]>>(top%64)&1 == 1
}

func (s *stack) closing() byte {
	if s.object() {
		return '}'
	}
	return ']'
}
