package settings

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

func (d *tomlDocument) Set(path []string, value any) error {
	if _, e := d.find(path); e != nil {
		return d.replace(e.value, tomlValue(value), path, value)
	}
	if _, exists := d.Value(path...); exists {
		return errTable
	}
	for n := len(path) - 1; n > 0; n-- {
		if _, e := d.find(path[:n]); e != nil && e.braces {
			return d.intoBraces(e, path, path[n:], value)
		}
	}
	for n := len(path) - 1; n > 0; n-- {
		if t, last := d.home(path[:n]); t != nil {
			return d.intoTable(t, last, path, value)
		}
	}
	header := ""
	if trimmed := bytes.TrimRight(d.text, " \t\r\n"); len(trimmed) > 0 {
		header = d.nl
		if len(trimmed) == len(d.text) {
			header += d.nl
		}
	}
	header += "[" + tomlKey(path[:len(path)-1]) + "]" + d.nl
	end := len(d.text)
	return d.replace(span{end, end}, header+tomlKey(path[len(path)-1:])+" = "+tomlValue(value)+d.nl, path, value)
}

// home is the table whose members are at a path: one with that name, or one in
// which keys begin with it. last is the member behind which another one goes.
func (d *tomlDocument) home(path []string) (t *table, last *entry) {
	for _, t := range d.tables {
		if !t.array && len(path) > 0 && slices.Equal(t.path, path) {
			for i := range t.members {
				if !t.members[i].inline {
					last = &t.members[i]
				}
			}
			return t, last
		}
	}
	for _, t := range d.tables {
		if t.array {
			continue
		}
		for i := range t.members {
			if e := &t.members[i]; !e.inline && len(e.path) > len(path) && len(t.path) < len(path) && slices.Equal(e.path[:len(path)], path) {
				last = e
			}
		}
		if last != nil {
			return t, last
		}
	}
	return nil, nil
}

// intoTable adds a line behind the last member of a table, or behind its header.
func (d *tomlDocument) intoTable(t *table, last *entry, path []string, value any) error {
	at, indent := t.header, ""
	if last != nil {
		at = d.line(last.span)
		indent = string(d.text[at.from:last.from])
	}
	line := d.nl + indent + tomlKey(path[len(t.path):]) + " = " + tomlValue(value)
	return d.replace(span{at.to, at.to}, line, path, value)
}

// intoBraces adds a member to an inline table.
func (d *tomlDocument) intoBraces(e *entry, path, rest []string, value any) error {
	end := e.value.to - 1
	for end > e.value.from+1 && strings.IndexByte(" \t\r\n", d.text[end-1]) >= 0 {
		end--
	}
	comma := ", "
	if d.text[end-1] == '{' {
		comma = " "
	}
	text := comma + tomlKey(rest) + " = " + tomlValue(value)
	if end == e.value.to-1 && comma == " " {
		text += " "
	}
	return d.replace(span{end, end}, text, path, value)
}

func (d *tomlDocument) Remove(path []string, keep int) error {
	t, e := d.find(path)
	if e == nil {
		return nil
	}
	if err := d.replace(d.around(e), "", path, nil); err != nil {
		return err
	}
	return d.prune(t.path, keep)
}

// around is an entry with the line break before it, or with its comma.
func (d *tomlDocument) around(e *entry) span {
	line := d.line(e.span)
	before, after := d.text[line.from:e.from], d.text[e.to:line.to]
	switch rest := bytes.TrimSpace(after); {
	case e.inline:
		front := bytes.TrimRight(d.text[:e.from], " \t")
		if bytes.HasSuffix(front, []byte{','}) {
			return span{len(front) - 1, e.to}
		}
		if bytes.HasPrefix(rest, []byte{','}) {
			to := e.to + bytes.IndexByte(d.text[e.to:], ',') + 1
			return span{e.from, to + len(d.text[to:]) - len(bytes.TrimLeft(d.text[to:], " \t"))}
		}
		return span{len(front), e.to}
	case len(bytes.TrimSpace(before)) == 0 && (len(rest) == 0 || rest[0] == '#'):
		return d.withBreak(line)
	}
	return e.span
}

// withBreak is lines with the line break before them, or behind them at the
// start of the file.
func (d *tomlDocument) withBreak(lines span) span {
	if lines.from > 0 {
		return span{len(bytes.TrimSuffix(d.text[:lines.from-1], []byte{'\r'})), lines.to}
	}
	rest := d.text[lines.to:]
	return span{0, lines.to + len(rest) - len(bytes.TrimPrefix(bytes.TrimPrefix(rest, []byte{'\r'}), []byte{'\n'}))}
}

// prune removes the header of a table of more than keep parts that has nothing
// in it, with the blank line before.
func (d *tomlDocument) prune(path []string, keep int) error {
	if len(path) <= keep {
		return nil
	}
	for _, t := range d.tables[1:] {
		if t.array || len(t.members) > 0 || !slices.Equal(t.path, path) {
			continue
		}
		at := d.withBreak(t.header)
		if at.from > 0 && d.text[at.from-1] == '\n' {
			at.from = len(bytes.TrimSuffix(d.text[:at.from-1], []byte{'\r'}))
		}
		value, _ := d.Value(path...)
		if len(value.(map[string]any)) > 0 {
			return nil // there are tables below it
		}
		return d.replace(at, "", path, nil)
	}
	return nil
}

func tomlKey(path []string) string {
	parts := make([]string, len(path))
	for i, part := range path {
		parts[i] = part
		if !isBare(part) {
			parts[i] = TOMLString(part)
		}
	}
	return strings.Join(parts, ".")
}

func isBare(key string) bool {
	for _, r := range key {
		if (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '_' && r != '-' {
			return false
		}
	}
	return key != ""
}

func tomlValue(value any) string {
	switch v := value.(type) {
	case string:
		return TOMLString(v)
	case Object:
		parts := make([]string, len(v))
		for i, m := range v {
			parts[i] = tomlKey([]string{m.Key}) + " = " + tomlValue(m.Value)
		}
		return "{ " + strings.Join(parts, ", ") + " }"
	case []any:
		parts := make([]string, len(v))
		for i, element := range v {
			parts[i] = tomlValue(element)
		}
		return "[" + strings.Join(parts, ", ") + "]"
	}
	return fmt.Sprint(value)
}

// TOMLString is the text as a basic string of TOML.
func TOMLString(text string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range text {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r < ' ' || r == 0x7f:
			b.WriteString(`\u` + strconv.FormatInt(0x10000+int64(r), 16)[1:])
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}
