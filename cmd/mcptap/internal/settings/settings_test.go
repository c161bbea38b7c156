package settings

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// edit is one change, and what it makes of a file.
type edit struct {
	name, before, after string
	path                []string
	value               any
	element             bool // value is appended
}

var serverEntry = Object{{"type", "http"}, {"url", "http://x/mcp?a=b&c"}}

var jsonEdits = []edit{
	{"no file", "", "{\n  \"env\": {\n    \"A\": \"1\"\n  }\n}\n", []string{"env", "A"}, "1", false},
	{"empty", "{}\n", "{\n  \"env\": {\n    \"A\": \"1\"\n  }\n}\n", []string{"env", "A"}, "1", false},
	{"one line", `{"x":1}`, `{"x":1, "env":{"A": "1"}}`, []string{"env", "A"}, "1", false},
	{"tabs", "{\n\t\"x\": 1\n}", "{\n\t\"x\": 1,\n\t\"s\": {\n\t\t\"type\": \"http\",\n\t\t\"url\": \"http://x/mcp?a=b&c\"\n\t}\n}", []string{"s"}, serverEntry, false},
	{"comments", "{\n    // mine\n    \"x\": 1 // one\n    // end\n}\n", "{\n    // mine\n    \"x\": 1, // one\n    // end\n    \"y\": true\n}\n", []string{"y"}, true, false},
	{"trailing comma", "{\n  \"x\": 1, // one\n}\n", "{\n  \"x\": 1, // one\n  \"y\": true,\n}\n", []string{"y"}, true, false},
	{"comment alone", "{\n  // none yet\n}\n", "{\n  // none yet\n  \"y\": 3\n}\n", []string{"y"}, 3, false},
	{"element", "{\n  \"a\": [\n    {\"x\": 1} // one\n  ]\n}\n", "{\n  \"a\": [\n    {\"x\": 1}, // one\n    {\"y\": 1}\n  ]\n}\n", []string{"a"}, Object{{"y", 1}}, true},
	{"first element", "{\"h\": {\"a\": []}}", "{\"h\": {\"a\": [{\"y\": 1}]}}", []string{"h", "a"}, Object{{"y", 1}}, true},
	{"new array", "{\r\n  \"h\": {\r\n  }\r\n}", "{\r\n  \"h\": {\r\n    \"a\": [1]\r\n  }\r\n}", []string{"h", "a"}, 1, true},
	{"mark", "\ufeff{\n  \"x\": 1\n}", "\ufeff{\n  \"x\": 1,\n  \"y\": 2\n}", []string{"y"}, 2, false},
}

func TestJSON(t *testing.T) {
	for _, e := range jsonEdits {
		t.Run(e.name, func(t *testing.T) { e.check(t, "x.json") })
	}
}

var tomlEdits = []edit{
	{"no file", "", "[features]\nhooks = true\n", []string{"features", "hooks"}, true, false},
	{"root only", "model = \"x\" # mine", "model = \"x\" # mine\n\n[features]\nhooks = true\n", []string{"features", "hooks"}, true, false},
	{"table", "[features] # all\n  a = 1 # one\n\n[b]\nx = 1\n", "[features] # all\n  a = 1 # one\n  hooks = true\n\n[b]\nx = 1\n", []string{"features", "hooks"}, true, false},
	{"empty table", "[features]\r\n\r\n[b]\r\n", "[features]\r\nhooks = true\r\n\r\n[b]\r\n", []string{"features", "hooks"}, true, false},
	{"dotted", "features.a = 1\nx = 2\n", "features.a = 1\nfeatures.hooks = true\nx = 2\n", []string{"features", "hooks"}, true, false},
	{"braces", "features = { a = 1 } # c\n", "features = { a = 1, hooks = true } # c\n", []string{"features", "hooks"}, true, false},
	{"empty braces", "features = {}\n", "features = { hooks = true }\n", []string{"features", "hooks"}, true, false},
	{"tables below", "[otel.x]\na = 1\n", "[otel.x]\na = 1\n\n[otel]\ne = { http = { url = \"http://x/mcp?a=b&c\" } }\n", []string{"otel", "e"}, Object{{"http", serverEntry[1:]}}, false},
	{"quoted", "[hooks.state]\n", "[hooks.state]\n\"/a b\\\\c\" = { h = \"x\" }\n", []string{"hooks", "state", `/a b\c`}, Object{{"h", "x"}}, false},
}

func TestTOML(t *testing.T) {
	for _, e := range tomlEdits {
		t.Run(e.name, func(t *testing.T) { e.check(t, "x.toml") })
	}
}

// check edits there and back.
func (e edit) check(t *testing.T, path string) {
	d, err := Parse(path, []byte(e.before))
	require.NoError(t, err)
	keep := Depth(d, e.path)
	index := 0
	if e.element {
		if all, ok := d.Value(e.path...); ok {
			index = len(all.([]any))
		}
		require.NoError(t, d.Append(e.path, e.value))
	} else {
		require.NoError(t, d.Set(e.path, e.value))
	}
	assert.Equal(t, e.after, string(d.Text()))

	d, err = Parse(path, []byte(e.after))
	require.NoError(t, err)
	if e.element {
		require.NoError(t, d.RemoveElement(e.path, index, keep))
	} else {
		got, ok := d.Value(e.path...)
		assert.True(t, ok)
		assert.True(t, Same(e.value, got))
		require.NoError(t, d.Remove(e.path, keep))
	}
	want, err := Parse(path, []byte(e.before))
	require.NoError(t, err)
	a, _ := want.Value()
	b, _ := d.Value()
	assert.True(t, Same(a, b), "%s", d.Text())
}

func TestReplace(t *testing.T) {
	for path, text := range map[string][3]string{
		"x.json": {"{\n  \"a\": {\n    \"b\": 1 // c\n  }\n}", "{\n  \"a\": {\n    \"b\": [\"x\"] // c\n  }\n}"},
		"x.toml": {"a = { b = 1 } # c\n", "a = { b = [\"x\"] } # c\n"},
	} {
		d, err := Parse(path, []byte(text[0]))
		require.NoError(t, err)
		require.NoError(t, d.Set([]string{"a", "b"}, []any{"x"}))
		assert.Equal(t, text[1], string(d.Text()))
	}
}

func TestErrors(t *testing.T) {
	for path, text := range map[string]string{"x.json": "[]", "y.json": "{", "x.toml": "a = ", "y.toml": "[a]\n[a]\n"} {
		_, err := Parse(path, []byte(text))
		assert.Error(t, err, path)
	}
	d, err := Parse("x.json", []byte(`{"a":1,"b":{}}`))
	require.NoError(t, err)
	assert.Error(t, d.Set([]string{"a", "b"}, 1))
	assert.Error(t, d.Append([]string{"b"}, 1))
	d, err = Parse("x.toml", []byte("[otel.exporter.x]\na = 1\n"))
	require.NoError(t, err)
	assert.ErrorIs(t, d.Set([]string{"otel", "exporter"}, "none"), errTable)
	assert.Equal(t, "[otel.exporter.x]\na = 1\n", string(d.Text()))
}

// A file that cannot be read is reported with the position of the mistake.
func TestSyntaxErrors(t *testing.T) {
	for _, c := range []struct {
		path, text   string
		line, column int
	}{
		{"x.json", "{\n  \"a\": 1,\n  b: 2\n}\n", 3, 3},
		{"x.json", "{\"a\": {\n", 2, 1},
		{"x.toml", "a = 1\nb = = 2\n", 2, 5},
		{"x.toml", "a = 1\na = 2\n", 2, 1},
	} {
		_, err := Parse(c.path, []byte(c.text))
		wrong, ok := errors.AsType[*SyntaxError](err)
		require.True(t, ok, "%s: %v", c.text, err)
		assert.Equal(t, [2]int{c.line, c.column}, [2]int{wrong.Line, wrong.Column}, "%s: %v", c.text, err)
		assert.NotContains(t, err.Error(), "hujson")
	}
}

// An agent's environment in one line is shown with a line for each variable, so that a
// difference shows which of them change. Comments and commas stay.
func TestRedactSpreads(t *testing.T) {
	for text, want := range map[string]string{
		`{"env":{"A":"x","B":"y"},"n":{"a":1}}`:                   "{\"env\":{\n    \"A\":\"***\",\n    \"B\":\"***\"\n  },\"n\":{\"a\":1}}",
		"{\n\t\"env\": {\"A\": \"x\", /* b */ \"B\": \"y\",},\n}": "{\n\t\"env\": {\n\t\t\"A\": \"***\",\n\t\t/* b */ \"B\": \"***\",\n\t},\n}",
		"{\n  \"env\": {}\n}":                                     "{\n  \"env\": {}\n}",
		"{\n  \"env\": \"x\"\n}":                                  "{\n  \"env\": \"x\"\n}",
		"{\n  \"env\": {\n  \"A\": \"x\", \"B\": \"y\"}\n}":       "{\n  \"env\": {\n  \"A\": \"***\", \"B\": \"***\"}\n}",
	} {
		assert.Equal(t, want, string(Redact("a.json", []byte(text))))
	}
}

// What is personal is hidden where it stands, and all else stays to the byte.
func TestRedact(t *testing.T) {
	for _, f := range []struct{ path, text, want string }{
		{
			"a.json", "{ // why\n\t\"env\": {\n\t\"A\": \"x\", \"OTEL_A\": \"x\", \"MY_TOKEN\": 1, \"OTEL_A_KEY\": \"x\", \"OTEL_A_PAT\": \"x\"},\r\n \"m\": {\"env\": {\"OTEL_A\": \"x\", \"B\": 1, \"C\": true,}, \"Headers\": [{\"k\": \"x\"}]}, \"n\": 1}",
			"{ // why\n\t\"env\": {\n\t\"A\": \"***\", \"OTEL_A\": \"x\", \"MY_TOKEN\": \"***\", \"OTEL_A_KEY\": \"x\", \"OTEL_A_PAT\": \"x\"},\r\n \"m\": {\"env\": {\"OTEL_A\": \"***\", \"B\": \"***\", \"C\": true,}, \"Headers\": [{\"k\": \"***\"}]}, \"n\": 1}",
		},
		{
			"a.toml", "a = 'x' # why\n[m.env]\nA = 'x'\nB = [\n 1, # one\n]\n[[l]]\nhttp_headers = { \"X Y\" = \"x\", z = 1 }\nc = 'x'\n",
			"a = 'x' # why\n[m.env]\nA = \"***\"\nB = \"***\"\n[[l]]\nhttp_headers = { \"X Y\" = \"***\", z = \"***\" }\nc = 'x'\n",
		},
		{"a.json", "", ""},
		{"a.json", "\ufeff{}", "\ufeff{}"},
		{"a.toml", "not toml", "not toml"},
	} {
		assert.Equal(t, f.want, string(Redact(f.path, []byte(f.text))))
	}
	assert.Equal(t, `{"headers":{"a":"***"},"url":"u"}`, Shown([]string{"m"}, map[string]any{"url": "u", "headers": map[string]any{"a": "x"}}))
	assert.Equal(t, `"***"`, Shown([]string{"m", "env", "A"}, "x"))
}
