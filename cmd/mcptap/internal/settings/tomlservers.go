package settings

import (
	"reflect"
	"slices"

	"github.com/pelletier/go-toml/v2"
)

// tomlFormat is TOML, as Codex has it: mcp_servers.{name}.command and .args.
type tomlFormat struct{}

const tomlServersKey = "mcp_servers"

func (tomlFormat) rewrite(file []byte, change func(server) (bool, error)) (changed []byte, names []string, err error) {
	document, err := parseTOML(file)
	if err != nil {
		return nil, nil, err
	}
	d := tomlServers{tomlDocument: document.(*tomlDocument)}
	all := d.servers()
	if all == nil {
		return nil, nil, ErrNoServers
	}
	for _, s := range all {
		if s.command == nil {
			continue // it has a URL
		}
		done, err := change(s)
		if err != nil {
			return nil, nil, err
		}
		if done {
			names = append(names, s.named)
		}
	}
	return d.edited(), names, nil
}

func (tomlFormat) same(a, b []byte) bool {
	var x, y map[string]any
	if check(a, formatTOML) != nil || check(b, formatTOML) != nil || toml.Unmarshal(a, &x) != nil || toml.Unmarshal(b, &y) != nil {
		return false
	}
	return reflect.DeepEqual(withoutEmptyArgs(x), withoutEmptyArgs(y))
}

func withoutEmptyArgs(root map[string]any) map[string]any {
	all, _ := root[tomlServersKey].(map[string]any)
	for _, one := range all {
		s, _ := one.(map[string]any)
		if args, ok := s["args"].([]any); ok && len(args) == 0 {
			delete(s, "args")
		}
	}
	return root
}

// tomlServers is a document whose servers are edited, all at once.
type tomlServers struct {
	*tomlDocument
	edits []tomlEdit
}

// tomlEdit puts text in place of a range.
type tomlEdit struct {
	span
	text string
}

// servers returns the servers in the order of the file, and nil if it has no place for any.
func (d *tomlServers) servers() (all []*tomlServer) {
	for _, t := range d.tables {
		if len(t.path) > 0 && t.path[0] == tomlServersKey && all == nil {
			all = []*tomlServer{}
		}
		for i := range t.members {
			e := &t.members[i]
			if e.path[0] != tomlServersKey {
				continue
			}
			if all == nil {
				all = []*tomlServer{}
			}
			if len(e.path) == 3 && !e.braces {
				all = d.add(all, e)
			}
		}
	}
	return all
}

// add adds what a member says to the server that it names.
func (d *tomlServers) add(all []*tomlServer, e *entry) []*tomlServer {
	i := slices.IndexFunc(all, func(s *tomlServer) bool { return s.named == e.path[1] })
	if i < 0 {
		i = len(all)
		all = append(all, &tomlServer{named: e.path[1], d: d})
	}
	switch {
	case e.path[2] == "command" && e.text != "":
		all[i].command = e
	case e.path[2] == "args":
		all[i].args = e
	}
	return all
}

func (d *tomlServers) edit(at span, text string) { d.edits = append(d.edits, tomlEdit{at, text}) }

// edited is the text with all edits.
func (d *tomlServers) edited() []byte {
	slices.SortFunc(d.edits, func(a, b tomlEdit) int { return a.from - b.from })
	var out []byte
	at := 0
	for _, e := range d.edits {
		out = append(append(out, d.text[at:e.from]...), e.text...)
		at = e.to
	}
	return append(out, d.text[at:]...)
}
