package settings

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What is no file with settings is an error, and no stack overflow.
func TestHostileText(t *testing.T) {
	deep := strings.Repeat(`{"a":`, 1e6) + "1" + strings.Repeat("}", 1e6)
	for text, want := range map[string]string{
		deep:                           "nested deeper than 1000 levels",
		"/* \" */ " + deep:             "nested deeper than 1000 levels",
		"/*'*/ /*\"*/" + deep:          "nested deeper than 1000 levels",
		"// it's\n" + deep:             "nested deeper than 1000 levels",
		`["\\\"", ` + deep:             "nested deeper than 1000 levels",
		strings.Repeat("[", 1e6):       "nested deeper than 1000 levels",
		"{\"a\": \"\xff\"}":            "it is not valid UTF-8",
		"{\"a\": 1,\n \"\\u0061\": 2}": `line 2, column 2: not valid JSON: the key "a" is there twice`,
		`{"x":[{"a":1,"a":2}]}`:        `the key "a" is there twice`,
	} {
		_, err := Parse("x.json", []byte(text))
		require.ErrorContains(t, err, want)
		_, _, err = WrapServers("x.json", []byte(text), Wrapper{Program: "p"})
		require.ErrorContains(t, err, want)
		path := filepath.Join(t.TempDir(), "x.json")
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		var into struct{ Env map[string]string }
		accepted := strings.Contains(want, "twice") || strings.Contains(want, "UTF-8") // as agents do
		assert.Equal(t, accepted, Decode(path, &into) == nil, want)
	}
	for text, want := range map[string]string{
		"a = " + strings.Repeat("[", 1e6): "nested deeper than 1000 levels", "a = \"\xff\"": "it is not valid UTF-8", "a = 1\na = 2": "already",
		"a = [\"\"\"x\"y\"\"\", '\"', \"'\", " + strings.Repeat("[", 1e6): "nested deeper than 1000 levels",
		"a = " + strings.Repeat("{ a = ", 1e6):                            "nested deeper than 1000 levels",
	} {
		_, err := Parse("x.toml", []byte(text))
		require.ErrorContains(t, err, want)
	}
	_, err := Parse("x.json", []byte(`{"a": "`+strings.Repeat("[", 1e6)+`"}`))
	require.NoError(t, err, "it is in a string")
}

func TestReadRefuses(t *testing.T) {
	folder := t.TempDir()
	large := filepath.Join(folder, "large.json")
	f, err := os.Create(large)
	require.NoError(t, err)
	require.NoError(t, f.Truncate(100<<20))
	require.NoError(t, f.Close())
	_, err = Read(large)
	require.ErrorIs(t, err, errTooLarge)
	_, err = Read(folder)
	require.ErrorIs(t, err, errNotRegular)
	if runtime.GOOS == "windows" {
		return // which needs a right for links
	}
	loop := filepath.Join(folder, "loop.json")
	require.NoError(t, os.Symlink(loop, loop))
	_, err = Read(loop)
	require.ErrorContains(t, err, "too many levels of symbolic links")
	_, err = PlanWrap(loop, Wrapper{Program: "p"})
	require.Error(t, err)
}

func BenchmarkCheck(b *testing.B) {
	text := bytes.Repeat([]byte(`{"a":["b",1]},`), 1<<16)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		_ = check(text, formatJSON)
	}
}
