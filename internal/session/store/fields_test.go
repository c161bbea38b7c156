package store

import (
	"encoding/json"
	"flag"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// stored are all structs that a record is made of, by name.
func stored() map[string]reflect.Type {
	all := map[string]reflect.Type{}
	var visit func(reflect.Type)
	visit = func(t reflect.Type) {
		switch t.Kind() {
		case reflect.Pointer, reflect.Slice, reflect.Array:
			visit(t.Elem())
		case reflect.Map:
			visit(t.Key())
			visit(t.Elem())
		case reflect.Struct:
			if all[t.String()] != nil {
				return
			}
			all[t.String()] = t
			for f := range t.Fields() {
				visit(f.Type)
			}
		}
	}
	visit(reflect.TypeFor[RecordData]())
	return all
}

// addNumbers writes down the numbers of fields that are new.
var addNumbers = flag.Bool("add-numbers", false, "add the numbers of new fields to testdata")

const numbersFile = "testdata/numbers.json"

// Fields without a number would be stored by their name, or not at all. A number
// belongs to its field for ever, also when that is gone. Whoever renames a field
// renames it in testdata too.
func TestEveryFieldHasANumberOfItsOwn(t *testing.T) {
	known := map[string]map[string]int{} // by struct and field
	text, err := os.ReadFile(numbersFile)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &known))
	for name, of := range stored() {
		if known[name] == nil {
			known[name] = map[string]int{}
		}
		before := len(known[name])
		for field := range of.Fields() {
			number := numberOf(t, name, field)
			if was, ok := known[name][field.Name]; ok {
				assert.Equal(t, was, number, "%s.%s has another number than it had", name, field.Name)
				continue
			}
			known[name][field.Name] = number
		}
		if !*addNumbers {
			assert.Len(t, known[name], before, "%s has new fields: add their numbers with -add-numbers", name)
		}
		unique(t, name, known[name])
	}
	if *addNumbers && !t.Failed() {
		text, err := json.MarshalIndent(known, "", "  ")
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(numbersFile, append(text, '\n'), 0o600))
	}
}

func numberOf(t *testing.T, name string, f reflect.StructField) int {
	t.Helper()
	require.True(t, f.IsExported(), "%s.%s", name, f.Name)
	parts := strings.Split(f.Tag.Get("cbor"), ",")
	require.GreaterOrEqual(t, len(parts), 2, "%s.%s has no number", name, f.Name)
	number, err := strconv.Atoi(parts[0])
	require.NoError(t, err, "%s.%s", name, f.Name)
	assert.Equal(t, "keyasint", parts[1], "%s.%s", name, f.Name)
	assert.Positive(t, number, "%s.%s", name, f.Name)
	return number
}

func unique(t *testing.T, name string, numbers map[string]int) {
	t.Helper()
	fields := map[int]string{}
	for field, number := range numbers {
		assert.Empty(t, fields[number], "%s.%s has the number %d of another field", name, field, number)
		fields[number] = field
	}
}

// Each struct that has a number for CBOR is reached from RecordData, so its numbers are checked.
func TestEveryNumberedStructIsStored(t *testing.T) {
	all := stored()
	files, err := filepath.Glob("*.go")
	require.NoError(t, err)
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		ast.Inspect(file, func(n ast.Node) bool {
			if spec, ok := n.(*ast.TypeSpec); ok {
				if numbered(spec) {
					assert.Contains(t, all, "store."+spec.Name.Name)
				}
			}
			return true
		})
	}
}

// numbered reports whether a field of the struct has a number for CBOR.
func numbered(spec *ast.TypeSpec) bool {
	of, ok := spec.Type.(*ast.StructType)
	return ok && slices.ContainsFunc(of.Fields.List, func(f *ast.Field) bool {
		return f.Tag != nil && strings.Contains(f.Tag.Value, "cbor:")
	})
}

// immutable are the types that change by being replaced only: a copy of what has
// one is a snapshot.
var immutable = map[reflect.Type]bool{
	reflect.TypeFor[*PeerInfo]():    true,
	reflect.TypeFor[*Roots]():       true,
	reflect.TypeFor[*int64]():       true, // Ending.Exit
	reflect.TypeFor[*Phase]():       true,
	reflect.TypeFor[List[Agent]]():  true,
	reflect.TypeFor[*Recents]():     true,
	reflect.TypeFor[*Echoes]():      true,
	reflect.TypeFor[*Delivered]():   true,
	reflect.TypeFor[*CodingAgent](): true,
	reflect.TypeFor[List[Wait]]():   true,
	reflect.TypeFor[Reminders]():    true,
	reflect.TypeFor[[]string]():     true, // Routes.Carried
	reflect.TypeFor[*Wait]():        true,
	reflect.TypeFor[*ParkKey]():     true,
	reflect.TypeFor[*Report]():      true,
	reflect.TypeFor[*Model]():       true,
	reflect.TypeFor[*Turn]():        true,
	reflect.TypeFor[*Extra]():       true,
	reflect.TypeFor[*End]():         true,
	reflect.TypeFor[*Failure]():     true,
	reflect.TypeFor[*Summary]():     true,
}

// Who adds a field that can change in place decides here: its type is immutable,
// or Snapshot copies it.
func TestSnapshotsShareNothingThatChanges(t *testing.T) {
	s, c := fullSession().Session, fullCall().Call
	assert.ElementsMatch(t, []string{"Routes.Redirects"}, copied(t, reflect.ValueOf(s).Elem(), reflect.ValueOf(s.Snapshot()).Elem(), ""))
	assert.ElementsMatch(t, []string{"Updates.Progress"}, copied(t, reflect.ValueOf(c).Elem(), reflect.ValueOf(c.Snapshot()).Elem(), ""))
	assert.Equal(t, s, s.Snapshot())
	assert.Equal(t, c, c.Snapshot())
}

// copied are the fields of v that its snapshot has copies of.
func copied(t *testing.T, v, snapshot reflect.Value, path string) (paths []string) {
	t.Helper()
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			paths = append(paths, copied(t, v.Field(i), snapshot.Field(i), strings.TrimPrefix(path+"."+v.Type().Field(i).Name, "."))...)
		}
	case reflect.Pointer, reflect.Slice, reflect.Map:
		if v.Pointer() != snapshot.Pointer() {
			return []string{path}
		}
		assert.True(t, immutable[v.Type()], "%s is neither copied nor of a type that never changes", path)
	case reflect.Interface, reflect.Func, reflect.Chan:
		assert.Fail(t, "nothing that can be stored", path)
	}
	return paths
}
