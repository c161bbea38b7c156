package settings

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"unicode/utf8"

	"github.com/pelletier/go-toml/v2"
	"github.com/tailscale/hujson"
)

// maxBytes is the size of the largest file that is read, and maxDepth how deep its values
// may be nested: parsers call themselves at each level.
const (
	maxBytes = 64 << 20
	maxDepth = 1000
)

// The formats of settings files.
const formatJSON, formatTOML = "JSON", "TOML"

var (
	errNotRegular = errors.New("it is not a regular file")
	errTooLarge   = fmt.Errorf("it is larger than %d MiB", maxBytes>>20)
	errTooDeep    = fmt.Errorf("values are nested deeper than %d levels", maxDepth)
	errNotUTF8    = errors.New("it is not valid UTF-8")
)

// Read returns the text of a settings file. It refuses what is not a regular file, and what
// is too large to be one with settings.
func Read(path string) ([]byte, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, errNotRegular
	case info.Size() > maxBytes:
		return nil, errTooLarge
	}
	return os.ReadFile(path) //nolint:gosec // settings of the user
}

// Decode reads a settings file into a value.
func Decode(path string, into any) error {
	text, err := Read(path)
	if err != nil {
		return err
	}
	if isTOML(path) {
		if err = check(text, formatTOML); err != nil {
			return err
		}
		return toml.Unmarshal(text, into)
	}
	if json.Unmarshal(text, into) == nil {
		return nil
	}
	if err = check(text, formatJSON); err != nil {
		return err
	}
	if text, err = hujson.Standardize(text); err != nil {
		return err
	}
	return json.Unmarshal(text, into)
}

// check refuses text of a format that is not safe to parse.
func check(text []byte, format string) error {
	if !utf8.Valid(text) {
		return errNotUTF8
	}
	depth := 0
	for len(text) > 0 {
		switch c := text[0]; c {
		case '[', '{':
			if depth++; depth > maxDepth {
				return errTooDeep
			}
		case ']', '}':
			depth--
		case '"', '\'', '/', '#':
			text = text[skipped(text, format):]
			continue
		}
		text = text[1:]
	}
	return nil
}

// skipped is the length of the string or comment that a text begins with, 1 if that is none.
func skipped(text []byte, format string) int {
	until := func(from int, end string) int {
		if i := bytes.Index(text[from:], []byte(end)); i >= 0 {
			return from + i + len(end)
		}
		return len(text)
	}
	has := func(start string) bool { return bytes.HasPrefix(text, []byte(start)) }
	inTOML := format == formatTOML
	switch {
	case inTOML && has(`'''`):
		return until(3, `'''`)
	case inTOML && has(`'`):
		return until(1, `'`)
	case inTOML && has(`"""`):
		return endOfString(text, `"""`)
	case has(`"`):
		return endOfString(text, `"`)
	case inTOML && has("#"), !inTOML && has("//"):
		return until(1, "\n")
	case !inTOML && has("/*"):
		return until(2, "*/")
	}
	return 1
}

// endOfString is where a string with escapes ends that a text begins with.
func endOfString(text []byte, quote string) int {
	for i := len(quote); i < len(text); i++ {
		switch {
		case text[i] == '\\':
			i++
		case bytes.HasPrefix(text[i:], []byte(quote)):
			return i + len(quote)
		}
	}
	return len(text)
}

// parseHuJSON parses JSON, with comments or without, in which no key is there twice.
func parseHuJSON(text []byte) (root hujson.Value, err error) {
	if err = check(text, formatJSON); err != nil {
		return root, &SyntaxError{Format: formatJSON, Reason: err}
	}
	if root, err = hujson.Parse(text); err != nil {
		return root, jsonError(err)
	}
	if twice := repeated(&root); twice != nil {
		name, _ := twice.Value.(hujson.Literal)
		before := text[:twice.StartOffset]
		return root, &SyntaxError{
			Format: formatJSON, Line: bytes.Count(before, []byte{'\n'}) + 1, Column: len(before) - bytes.LastIndexByte(before, '\n'),
			Reason: fmt.Errorf("the key %q is there twice", name.String()),
		}
	}
	return root, nil
}

// repeated returns a key that an object has twice, nil if there is none.
func repeated(v *hujson.Value) *hujson.Value {
	switch of := v.Value.(type) {
	case *hujson.Object:
		seen := make(map[string]bool, len(of.Members))
		for i := range of.Members {
			m := &of.Members[i]
			name, _ := m.Name.Value.(hujson.Literal)
			if seen[name.String()] {
				return &m.Name
			}
			seen[name.String()] = true
			if inner := repeated(&m.Value); inner != nil {
				return inner
			}
		}
	case *hujson.Array:
		for i := range of.Elements {
			if inner := repeated(&of.Elements[i]); inner != nil {
				return inner
			}
		}
	}
	return nil
}
