package settings

import (
	"testing"
)

// thereAndBack checks that what is added can be read, changes nothing else, and
// goes away again.
func thereAndBack(t *testing.T, path string, text []byte) {
	t.Helper()
	before, err := Parse(path, text)
	if err != nil {
		return
	}
	whole, _ := before.Value()
	for _, at := range [][]string{{"a"}, {"a", "b"}, {"a", "b.c", "d"}, {"hooks", "Stop"}} {
		d, _ := Parse(path, text)
		if _, exists := d.Value(at...); exists {
			continue
		}
		keep := Depth(d, at)
		value := Object{{"x", "y\"\\\n"}, {"n", []any{1, true}}}
		if d.Set(at, value) != nil {
			continue
		}
		again, err := Parse(path, d.Text())
		if err != nil {
			t.Fatalf("%q became %q: %v", text, d.Text(), err)
		}
		if got, _ := again.Value(at...); !Same(got, value) {
			t.Fatalf("%q became %q: %v is %v", text, d.Text(), at, got)
		}
		if err = again.Remove(at, keep); err != nil {
			t.Fatalf("%q: %v", d.Text(), err)
		}
		if rest, _ := again.Value(); !Same(rest, whole) {
			t.Fatalf("%q became %q and then %q", text, d.Text(), again.Text())
		}
	}
}

func FuzzJSON(f *testing.F) {
	for _, e := range jsonEdits {
		f.Add([]byte(e.before))
	}
	f.Fuzz(func(t *testing.T, text []byte) { thereAndBack(t, "x.json", text) })
}

func FuzzTOML(f *testing.F) {
	for _, e := range tomlEdits {
		f.Add([]byte(e.before))
	}
	f.Add([]byte("[[a]]\nb = 1\n[a.c]\nd = \"\"\"\nx\n\"\"\"\n"))
	f.Fuzz(func(t *testing.T, text []byte) { thereAndBack(t, "x.toml", text) })
}
