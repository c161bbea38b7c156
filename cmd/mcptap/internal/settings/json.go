package settings

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strconv"

	"github.com/tailscale/hujson"
)

// jsonDocument is JSON, with comments and trailing commas or without.
type jsonDocument struct {
	root   hujson.Value
	marked bool   // it begins with a byte order mark
	nl     string // its line breaks
	unit   string // by which it is indented, "" if it is all in one line
}

const defaultUnit = "  "

var errNotObject = errors.New("it is not an object")

func parseJSON(text []byte) (Document, error) {
	text, marked := bytes.CutPrefix(text, byteOrderMark)
	d := &jsonDocument{marked: marked, nl: lineBreak(text), unit: defaultUnit}
	if len(bytes.TrimSpace(text)) == 0 {
		text = []byte("{}" + d.nl)
	}
	root, err := parseHuJSON(text)
	if err != nil {
		return nil, err
	}
	object, ok := root.Value.(*hujson.Object)
	if !ok {
		return nil, errNotObject
	}
	if len(object.Members) > 0 {
		d.unit = indentOf(object.Members[0].Name.BeforeExtra)
	}
	d.root = root
	return d, nil
}

func (d *jsonDocument) Text() []byte {
	text := d.root.Pack()
	if d.marked {
		text = slices.Concat(byteOrderMark, text)
	}
	return text
}

func (d *jsonDocument) Value(path ...string) (any, bool) {
	v := &d.root
	for _, key := range path {
		if v = member(v, key); v == nil {
			return nil, false
		}
	}
	standard := v.Clone()
	standard.Standardize()
	var value any
	if json.Unmarshal(standard.Pack(), &value) != nil {
		return nil, false
	}
	return value, true
}

// member is nil if v has no such member, or no such element.
func member(v *hujson.Value, key string) *hujson.Value {
	if array, ok := v.Value.(*hujson.Array); ok {
		i, err := strconv.Atoi(key)
		if err != nil || i < 0 || i >= len(array.Elements) {
			return nil
		}
		return &array.Elements[i]
	}
	object, ok := v.Value.(*hujson.Object)
	if !ok {
		return nil
	}
	for i := len(object.Members) - 1; i >= 0; i-- {
		if name, ok := object.Members[i].Name.Value.(hujson.Literal); ok && name.String() == key {
			return &object.Members[i].Value
		}
	}
	return nil
}

// place is a value and how what is in it is laid out.
type place struct {
	value  *hujson.Value
	indent string // of the line that it ends in
	inline bool   // what is in it stands in one line
}

// inside returns the layout of the children of a value at a place.
func (d *jsonDocument) inside(p place) (indent string, inline bool) {
	if p.inline || d.unit == "" {
		return "", true
	}
	if c := childrenOf(p.value); c.count() > 0 {
		if indent = indentOf(*c.before(0)); indent == "" {
			return "", true
		}
		return indent, false
	}
	return p.indent + d.unit, false
}

// at goes down a path as far as it exists.
func (d *jsonDocument) at(path []string) (p place, rest []string) {
	p.value = &d.root
	for i, key := range path {
		next := member(p.value, key)
		if next == nil {
			return p, path[i:]
		}
		p.indent, p.inline = d.inside(p)
		p.value = next
	}
	return p, nil
}

func (d *jsonDocument) Set(path []string, value any) error {
	p, rest := d.at(path)
	if len(rest) == 0 {
		written, err := d.render(value, p.indent, p.inline)
		p.value.Value = written
		return err
	}
	return d.add(p, rest, value)
}

// add adds what is missing of a path.
func (d *jsonDocument) add(p place, rest []string, value any) error {
	if _, ok := p.value.Value.(*hujson.Object); !ok {
		return errNotObject
	}
	for i := len(rest) - 1; i > 0; i-- {
		value = Object{{rest[i], value}}
	}
	indent, inline := d.inside(p)
	written, err := d.render(value, indent, inline)
	if err != nil {
		return err
	}
	d.insert(p, indent, inline, hujson.ObjectMember{
		Name:  hujson.Value{Value: hujson.String(rest[0])},
		Value: hujson.Value{BeforeExtra: d.afterColon(p), Value: written},
	})
	return nil
}

// afterColon returns the white space that the other members have there.
func (d *jsonDocument) afterColon(p place) hujson.Extra {
	object, _ := p.value.Value.(*hujson.Object)
	if len(object.Members) == 0 {
		object, _ = d.root.Value.(*hujson.Object)
	}
	if len(object.Members) > 0 && len(object.Members[0].Value.BeforeExtra) == 0 {
		return nil
	}
	return hujson.Extra(" ")
}

func (d *jsonDocument) Append(path []string, value any) error {
	p, rest := d.at(path)
	if len(rest) > 0 {
		return d.add(p, rest, []any{value})
	}
	if _, ok := p.value.Value.(*hujson.Array); !ok {
		return errors.New("it is not an array")
	}
	indent, inline := d.inside(p)
	written, err := d.render(value, indent, true)
	if err != nil {
		return err
	}
	d.insert(p, indent, inline, hujson.Value{Value: written})
	return nil
}

func (d *jsonDocument) Remove(path []string, keep int) error {
	p, rest := d.at(path[:len(path)-1])
	object, ok := p.value.Value.(*hujson.Object)
	if len(rest) > 0 || !ok {
		return nil
	}
	i := slices.IndexFunc(object.Members, func(m hujson.ObjectMember) bool {
		name, _ := m.Name.Value.(hujson.Literal)
		return name.String() == path[len(path)-1]
	})
	if i < 0 {
		return nil
	}
	d.drop(p, i)
	return d.prune(path[:len(path)-1], keep)
}

func (d *jsonDocument) RemoveElement(path []string, index, keep int) error {
	p, rest := d.at(path)
	array, ok := p.value.Value.(*hujson.Array)
	if len(rest) > 0 || !ok || index >= len(array.Elements) {
		return nil
	}
	d.drop(p, index)
	return d.prune(path, keep)
}

// prune removes what is empty at a path of more than keep parts.
func (d *jsonDocument) prune(path []string, keep int) error {
	if len(path) <= keep || len(path) == 0 {
		return nil
	}
	p, _ := d.at(path)
	if c := childrenOf(p.value); c == nil || c.count() > 0 || len(trimRight(*c.tail())) > 0 {
		return nil
	}
	return d.Remove(path, keep)
}
