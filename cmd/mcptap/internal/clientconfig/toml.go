package clientconfig

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

// tomlFormat is TOML, as Codex has it: mcp_servers.{name}.command and .args. The
// parser gives the position of values, and only those bytes change.
type tomlFormat struct{}

const tomlServersKey = "mcp_servers"

func (tomlFormat) rewrite(file []byte, change func(server) (bool, error)) (changed []byte, names []string, err error) {
	d := document{text: file, servers: map[string]*tomlServer{}}
	if err = d.parse(); err != nil {
		return nil, nil, fmt.Errorf("not TOML: %w", err)
	}
	if !d.found {
		return nil, nil, ErrNoServers
	}
	for _, s := range d.order {
		if s.command.text == "" {
			continue // it has a URL
		}
		done, err := change(s)
		if err != nil {
			return nil, nil, err
		}
		if done {
			names = append(names, s.named)
		}
	}
	return d.edited(), names, nil
}

func (tomlFormat) same(a, b []byte) bool {
	var x, y map[string]any
	if toml.Unmarshal(a, &x) != nil || toml.Unmarshal(b, &y) != nil {
		return false
	}
	return reflect.DeepEqual(withoutEmptyArgs(x), withoutEmptyArgs(y))
}

func withoutEmptyArgs(root map[string]any) map[string]any {
	all, _ := root[tomlServersKey].(map[string]any)
	for _, one := range all {
		s, _ := one.(map[string]any)
		if args, ok := s["args"].([]any); ok && len(args) == 0 {
			delete(s, "args")
		}
	}
	return root
}

// document is a file that is being edited.
type document struct {
	text    []byte
	table   []string // the table of the lines at hand
	servers map[string]*tomlServer
	order   []*tomlServer
	found   bool // there is a place for servers
	edits   []edit
}

// span is a range of the text.
type span struct{ from, to int }

func spanOf(r unstable.Range) span { return span{int(r.Offset), int(r.Offset + r.Length)} }

// edit puts text in place of a range.
type edit struct {
	span
	text string
}

func (d *document) parse() error {
	parser := unstable.Parser{KeepComments: false}
	parser.Reset(d.text)
	for parser.NextExpression() {
		switch node := parser.Expression(); node.Kind {
		case unstable.Table, unstable.ArrayTable:
			d.table = d.table[:0]
			for key := node.Key(); key.Next(); {
				d.table = append(d.table, string(key.Node().Data))
			}
			d.found = d.found || d.table[0] == tomlServersKey
		case unstable.KeyValue:
			d.member(node, d.table, false)
		}
	}
	if err := parser.Error(); err != nil {
		return err
	}
	var whole map[string]any
	return toml.Unmarshal(d.text, &whole) // the parser knows nothing of keys that are there twice
}

// member reads a key and its value in a table.
func (d *document) member(node *unstable.Node, table []string, inline bool) {
	path := slices.Clone(table)
	var last span
	for key := node.Key(); key.Next(); {
		path = append(path, string(key.Node().Data))
		last = spanOf(key.Node().Raw)
	}
	if path[0] != tomlServersKey {
		return
	}
	d.found = true
	value := node.Value()
	if value.Kind == unstable.InlineTable {
		for members := value.Children(); members.Next(); {
			d.member(members.Node(), path, true)
		}
		return
	}
	if len(path) == 3 {
		d.entry(path[1], path[2], pair{span: spanOf(node.Raw), key: last, inline: inline}, value)
	}
}

// pair is a key and its value.
type pair struct {
	span
	key    span // its last part
	inline bool // it is in braces
	value  span // a string's
	text   string
}

// entry keeps what is needed of a server.
func (d *document) entry(name, key string, at pair, value *unstable.Node) {
	s := d.servers[name]
	if s == nil {
		s = &tomlServer{named: name, d: d}
		d.servers[name] = s
		d.order = append(d.order, s)
	}
	switch key {
	case "command":
		if at.value = spanOf(value.Raw); value.Kind == unstable.String {
			at.text = string(value.Data)
		}
		s.command = at
	case "args":
		s.args = &list{pair: at, isArray: value.Kind == unstable.Array}
		if s.args.isArray {
			s.args.read(d.text, value)
		}
	}
}

// list is an array of arguments.
type list struct {
	pair
	isArray  bool
	open     int // behind its bracket
	elements []pair
}

func (l *list) read(text []byte, array *unstable.Node) {
	equals := l.key.to + bytes.IndexByte(text[l.key.to:], '=')
	l.open = equals + bytes.IndexByte(text[equals:], '[') + 1
	for all := array.Children(); all.Next(); {
		node := all.Node()
		element := pair{value: spanOf(node.Raw)}
		if node.Kind == unstable.String {
			element.text = string(node.Data)
		}
		l.elements = append(l.elements, element)
	}
}

// edited is the text with all edits.
func (d *document) edited() []byte {
	slices.SortFunc(d.edits, func(a, b edit) int { return a.from - b.from })
	var out []byte
	at := 0
	for _, e := range d.edits {
		out = append(append(out, d.text[at:e.from]...), e.text...)
		at = e.to
	}
	return append(out, d.text[at:]...)
}
