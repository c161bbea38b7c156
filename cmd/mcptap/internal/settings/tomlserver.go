package settings

import (
	"bytes"
	"strings"
)

// tomlServer is one of Codex's servers.
type tomlServer struct {
	named   string
	d       *tomlServers
	command *entry // nil if it is started otherwise
	args    *entry
}

func (s *tomlServer) name() string { return s.named }
func (*tomlServer) acp() bool      { return false }

func (s *tomlServer) argv() ([]string, error) {
	all := []string{s.command.text}
	if s.args == nil {
		return all, nil
	}
	if !s.args.array {
		return nil, errArgs
	}
	for _, element := range s.args.elements {
		all = append(all, element.text)
	}
	return all, nil
}

func (s *tomlServer) replace(program string, arguments []string) {
	front := make([]string, len(arguments))
	for i, text := range arguments {
		front[i] = TOMLString(text)
	}
	own := string(s.d.text[s.command.value.from:s.command.value.to]) // as it is written
	inserted := strings.Join(append(front, own), ", ")
	s.d.edit(s.command.value, TOMLString(program))
	if s.args == nil {
		s.addArgs(inserted)
		return
	}
	if len(s.args.elements) > 0 {
		inserted += ", "
	}
	open := s.args.value.from + 1
	s.d.edit(span{open, open}, inserted)
}

// addArgs adds a list of arguments behind the command: in the next line, or in
// the same braces.
func (s *tomlServer) addArgs(elements string) {
	prefix := string(s.d.text[s.command.from:s.command.key.from]) // of a dotted key
	member := prefix + "args = [" + elements + "]"
	at, before := s.command.to, ", "
	if !s.command.inline {
		line := s.d.line(s.command.span)
		indent := string(s.d.text[line.from:s.command.from])
		at, before = line.to, s.d.nl+indent
	}
	s.d.edit(span{at, at}, before+member)
}

// restore leaves a list of arguments away that becomes empty.
func (s *tomlServer) restore(index int) {
	own := s.args.elements[index-1].value
	s.d.edit(s.command.value, string(s.d.text[own.from:own.to]))
	if index == len(s.args.elements) {
		s.dropArgs(own.to)
		return
	}
	behind := own.to + bytes.IndexByte(s.d.text[own.to:], ',') + 1
	if s.d.text[behind] == ' ' {
		behind++
	}
	s.d.edit(span{s.args.value.from + 1, behind}, "")
}

// dropArgs removes the list whose last element ends at an offset, if it stands
// alone in its lines or behind a comma, and else empties it.
func (s *tomlServer) dropArgs(end int) {
	text, line := s.d.text, s.d.line(s.args.span)
	before, after := text[line.from:s.args.from], text[s.args.to:line.to]
	switch comma := bytes.TrimRight(text[:s.args.from], " \t"); {
	case s.args.inline && bytes.HasSuffix(comma, []byte{','}):
		s.d.edit(span{len(comma) - 1, s.args.to}, "")
	case !s.args.inline && line.from > 0 && len(bytes.TrimSpace(before)) == 0 && len(bytes.TrimSpace(after)) == 0:
		from := len(bytes.TrimSuffix(text[:line.from-1], []byte{'\r'}))
		s.d.edit(span{from, line.to}, "")
	default:
		s.d.edit(span{s.args.value.from + 1, end}, "")
	}
}
