// Package agents knows the coding agents that mcptap connects to a collector:
// where their settings are, and what has to be in them.
package agents

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/otelcol-mcp/otelcol-mcp/cmd/mcptap/internal/settings"
)

// ServerName is the name of the collector's MCP server in settings.
const ServerName = "otelcol-mcp"

// Group is the purpose of a setting. Settings of one group are written together or
// not at all.
type Group string

// The groups, as they are called in messages.
const (
	Hooks  Group = "hooks"
	OTLP   Group = "telemetry"
	Server Group = "MCP server"
	Plugin Group = "plugin"
)

// Setting is one thing that has to be in a file.
type Setting struct {
	Group   Group
	Path    []string
	Value   any
	Element bool // Value is an element of the array at Path
	Soft    bool // any other value that is there will do
	Own     bool // any other value that is there is replaced
	// Enough is the member of an object Value that has to be as it is there; the
	// others are the user's.
	Enough string
	// Forbidden paths are those whose values would win over this one.
	Forbidden [][]string
}

// File is a file with settings.
type File struct {
	Path     string
	Settings []Setting
	// Derived are further settings, which depend on how other files will look.
	Derived func(read func(path string) settings.Document) []Setting
	Whole   []byte // the file as it has to be; it has no settings then
	Group   Group  // of Whole
	Servers bool   // MCP servers that are started as programs may be in it
}

// Target says what to connect to what.
type Target struct {
	Program  string // absolute path of mcptap
	Endpoint string // base URL of the collector's mcp receiver
	OTLP     string // base URL of its otlp receiver
	Headers  string // of what hooks send, as mcptap hook takes them; "" for none
	Content  bool   // prompts, answers and the content of tool calls are in the agent's telemetry
	Project  string // folder, "" for all of the user's projects
	State    string // folder for what mcptap knows of its own runs
}

// DefaultEndpoint and DefaultOTLP are where the shipped configuration listens.
const (
	DefaultEndpoint = "http://localhost:4319"
	DefaultOTLP     = "http://localhost:4328"
)

// Machine determines where settings are.
type Machine struct {
	Home string
	OS   string // as runtime.GOOS
	Env  func(name string) string
}

// Agent is one that can be connected.
type Agent struct {
	Name    string // in commands and URLs
	Title   string
	program string // its executable
	folder  func(Machine) string
	Files   func(Machine, Target) []File
	// Notes returns what else you have to do.
	Notes func(Machine, Target) []string
}

const (
	claudeCodeName = "claude-code"
	codexName      = "codex"
	geminiName     = "gemini-cli"
	cursorName     = "cursor"
	copilotName    = "copilot"
)

// All are the agents in the order in which they are listed.
var All = []*Agent{&claudeCode, &codex, &geminiCLI, &cursor, &copilot, &opencode}

// Names are the names of all agents.
func Names() []string {
	names := make([]string, len(All))
	for i, a := range All {
		names[i] = a.Name
	}
	return names
}

// Programs are the names of the programs of all agents.
func Programs() []string {
	names := make([]string, len(All))
	for i, a := range All {
		names[i] = a.program
	}
	return names
}

// ByName finds an agent by its name or by that of its program, as in claude. It is
// nil if there is no such agent.
func ByName(name string) *Agent {
	if i := slices.IndexFunc(All, func(a *Agent) bool { return a.Name == name || a.program == name }); i >= 0 {
		return All[i]
	}
	return nil
}

// Found reports whether the agent seems to be on the machine: its folder of
// settings exists, or its program is in the search path.
func (a *Agent) Found(m Machine) bool {
	if info, err := os.Stat(a.folder(m)); err == nil && info.IsDir() {
		return true
	}
	_, err := exec.LookPath(a.program)
	return err == nil
}

// inHome is a path in a folder that a variable may name.
func (m Machine) inHome(variable, otherwise string, parts ...string) string {
	folder := ""
	if variable != "" {
		folder = m.Env(variable)
	}
	if folder == "" {
		folder = filepath.Join(m.Home, otherwise)
	}
	return filepath.Join(append([]string{folder}, parts...)...)
}

// project is a path in the project, or one in the folder of the user's settings.
func (t Target) in(user string, project ...string) string {
	if t.Project == "" {
		return user
	}
	return filepath.Join(append([]string{t.Project}, project...)...)
}

func set(group Group, value any, path ...string) Setting {
	return Setting{Group: group, Path: path, Value: value}
}

// turnOn is a switch: who connects an agent wants it on.
func turnOn(group Group, value any, path ...string) Setting {
	s := set(group, value, path...)
	s.Own = true
	return s
}

// server is the entry of the collector's MCP server, whose address is in a member
// of this name.
func server(entry settings.Object, address string, path ...string) Setting {
	s := set(Server, entry, path...)
	s.Enough = address
	return s
}

// IsOurs reports whether something in an agent's settings is a hook by mcptap.
func (a *Agent) IsOurs(v any) bool { return isOurs(a.Name, v) }

func isOurs(agent string, v any) bool {
	return contains(v, func(text string) bool {
		return strings.Contains(text, "mcptap") && strings.Contains(text+" ", " hook "+agent+" ")
	})
}

// Posts reports whether something in an agent's settings is another hook that
// reports to a collector.
func (a *Agent) Posts(v any) bool {
	return !a.IsOurs(v) && contains(v, func(text string) bool { return strings.Contains(text, "/v1/hooks/"+a.Name) })
}

// contains reports whether a string in v is accepted.
func contains(v any, accept func(string) bool) bool {
	switch v := v.(type) {
	case string:
		return accept(v)
	case []any:
		return slices.ContainsFunc(v, func(e any) bool { return contains(e, accept) })
	case map[string]any:
		for _, e := range v {
			if contains(e, accept) {
				return true
			}
		}
	}
	return false
}
