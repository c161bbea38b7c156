package settings

import (
	"slices"

	"github.com/tailscale/hujson"
)

// jsonFormat is JSON, with comments and trailing commas or without.
type jsonFormat struct{}

func (jsonFormat) rewrite(file []byte, change func(server) (bool, error)) (changed []byte, names []string, err error) {
	root, err := parseHuJSON(file)
	if err != nil {
		return nil, nil, err
	}
	all := jsonServers(&root)
	if all == nil {
		return nil, nil, ErrNoServers
	}
	for _, s := range all {
		done, err := change(s)
		if err != nil {
			return nil, nil, err
		}
		if done {
			names = append(names, s.named)
		}
	}
	return root.Pack(), names, nil
}

func (jsonFormat) same(a, b []byte) bool {
	x, errX := minimal(a)
	y, errY := minimal(b)
	return errX == nil && errY == nil && x == y
}

func minimal(file []byte) (string, error) {
	root, err := parseHuJSON(file)
	if err != nil {
		return "", err
	}
	for _, s := range jsonServers(&root) {
		if args, err := s.args(); err == nil && (args == nil || len(args.Elements) == 0) {
			s.object.Members = slices.DeleteFunc(s.object.Members, func(m hujson.ObjectMember) bool { return nameOf(&m) == "args" })
		}
	}
	root.Minimize()
	return root.String(), nil
}

// Where clients have their servers: a JSON pointer, * for any name.
//
//   - mcpServers: Claude Desktop, Claude Code (.mcp.json and, by project, its
//     own file), Cursor, Windsurf and others
//   - servers: VS Code's mcp.json; mcp/servers in its settings
//   - mcp, mcp/servers: opencode
//   - context_servers, agent_servers: Zed
var serverPlaces = []struct {
	path []string
	acp  bool
}{
	{path: []string{"mcpServers"}},
	{path: []string{"projects", "*", "mcpServers"}},
	{path: []string{"servers"}},
	{path: []string{"mcp"}},
	{path: []string{"mcp", "servers"}},
	{path: []string{"context_servers"}},
	{path: []string{"agent_servers"}, acp: true},
}

// jsonServers is nil if there is no place for any.
func jsonServers(root *hujson.Value) (all []*jsonServer) {
	for _, at := range serverPlaces {
		for _, group := range objectsAt(root, at.path) {
			all = append(all, serversIn(group, at.acp)...)
			if all == nil {
				all = []*jsonServer{}
			}
		}
	}
	return all
}

func serversIn(group *hujson.Object, acp bool) (all []*jsonServer) {
	for i := range group.Members {
		object, ok := group.Members[i].Value.Value.(*hujson.Object)
		if !ok {
			continue
		}
		s := &jsonServer{named: nameOf(&group.Members[i]), isACP: acp, object: object, key: "command"}
		if nested, ok := s.member(s.key).(*hujson.Object); ok {
			s.object, s.key = nested, "path"
		}
		if s.isProgram() {
			all = append(all, s)
		}
	}
	return all
}

// objectsAt returns the objects at a path.
func objectsAt(v *hujson.Value, path []string) (found []*hujson.Object) {
	object, ok := v.Value.(*hujson.Object)
	switch {
	case !ok:
		return nil
	case len(path) == 0:
		return []*hujson.Object{object}
	}
	for i := range object.Members {
		if m := &object.Members[i]; path[0] == "*" || nameOf(m) == path[0] {
			found = append(found, objectsAt(&m.Value, path[1:])...)
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
