package settings

import (
	"bytes"
	"errors"
	"slices"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

// tomlDocument is TOML. The parser gives the position of keys and values, and
// only the bytes of what changes are touched.
type tomlDocument struct {
	text   []byte
	marked bool // it begins with a byte order mark
	nl     string
	whole  map[string]any
	tables []*table // the first one is the root
}

// table is a header with the members behind it, up to the next header.
type table struct {
	path    []string
	array   bool
	header  span // of its line, empty at the start of the file for the root
	members []entry
}

// entry is a key with its value.
type entry struct {
	span
	path     []string // from the root on
	key      span     // the last part of the path
	value    span
	text     string  // of a string
	array    bool    // its value is an array
	elements []entry // of an array, with value and text only
	inline   bool    // it is in braces
	braces   bool    // its value is in braces
}

// span is a range of the text.
type span struct{ from, to int }

func spanOf(r unstable.Range) span { return span{int(r.Offset), int(r.Offset + r.Length)} }

func parseTOML(text []byte) (Document, error) {
	text, marked := bytes.CutPrefix(text, byteOrderMark)
	d := &tomlDocument{marked: marked, nl: lineBreak(text)}
	if err := check(text, formatTOML); err != nil {
		return nil, tomlError(err)
	}
	if err := d.parse(text); err != nil {
		return nil, tomlError(err)
	}
	return d, nil
}

func (d *tomlDocument) parse(text []byte) error {
	d.text, d.whole, d.tables = text, nil, []*table{{}}
	if err := toml.Unmarshal(text, &d.whole); err != nil {
		return err
	}
	parser := unstable.Parser{}
	parser.Reset(text)
	for parser.NextExpression() {
		node := parser.Expression()
		current := d.tables[len(d.tables)-1]
		switch node.Kind {
		case unstable.Table, unstable.ArrayTable:
			path, key := d.key(node, nil)
			d.tables = append(d.tables, &table{path: path, array: node.Kind == unstable.ArrayTable, header: d.line(key)})
		case unstable.KeyValue:
			d.member(current, node, current.path, false)
		}
	}
	return parser.Error()
}

// key is the path of a node, and where its last part stands.
func (*tomlDocument) key(node *unstable.Node, parent []string) (path []string, last span) {
	path = slices.Clone(parent)
	for key := node.Key(); key.Next(); {
		path = append(path, string(key.Node().Data))
		last = spanOf(key.Node().Raw)
	}
	return path, last
}

func (d *tomlDocument) member(in *table, node *unstable.Node, parent []string, inline bool) {
	e := entry{span: spanOf(node.Raw), inline: inline}
	e.path, e.key = d.key(node, parent)
	from := e.key.to + bytes.IndexByte(d.text[e.key.to:], '=') + 1
	from += len(d.text[from:]) - len(bytes.TrimLeft(d.text[from:], " \t"))
	e.value = span{from, e.to}
	value := node.Value()
	e.braces, e.array = value.Kind == unstable.InlineTable, value.Kind == unstable.Array
	if value.Kind == unstable.String {
		e.text = string(value.Data)
	}
	if e.array {
		for children := value.Children(); children.Next(); {
			element := entry{value: spanOf(children.Node().Raw)}
			if children.Node().Kind == unstable.String {
				element.text = string(children.Node().Data)
			}
			e.elements = append(e.elements, element)
		}
	}
	in.members = append(in.members, e)
	if e.braces {
		for children := value.Children(); children.Next(); {
			d.member(in, children.Node(), e.path, true)
		}
	}
}

// line is all of the lines in which a range stands, without the last line break.
func (d *tomlDocument) line(of span) span {
	from := bytes.LastIndexByte(d.text[:of.from], '\n') + 1
	to := len(d.text)
	if i := bytes.IndexByte(d.text[of.to:], '\n'); i >= 0 {
		to = of.to + i
	}
	return span{from, len(bytes.TrimSuffix(d.text[:to], []byte{'\r'}))}
}

func (d *tomlDocument) Text() []byte {
	if d.marked {
		return slices.Concat(byteOrderMark, d.text)
	}
	return d.text
}

func (d *tomlDocument) Value(path ...string) (any, bool) {
	var v any = d.whole
	for _, key := range path {
		t, ok := v.(map[string]any)
		if !ok {
			return nil, false
		}
		if v, ok = t[key]; !ok {
			return nil, false
		}
	}
	return v, true
}

var (
	errArray = errors.New("arrays of TOML files are not edited")
	errTable = errors.New("it is a table of its own: change it yourself")
)

func (*tomlDocument) Append([]string, any) error             { return errArray }
func (*tomlDocument) RemoveElement([]string, int, int) error { return errArray }

// find is the entry at a path, and its table.
func (d *tomlDocument) find(path []string) (t *table, e *entry) {
	for _, t := range d.tables {
		for i := range t.members {
			if !t.array && slices.Equal(t.members[i].path, path) {
				return t, &t.members[i]
			}
		}
	}
	return nil, nil
}

// replace puts text in place of a range. What it does to the values of others
// is an error, and then nothing changes.
func (d *tomlDocument) replace(at span, text string, path []string, value any) error {
	before, others := d.text, without(d.whole, path)
	changed := slices.Concat(d.text[:at.from], []byte(text), d.text[at.to:])
	err := d.parse(changed)
	got, _ := d.Value(path...)
	if err == nil && (!Same(got, value) || !Same(without(d.whole, path), others)) {
		err = errors.New("its surroundings do not allow that: change it yourself")
	}
	if err != nil {
		_ = d.parse(before)
	}
	return err
}

// without is a copy of a table without the member at a path, nor what is empty
// then.
func without(of map[string]any, path []string) map[string]any {
	rest := map[string]any{}
	for key, value := range of {
		if len(path) == 0 || key != path[0] {
			rest[key] = value
			continue
		}
		if inner, ok := value.(map[string]any); ok && len(path) > 1 {
			if inner = without(inner, path[1:]); len(inner) > 0 {
				rest[key] = inner
			}
		}
	}
	return rest
}
