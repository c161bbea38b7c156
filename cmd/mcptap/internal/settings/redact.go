package settings

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// Hidden stands for a value that nobody is to see.
const Hidden = "***"

// personal reports whether a member is what a person gives to a server or a program: a
// variable of its environment, or a header. Such a value may be a secret whatever its
// name is. Of an agent's own environment, what mcptap connect writes is none.
func personal(path []string) bool {
	last := len(path) - 1
	for i, name := range path[:max(last, 0)] {
		name = strings.ToLower(name)
		if name == "env" || name == "environment" || strings.HasSuffix(name, "headers") {
			ours := i == 0 && last == 1 && (strings.HasPrefix(path[1], "OTEL_") || strings.HasPrefix(path[1], "CLAUDE_CODE_"))
			return !ours
		}
	}
	return false
}

// Shown is [Canonical] of the value at a path, without what is personal.
func Shown(path []string, v any) string {
	text := []byte(Canonical(v))
	root, err := hujson.Parse(text)
	if err != nil {
		return ""
	}
	redactJSON(&root, path)
	return string(root.Pack())
}

// Redact is the text of a settings file as it may be printed: without texts and numbers
// that are personal, and with an agent's environment over several lines. All else stays as
// it is. A text that is not valid comes back unchanged.
func Redact(path string, text []byte) []byte {
	d, err := Parse(path, text)
	if err != nil || len(bytes.TrimSpace(text)) == 0 {
		return text
	}
	switch d := d.(type) {
	case *jsonDocument:
		redactJSON(&d.root, nil)
		d.spread("env")
		return d.Text()
	case *tomlDocument:
		return d.redacted()
	}
	return text
}

// spread puts the members of an object that stands in one line into lines of their own.
func (d *jsonDocument) spread(name string) {
	v := member(&d.root, name)
	if v == nil {
		return
	}
	object, ok := v.Value.(*hujson.Object)
	if !ok || len(object.Members) == 0 || bytes.ContainsAny(v.Pack(), "\r\n") {
		return
	}
	unit := cmp.Or(d.unit, defaultUnit)
	line := func(indent string, rest hujson.Extra) hujson.Extra {
		return slices.Concat(hujson.Extra(d.nl+indent), bytes.TrimLeft(rest, " \t"))
	}
	for i := range object.Members {
		before := &object.Members[i].Name.BeforeExtra
		*before = line(unit+unit, *before)
	}
	object.AfterExtra = line(unit, object.AfterExtra)
}

func redactJSON(v *hujson.Value, path []string) {
	switch value := v.Value.(type) {
	case *hujson.Object:
		for i := range value.Members {
			name, _ := value.Members[i].Name.Value.(hujson.Literal)
			redactJSON(&value.Members[i].Value, append(slices.Clip(path), name.String()))
		}
	case *hujson.Array:
		for i := range value.Elements {
			redactJSON(&value.Elements[i], path)
		}
	case hujson.Literal:
		if kind := value.Kind(); (kind == '"' || kind == '0') && personal(path) {
			v.Value = hujson.String(Hidden)
		}
	}
}

// redacted leaves the tables' own brackets: what is in them has a path of its own.
func (d *tomlDocument) redacted() []byte {
	var hidden []span
	for _, t := range d.tables {
		for i := range t.members {
			if e := &t.members[i]; !e.braces && personal(e.path) {
				hidden = append(hidden, e.value)
			}
		}
	}
	slices.SortFunc(hidden, func(a, b span) int { return a.from - b.from })
	var out bytes.Buffer
	from := 0
	for _, s := range hidden {
		out.Write(d.text[from:s.from])
		out.WriteString(`"` + Hidden + `"`)
		from = s.to
	}
	out.Write(d.text[from:])
	if d.marked {
		return slices.Concat(byteOrderMark, out.Bytes())
	}
	return out.Bytes()
}
