package frame

import "github.com/otelcol-mcp/otelcol-mcp/internal/jsonscan"

// message is the reduced message, false if what was read is none.
func (s *skim) message() ([]byte, bool) {
	if s.broken || s.inString || s.depth != 0 {
		return nil, false
	}
	text := []byte{'{'}
	text = s.members(text, "")
	for _, section := range []string{"params", "result", "error"} {
		inner := s.members(nil, section)
		if inner == nil && (section != "result" || !s.isResult) && (section != "error" || !s.isError) {
			continue
		}
		text = append(comma(text), `"`+section+`":{`...)
		text = append(append(text, inner...), '}')
	}
	return append(text, '}'), true
}

// members are those of a section that were kept.
func (s *skim) members(to []byte, section string) []byte {
	for i := range slots {
		if slots[i].section == section && isValue(s.kept[i]) {
			to = append(comma(to), `"`+slots[i].key+`":`...)
			to = append(to, s.kept[i]...)
		}
	}
	return to
}

func comma(text []byte) []byte {
	if n := len(text); n > 0 && text[n-1] != '{' {
		return append(text, ',')
	}
	return text
}

func isValue(text []byte) bool {
	var c jsonscan.Cursor
	c.Reset(text)
	c.Value()
	return len(text) > 0 && c.Err() == nil && c.End()
}
