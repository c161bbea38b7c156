package docs

import (
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.yaml.in/yaml/v3"

	"github.com/otelcol-mcp/otelcol-mcp/exporter/inspectorexporter"
	"github.com/otelcol-mcp/otelcol-mcp/processor/mcpprocessor"
	"github.com/otelcol-mcp/otelcol-mcp/receiver/mcpreceiver"
)

// elsewhere lists names that nothing here has.
var elsewhere = []string{
	// What agents send, and is left out.
	"bash_command", "full_command", "claude_code.hook", "codex.guardian_assessment", "codex.skill_invocation",
	"compaction_complete", "gemini_cli.end_session", "github.copilot.cost", "total_tokens",
	// Of other programs.
	"kafka::tls", "otelcol_kafka_receiver_offset_lag", "scrape_configs", "test_simple_text", "truncate_all",
	// Of messages.
	"params.records", "params._meta", "params._meta.traceparent",
	// In examples.
	"client_secret", "user.token", "weather.tool", "llm.input_messages.0.message.content", "gen_ai.prompt.0.content", "v0.1.0",
	// Gone, in the decision that says why.
	"checked_file_storage", "otelcol_checked_file_storage_corrupt_files",
	// Made of a name and an ending.
	"body_original_bytes", "status_message_original_bytes", "request_entity_too_large",
}

// others' names are what these documents are about.
var foreign = regexp.MustCompile(`^(CHANGELOG\.md|docs/(dialects|conformance)\.md|(test|bench)/.*)$`)

// known is a set of names that documents may use.
type known map[string]bool

func (k known) add(names ...string) {
	for _, name := range names {
		k[name] = true
	}
}

// has reports whether a name is known; * and {placeholder} in it stand for anything.
func (k known) has(name string) bool {
	if !strings.ContainsAny(name, "*{") {
		return k[name]
	}
	pattern := strings.NewReplacer(`\*`, `.+`, `\{`, `{`, `\}`, `}`).Replace(regexp.QuoteMeta(name))
	pattern = regexp.MustCompile(`\{[^}]*\}`).ReplaceAllString(pattern, `.+`)
	is := regexp.MustCompile(`^` + pattern + `$`)
	for one := range k {
		if is.MatchString(one) {
			return true
		}
	}
	return false
}

var word = regexp.MustCompile(`[A-Za-z][\w.-]*\w`)

// words adds the words of a text.
func (k known) words(text string) { k.add(word.FindAllString(text, -1)...) }

// literals adds the words of the strings in a Go file.
func (k known) literals(t *testing.T, text []byte) {
	t.Helper()
	files := token.NewFileSet()
	var s scanner.Scanner
	s.Init(files.AddFile("", -1, len(text)), text, nil, 0)
	for {
		_, tok, literal := s.Scan()
		switch tok {
		case token.EOF:
			return
		case token.STRING:
			plain, err := strconv.Unquote(literal)
			require.NoError(t, err)
			k.add(plain)
			k.words(plain)
		}
	}
}

// settings adds the paths of a component's settings.
func (k known) settings(of reflect.Type, path string, around ...reflect.Type) {
	for of.Kind() == reflect.Pointer || of.Kind() == reflect.Slice || of.Kind() == reflect.Map {
		of = of.Elem()
	}
	if of.Kind() != reflect.Struct || slices.Contains(around, of) {
		return
	}
	around = append(slices.Clone(around), of)
	for f := range of.Fields() {
		name, options, _ := strings.Cut(f.Tag.Get("mapstructure"), ",")
		switch {
		case options == "squash" || of.PkgPath() == "go.opentelemetry.io/collector/config/configoptional":
			k.settings(f.Type, path, around...)
		case name != "" && name != "-":
			k.path(path + "::" + name)
			k.settings(f.Type, path+"::"+name, around...)
		}
	}
}

// identifier is the type of a component, and its name.
var identifier = regexp.MustCompile(`(^|::)([a-z_]+)/[^:]+`)

// path adds a path of settings, and each end of it.
func (k known) path(path string) {
	path = identifier.ReplaceAllString(path, "$1$2")
	k.add(path, strings.ReplaceAll(path, "::", "."))
	for {
		_, end, found := strings.Cut(path, "::")
		if !found {
			return
		}
		path = end
		k.add(path, strings.ReplaceAll(path, "::", "."))
	}
}

// keys adds the paths of a configuration's keys.
func (k known) keys(node any, path string) {
	switch node := node.(type) {
	case map[string]any:
		for key, value := range node {
			k.path(strings.TrimPrefix(path+"::"+key, "::"))
			k.keys(value, path+"::"+key)
		}
	case []any:
		for _, value := range node {
			k.keys(value, path)
		}
	}
}

// given returns the paths of settings, the flags of programs, and all other names that
// fixtures, configurations, metadata and programs have.
func given(t *testing.T) (settings, names, flags known) {
	t.Helper()
	settings, names, flags = known{}, known{}, known{"config": true, "set": true, "enable-feature": true}
	for id, factory := range map[string]component.Factory{
		"receivers::mcp": mcpreceiver.NewFactory(), "processors::mcp": mcpprocessor.NewFactory(), "exporters::mcp_inspector": inspectorexporter.NewFactory(),
	} {
		settings.settings(reflect.TypeOf(factory.CreateDefaultConfig()), id)
	}
	require.NoError(t, filepath.WalkDir(root, func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			if err == nil && others[entry.Name()] && entry.Name() != "testdata" {
				return fs.SkipDir
			}
			return err
		}
		name, err := filepath.Rel(root, file)
		require.NoError(t, err)
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		switch {
		case strings.HasPrefix(name, "test/") && !strings.Contains(name, "expected"), strings.HasPrefix(name, "bench/"):
		case strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go"):
			if strings.HasPrefix(name, "cmd/mcptap/") {
				flags.literals(t, text)
			}
			names.literals(t, text)
		case strings.HasPrefix(entry.Name(), "expected."), entry.Name() == "metadata.yaml", entry.Name() == "openapi.yaml", name == "docs/metrics.md":
			names.words(string(text))
			for _, match := range spanName.FindAllStringSubmatch(string(text), -1) {
				names.add(match[1])
			}
		case strings.HasPrefix(name, "config/"), strings.HasPrefix(name, "deploy/") && strings.HasSuffix(name, ".yaml"):
			var tree any
			if yaml.Unmarshal(text, &tree) == nil { // templates are none
				settings.keys(tree, "")
			}
		}
		return nil
	}))
	return settings, names, flags
}

var (
	// A name has dots or underscores. A file has an extension.
	named = regexp.MustCompile(`^[a-z][a-z0-9_]*([.:]+[a-z0-9_*{}]+)+$|^[a-z]+(_[a-z0-9]+)+$`)
	files = regexp.MustCompile(`\.(go|ya?ml|json|toml|txt|sh|md|mod|sum|env|xml|mjs|ts|py|html|ndjson)$`)
	run   = regexp.MustCompile(`(?m)\bmcptap (?:[^|&;#\n\\]|\\\n)*`)
	flag  = regexp.MustCompile(`(?:^|[ =])--([a-z][a-z-]*)`)
	// The conventions' names have an operation or a method, and what it is about.
	about    = regexp.MustCompile(`^(chat|execute_tool|invoke_agent|invoke_workflow|prompts/get|tools/call) [^ ]+$`)
	spanName = regexp.MustCompile(`(?m)^(?: *- name: |.#\d+ +)(.*?)(?: \d\d:\d\d:.*)?$`)
	list     = regexp.MustCompile(`^(.*?)\{([^{}]*,[^{}]*)\}(.*)$`)
)

// spelled returns the names that a name with {one,other} stands for.
func spelled(name string) (all []string) {
	m := list.FindStringSubmatch(name)
	if m == nil {
		return []string{name}
	}
	for part := range strings.SplitSeq(m[2], ",") {
		all = append(all, spelled(m[1]+strings.TrimSpace(part)+m[3])...)
	}
	return all
}

// TestNames: names of spans, records, metrics, attributes, settings and flags in documents
// are what fixtures, components and programs have.
func TestNames(t *testing.T) {
	settings, given, flags := given(t)
	used := known{}
	for _, file := range documents(t) {
		if foreign.MatchString(file) {
			continue
		}
		text := read(t, file)
		checkFlags(t, file, text, flags)
		for _, quoted := range names(fenced.ReplaceAllString(text, "")) {
			if match := about.FindStringSubmatch(quoted); match != nil {
				assert.True(t, given.has(match[1]+" *"), "%s: no span is called %s", file, quoted)
			}
			for _, name := range spelled(quoted) {
				switch {
				case !named.MatchString(name), files.MatchString(name), strings.HasPrefix(name, "embedded:"):
				case slices.Contains(elsewhere, name):
					used.add(name)
				default:
					assert.True(t, settings.has(name) || !strings.Contains(name, "::") && given.has(name), "%s: nothing has the name %s", file, name)
				}
			}
		}
	}
	for _, name := range elsewhere {
		assert.True(t, used[name], "%s is in no document", name)
	}
}

// checkFlags checks those of mcptap's commands, and those that stand alone.
func checkFlags(t *testing.T, file, text string, flags known) {
	t.Helper()
	for _, command := range run.FindAllString(text, -1) {
		own, _, _ := strings.Cut(command, " -- ")
		for _, match := range flag.FindAllStringSubmatch(strings.TrimRight(own, "`"), -1) {
			assert.True(t, flags[match[1]], "%s: mcptap has no --%s", file, match[1])
		}
	}
	for _, quoted := range names(fenced.ReplaceAllString(text, "")) {
		if match := flag.FindStringSubmatch(quoted); match != nil && strings.HasPrefix(quoted, "--") {
			assert.True(t, flags[match[1]], "%s: no program has --%s", file, match[1])
		}
	}
}
