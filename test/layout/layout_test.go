// Package layout keeps packages, types and functions small enough to be read as a
// whole.
package layout

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const root = "../.."

// Limits of a package without its tests, of a type without what it embeds, and of a
// function from its first line to its last.
const (
	packageFiles  = 25
	packageLines  = 2500
	typeMethods   = 30
	typeFields    = 25
	functionLines = 60
)

// exceptions are what may be larger, each with the reason. There is none.
var exceptions = map[string]string{}

// size is how large something is, by what it has.
type size struct {
	what  string // "internal/session: lines"
	n     int
	limit int
}

// pkg is what a folder has, without tests and generated files.
type pkg struct {
	files, lines    int
	methods, fields map[string]int
	functions       map[string]int
}

// TestSizes fails for what has outgrown its limit. Run it with -v to see the largest
// of each kind, and how much there is in all.
func TestSizes(t *testing.T) {
	packages := readPackages(t)
	all := sizes(packages)
	for _, s := range all {
		if reason := exceptions[s.what]; s.n > s.limit && reason == "" {
			t.Errorf("%s: %d, at most %d are allowed: give an idea that it holds a place of its own", s.what, s.n, s.limit)
		}
	}
	for what := range exceptions {
		require.True(t, slices.ContainsFunc(all, func(s size) bool { return s.what == what && s.n > s.limit }),
			"%s needs no exception any more", what)
	}
	report(t, packages, all)
}

// readPackages parses all folders of the module that have Go files.
func readPackages(t *testing.T) map[string]*pkg {
	t.Helper()
	packages := map[string]*pkg{}
	require.NoError(t, filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || path == root {
			return err
		}
		if d.IsDir() {
			if name := d.Name(); name == "node_modules" || name == "testdata" || name == "build" || strings.HasPrefix(name, ".") {
				return filepath.SkipDir
			}
			return nil
		}
		if strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go") {
			readFile(t, packages, path)
		}
		return nil
	}))
	return packages
}

func readFile(t *testing.T, packages map[string]*pkg, path string) {
	t.Helper()
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, path, nil, parser.ParseComments|parser.SkipObjectResolution)
	require.NoError(t, err)
	if ast.IsGenerated(file) {
		return
	}
	folder, err := filepath.Rel(root, filepath.Dir(path))
	require.NoError(t, err)
	folder = filepath.ToSlash(folder)
	p := packages[folder]
	if p == nil {
		p = &pkg{methods: map[string]int{}, fields: map[string]int{}, functions: map[string]int{}}
		packages[folder] = p
	}
	p.files++
	p.lines += files.File(file.Pos()).LineCount() - 1
	for _, decl := range file.Decls {
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			p.function(files, decl)
		case *ast.GenDecl:
			p.types(decl)
		}
	}
}

// function counts a function, and a method for its type.
func (p *pkg) function(files *token.FileSet, decl *ast.FuncDecl) {
	name := decl.Name.Name
	if decl.Recv != nil {
		receiver := receiverOf(decl.Recv.List[0].Type)
		p.methods[receiver]++
		name = receiver + "." + name
	}
	p.functions[name] = max(p.functions[name], files.Position(decl.End()).Line-files.Position(decl.Pos()).Line+1)
}

func receiverOf(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return receiverOf(e.X)
	case *ast.IndexExpr:
		return receiverOf(e.X)
	case *ast.IndexListExpr:
		return receiverOf(e.X)
	case *ast.Ident:
		return e.Name
	}
	return fmt.Sprint(e)
}

// types counts the fields of structs and the methods of interfaces.
func (p *pkg) types(decl *ast.GenDecl) {
	for _, spec := range decl.Specs {
		s, ok := spec.(*ast.TypeSpec)
		if !ok {
			continue
		}
		switch body := s.Type.(type) {
		case *ast.StructType:
			for _, field := range body.Fields.List {
				p.fields[s.Name.Name] += len(field.Names) // what it embeds has a limit of its own
			}
		case *ast.InterfaceType:
			for _, method := range body.Methods.List {
				p.methods[s.Name.Name] += len(method.Names)
			}
		}
	}
}

// sizes are all that have a limit, the largest of a kind first.
func sizes(packages map[string]*pkg) (all []size) {
	for folder, p := range packages {
		all = append(all, size{folder + ": files", p.files, packageFiles}, size{folder + ": lines", p.lines, packageLines})
		add := func(of map[string]int, kind string, limit int) {
			for name, n := range of {
				all = append(all, size{fmt.Sprintf("%s.%s: %s", folder, name, kind), n, limit})
			}
		}
		add(p.methods, "methods", typeMethods)
		add(p.fields, "fields", typeFields)
		add(p.functions, "lines of the function", functionLines)
	}
	slices.SortFunc(all, func(a, b size) int { return cmp.Or(b.n-a.n, strings.Compare(a.what, b.what)) })
	return all
}

// report logs what is largest.
func report(t *testing.T, packages map[string]*pkg, all []size) {
	t.Helper()
	files, lines := 0, 0
	for p := range maps.Values(packages) {
		files, lines = files+p.files, lines+p.lines
	}
	t.Logf("%d packages, %d files, %d lines", len(packages), files, lines)
	const most = 5
	for _, kind := range []string{": files", ": lines", ": methods", ": fields", ": lines of the function"} {
		n := 0
		for _, s := range all {
			if n < most && strings.HasSuffix(s.what, kind) {
				t.Logf("%5d of %d  %s", s.n, s.limit, s.what)
				n++
			}
		}
	}
}
