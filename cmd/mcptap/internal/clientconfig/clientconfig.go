// Package clientconfig rewrites the configuration files of MCP and ACP clients
// so that their servers start through mcptap. Comments, order and layout of the
// file stay as they are.
package clientconfig

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// Wrapper is how a server is started through mcptap.
type Wrapper struct {
	Program string   // path of mcptap
	Flags   []string // for all servers, before what names each
}

// errNoServers says that a file is of no client known.
var errNoServers = errors.New("no servers in it: expected mcpServers, servers, context_servers or agent_servers")

// Wrap is the file with each server that is started as a program, and is not
// wrapped yet, wrapped, and their names. Nothing is changed twice.
func Wrap(file []byte, w Wrapper) (changed []byte, names []string, err error) {
	return rewrite(file, func(s *server) bool { return s.wrap(w) })
}

// Unwrap is the file without what Wrap did, and the names of those concerned.
func Unwrap(file []byte) (changed []byte, names []string, err error) {
	return rewrite(file, (*server).unwrap)
}

// Same tells whether two files say the same, whatever their layout; no args is
// the same as none.
func Same(a, b []byte) bool {
	x, errX := minimal(a)
	y, errY := minimal(b)
	return errX == nil && errY == nil && x == y
}

func minimal(file []byte) (string, error) {
	root, err := hujson.Parse(file)
	if err != nil {
		return "", err
	}
	for _, s := range servers(&root) {
		if args := s.args(); args != nil && len(args.Elements) == 0 {
			s.object.Members = slices.DeleteFunc(s.object.Members, func(m hujson.ObjectMember) bool { return nameOf(&m) == "args" })
		}
	}
	root.Minimize()
	return root.String(), nil
}

func rewrite(file []byte, change func(*server) bool) (changed []byte, names []string, err error) {
	root, err := hujson.Parse(file)
	if err != nil {
		return nil, nil, fmt.Errorf("not JSON, even with comments: %w", err)
	}
	all := servers(&root)
	if all == nil {
		return nil, nil, errNoServers
	}
	for _, s := range all {
		if change(&s) {
			names = append(names, s.name)
		}
	}
	return root.Pack(), names, nil
}

// Where clients have their servers: a JSON pointer, * for any name.
//
//   - mcpServers: Claude Desktop, Claude Code (.mcp.json and, by project, its
//     own file), Cursor, Windsurf and others
//   - servers: VS Code's mcp.json; mcp/servers in its settings
//   - context_servers, agent_servers: Zed
var places = []struct {
	path []string
	acp  bool
}{
	{path: []string{"mcpServers"}},
	{path: []string{"projects", "*", "mcpServers"}},
	{path: []string{"servers"}},
	{path: []string{"mcp", "servers"}},
	{path: []string{"context_servers"}},
	{path: []string{"agent_servers"}, acp: true},
}

// server is the object of a server that is started as a program.
type server struct {
	name   string
	acp    bool
	object *hujson.Object
	key    string // of the program: command, or path in Zed's older form
}

// servers is nil if there is no place for any.
func servers(root *hujson.Value) (all []server) {
	for _, place := range places {
		for _, group := range find(root, place.path) {
			all = append(all, serversIn(group, place.acp)...)
			if all == nil {
				all = []server{}
			}
		}
	}
	return all
}

func serversIn(group *hujson.Object, acp bool) (all []server) {
	for i := range group.Members {
		object, ok := group.Members[i].Value.Value.(*hujson.Object)
		if !ok {
			continue
		}
		s := server{name: nameOf(&group.Members[i]), acp: acp, object: object, key: "command"}
		if nested, ok := s.member(s.key).(*hujson.Object); ok {
			s.object, s.key = nested, "path"
		}
		if s.command() != "" {
			all = append(all, s)
		}
	}
	return all
}

// find are the objects at a path.
func find(v *hujson.Value, path []string) (found []*hujson.Object) {
	object, ok := v.Value.(*hujson.Object)
	switch {
	case !ok:
		return nil
	case len(path) == 0:
		return []*hujson.Object{object}
	}
	for i := range object.Members {
		if m := &object.Members[i]; path[0] == "*" || nameOf(m) == path[0] {
			found = append(found, find(&m.Value, path[1:])...)
		}
	}
	return found
}

func nameOf(m *hujson.ObjectMember) string { return textOf(m.Name.Value) }

// textOf is the content of a string, "" for anything else.
func textOf(v hujson.ValueTrimmed) string {
	if l, ok := v.(hujson.Literal); ok && l.Kind() == '"' {
		return l.String()
	}
	return ""
}

func (s *server) find(key string) *hujson.ObjectMember {
	for i := range s.object.Members {
		if nameOf(&s.object.Members[i]) == key {
			return &s.object.Members[i]
		}
	}
	return nil
}

func (s *server) member(key string) hujson.ValueTrimmed {
	if m := s.find(key); m != nil {
		return m.Value.Value
	}
	return nil
}

func (s *server) command() string { return textOf(s.member(s.key)) }

func (s *server) args() *hujson.Array {
	args, _ := s.member("args").(*hujson.Array)
	return args
}

// isWrapped tells whether the program is mcptap.
func (s *server) isWrapped() bool {
	base := filepath.Base(strings.ReplaceAll(s.command(), `\`, "/"))
	return strings.TrimSuffix(base, ".exe") == "mcptap" && s.args() != nil && s.divider() >= 0
}

// divider is the index of the -- before the server's own command, -1 if there
// is none.
func (s *server) divider() int {
	return slices.IndexFunc(s.args().Elements, func(v hujson.Value) bool { return textOf(v.Value) == "--" })
}

func (s *server) wrap(w Wrapper) bool {
	if s.isWrapped() {
		return false
	}
	front := slices.Concat(w.Flags, []string{"--server", s.name})
	if s.acp {
		front = append(front, "--protocol", "acp")
	}
	front = append(front, "--", s.command())
	s.find(s.key).Value.Value = hujson.String(w.Program)
	s.needArgs()
	prepend(s.args(), front)
	return true
}

// needArgs makes sure that there is an array of arguments.
func (s *server) needArgs() {
	if s.args() != nil {
		return
	}
	if m := s.find("args"); m != nil {
		m.Value.Value = &hujson.Array{}
		return
	}
	i := slices.IndexFunc(s.object.Members, func(m hujson.ObjectMember) bool { return nameOf(&m) == s.key })
	command := s.object.Members[i]
	member := hujson.ObjectMember{
		Name:  hujson.Value{BeforeExtra: blank(command.Name.BeforeExtra), Value: hujson.String("args")},
		Value: hujson.Value{BeforeExtra: blank(command.Value.BeforeExtra), Value: &hujson.Array{}},
	}
	s.object.Members = slices.Insert(s.object.Members, i+1, member)
}

// prepend puts strings before what is there, laid out like it.
func prepend(to *hujson.Array, texts []string) {
	var first, others hujson.Extra = nil, hujson.Extra(" ")
	if len(to.Elements) > 0 {
		first = blank(to.Elements[0].BeforeExtra)
	}
	if strings.Contains(string(first), "\n") {
		others = first
	}
	front := make([]hujson.Value, len(texts))
	for i, text := range texts {
		front[i] = hujson.Value{BeforeExtra: others, Value: hujson.String(text)}
	}
	front[0].BeforeExtra = first
	if len(to.Elements) > 0 && len(to.Elements[0].BeforeExtra) == 0 {
		to.Elements[0].BeforeExtra = others
	}
	to.Elements = append(front, to.Elements...)
}

// blank is white space like that of extra, without its comments.
func blank(extra hujson.Extra) hujson.Extra {
	text := string(extra)
	if strings.TrimSpace(text) == "" {
		return hujson.Extra(text)
	}
	if i := strings.LastIndexByte(text, '\n'); i >= 0 && strings.TrimSpace(text[i:]) == "" {
		return hujson.Extra(text[i:])
	}
	return hujson.Extra(" ")
}

func (s *server) unwrap() bool {
	if !s.isWrapped() {
		return false
	}
	args := s.args()
	own := args.Elements[s.divider()+1:]
	if len(own) == 0 || textOf(own[0].Value) == "" {
		return false
	}
	s.find(s.key).Value.Value = own[0].Value
	first := args.Elements[0].BeforeExtra
	if own = own[1:]; len(own) == 0 {
		s.object.Members = slices.DeleteFunc(s.object.Members, func(m hujson.ObjectMember) bool { return nameOf(&m) == "args" })
		return true
	}
	if strings.TrimSpace(string(own[0].BeforeExtra)) == "" {
		own[0].BeforeExtra = first
	}
	args.Elements = slices.Clone(own)
	return true
}
