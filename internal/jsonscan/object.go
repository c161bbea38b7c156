package jsonscan

import "strings"

// Select returns an object of the members that keep wants, their text as it is, or "" if
// there are none. It returns "" for any other kind of value.
func (v Value) Select(keep func(name string, value Value) bool) Value {
	if !v.IsObject() {
		return ""
	}
	var b strings.Builder
	var c Cursor
	c.Reset([]byte(v))
	c.EnterObject()
	for from := c.Offset(); ; from = c.Offset() {
		name, ok := c.Key()
		if !ok {
			break
		}
		value := c.Value()
		if c.Err() != nil {
			break
		}
		if !keep(name, value) {
			continue
		}
		b.WriteByte(separator(&b))
		b.WriteString(strings.TrimLeft(string(c.Slice(from)), ", \t\r\n"))
	}
	if b.Len() == 0 {
		return ""
	}
	b.WriteByte('}')
	return Value(b.String())
}

func separator(b *strings.Builder) byte {
	if b.Len() == 0 {
		return '{'
	}
	return ','
}

// Merge returns an object of the members of both, those of other where a name is in both.
func (v Value) Merge(other Value) Value {
	if v == "" || other == "" {
		return v + other
	}
	names := map[string]bool{}
	other.Select(func(name string, _ Value) bool {
		names[name] = true
		return false
	})
	rest := v.Select(func(name string, _ Value) bool { return !names[name] })
	if rest == "" {
		return other
	}
	return rest[:len(rest)-1] + "," + Value(strings.TrimLeft(string(other[1:]), " \t\r\n"))
}
