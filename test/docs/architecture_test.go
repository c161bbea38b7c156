// Package docs checks the documents against the code and the files that they
// name.
package docs

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const (
	root         = "../.."
	module       = "github.com/otelcol-mcp/otelcol-mcp/"
	architecture = "docs/architecture.md"
)

func read(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, file))
	require.NoError(t, err)
	return string(text)
}

// rows are the cells of all rows of the tables with that heading, without the
// heading.
func rows(t *testing.T, text, heading string) (all [][]string) {
	t.Helper()
	parts := strings.Split(text, heading+"\n")[1:]
	require.NotEmpty(t, parts, "no table %q", heading)
	for _, part := range parts {
		for line := range strings.Lines(part) {
			if !strings.HasPrefix(line, "|") {
				break
			}
			if cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|"); !strings.HasPrefix(cells[0], " -") {
				all = append(all, cells)
			}
		}
	}
	return all
}

var code = regexp.MustCompile("`([^`]+)`")

// names returns what a cell has in backquotes.
func names(cell string) (found []string) {
	for _, match := range code.FindAllStringSubmatch(cell, -1) {
		found = append(found, match[1])
	}
	return found
}

// TestFunctionsExist: a reader who follows the tables must find what they name.
func TestFunctionsExist(t *testing.T) {
	text := read(t, architecture)
	for _, heading := range []string{"| Step | File | Function |", "| Rule | File | Function |"} {
		for _, cells := range rows(t, text, heading) {
			file := names(cells[1])
			require.Len(t, file, 1, "%s", cells)
			source, err := os.ReadFile(filepath.Join(root, file[0]))
			if !assert.NoError(t, err) {
				continue
			}
			functions := names(cells[2])
			assert.NotEmpty(t, functions, "%s", cells)
			for _, name := range functions {
				declared := regexp.MustCompile(`(?m)^(func (\([^)]*\) )?|type |var )` + regexp.QuoteMeta(name) + `\b`)
				assert.Regexp(t, declared, string(source), "%s has no %s", file[0], name)
			}
		}
	}
}

// listed holds what go list says of a package.
type listed struct {
	ImportPath string
	Imports    []string
}

// packages are those of the module that are not tests and not generated.
func packages(t *testing.T) (all []listed) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "list", "-json=ImportPath,Imports", "./...")
	cmd.Dir = root
	var complaints strings.Builder
	cmd.Stderr = &complaints
	output, err := cmd.Output()
	require.NoError(t, err, "%s", &complaints)
	decoder := json.NewDecoder(strings.NewReader(string(output)))
	for {
		var p listed
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			return all
		} else if !assert.NoError(t, err) {
			return nil
		}
		p.ImportPath = strings.TrimPrefix(p.ImportPath, module)
		if folder, _, _ := strings.Cut(p.ImportPath, "/"); folder != "test" && folder != "bench" && !generated(p.ImportPath) {
			all = append(all, p)
		}
	}
}

func generated(importPath string) bool {
	base := path.Base(importPath)
	return base == "metadata" || base == "metadatatest"
}

// forbidden lists, for each room, the rooms that it must not import: data goes
// one way, and what decides knows nothing of what receives or shows.
var forbidden = map[string][]string{
	"internal":            {"receiver", "processor", "exporter", "cmd", "config"},
	"internal/mcpconv":    {"internal"},
	"internal/identity":   {"internal"},
	"internal/jsonscan":   {"internal"},
	"internal/mask":       {"internal"},
	"internal/httpserver": {"internal"},
	"internal/httpclient": {"internal"},
	"internal/component":  {"internal"},
	"internal/event":      {"internal/session", "internal/telemetry", "internal/protocol", "internal/dialect", "internal/agent"},
	"internal/correlate":  {"internal/session", "internal/telemetry", "internal/protocol", "internal/dialect", "internal/agent"},
	"internal/dialect":    {"internal/session", "internal/telemetry", "internal/protocol", "internal/agent", "internal/event"},
	"internal/protocol":   {"internal/session", "internal/telemetry", "internal/agent"},
	"internal/agent":      {"internal/session", "internal/telemetry"},
	"internal/session":    {"internal/telemetry", "internal/protocol", "internal/agent"},
	"internal/telemetry":  {"internal/protocol", "internal/agent", "internal/dialect"},
	"receiver":            {"processor", "exporter", "cmd"},
	"processor":           {"receiver", "exporter", "cmd", "internal/session", "internal/telemetry", "internal/agent"},
	"exporter":            {"receiver", "processor", "cmd", "internal/session", "internal/telemetry", "internal/agent"},
	"cmd/mcptap":          {"receiver", "processor", "exporter", "internal/session", "internal/telemetry", "internal/agent"},
}

// TestLayers holds the direction of imports between rooms.
func TestLayers(t *testing.T) {
	for _, p := range packages(t) {
		for room, rooms := range forbidden {
			if !within(p.ImportPath, room) {
				continue
			}
			for _, imported := range p.Imports {
				short, ours := strings.CutPrefix(imported, module)
				if !ours || within(short, room) {
					continue
				}
				for _, other := range rooms {
					assert.False(t, within(short, other), "%s must not import %s", p.ImportPath, short)
				}
			}
		}
	}
}

// TestTapIsSmall: mcptap starts with each server, so it must not bring the collector.
func TestTapIsSmall(t *testing.T) {
	cmd := exec.CommandContext(t.Context(), "go", "list", "-deps", "./cmd/mcptap")
	cmd.Dir = root
	output, err := cmd.Output()
	require.NoError(t, err)
	assert.Contains(t, string(output), module)
	assert.NotContains(t, string(output), "go.opentelemetry.io/")
}

// repositoryPath names a file or folder of the repository in a document.
var repositoryPath = regexp.MustCompile(`^(?:internal|receiver|processor|exporter|cmd|confmap|config|test|testdata|docs|deploy|bench)/[\w./-]+$`)

// TestPathsExist: contributors must find the files and folders that documents name.
func TestPathsExist(t *testing.T) {
	foreign := map[string]bool{"docs/dialects.md": true, "docs/conformance.md": true} // they name files of others, too
	for _, file := range documents(t) {
		if foreign[file] {
			continue
		}
		for _, name := range names(read(t, file)) {
			if repositoryPath.MatchString(name) {
				_, err := os.Stat(filepath.Join(root, name))
				assert.NoError(t, err, "in %s", file)
			}
		}
	}
}

// within reports whether the package is the room or lies below it.
func within(importPath, room string) bool {
	return importPath == room || strings.HasPrefix(importPath, room+"/")
}

// TestRooms: the table of rooms names every package, and nothing else.
func TestRooms(t *testing.T) {
	short := regexp.MustCompile("^[a-z]+$")
	var rooms []string
	inside := map[string][]string{} // by room, the packages that its purpose names
	for _, cells := range rows(t, read(t, architecture), "| Package | Purpose |") {
		for _, room := range names(cells[0]) {
			assert.DirExists(t, filepath.Join(root, room))
			rooms = append(rooms, room)
			for _, name := range names(cells[1]) {
				if short.MatchString(name) {
					inside[room] = append(inside[room], name)
				}
			}
		}
	}
	for _, p := range packages(t) {
		room := ""
		for _, r := range rooms {
			if within(p.ImportPath, r) && len(r) > len(room) {
				room = r
			}
		}
		if !assert.NotEmpty(t, room, "%s has no row", p.ImportPath) || p.ImportPath == room {
			continue
		}
		i := slices.Index(inside[room], path.Base(p.ImportPath))
		if assert.GreaterOrEqual(t, i, 0, "the row of %s does not name %s", room, p.ImportPath) {
			inside[room] = slices.Delete(inside[room], i, i+1)
		}
	}
	for room, left := range inside {
		assert.Empty(t, left, "the row of %s names what is no package of it", room)
	}
}
