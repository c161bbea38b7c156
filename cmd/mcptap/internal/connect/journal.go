package connect

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/otelcol-mcp/otelcol-mcp/cmd/mcptap/internal/agents"
	"github.com/otelcol-mcp/otelcol-mcp/cmd/mcptap/internal/settings"
)

// Journal remembers what was done to which file, so that it can be undone: a
// folder with a record and the original of each file, which only the user can
// read.
type Journal struct{ Folder string }

// record describes the changes of one file for one agent.
type record struct {
	Agent   string   `json:"agent"`
	Project string   `json:"project,omitempty"`
	Path    string   `json:"path"`
	Existed bool     `json:"existed"`           // else there is no original
	Folders []string `json:"folders,omitempty"` // that were made, the inner ones first
	Written string   `json:"written"`           // hash of the file as it was left
	Ops     []op     `json:"ops,omitempty"`
	Wrapped []string `json:"wrapped,omitempty"` // servers
	Target  target   `json:"target"`

	original []byte
	lost     bool // there was an original, but it is gone
}

// target is to what the agent was connected.
type target struct {
	Program  string `json:"program"`
	Endpoint string `json:"endpoint"`
	OTLP     string `json:"otlp"`
	Content  bool   `json:"content,omitempty"`
	Headers  string `json:"headers,omitempty"`
}

// op is one setting that was made.
type op struct {
	Path    []string        `json:"path,omitempty"`
	Element bool            `json:"element,omitempty"`
	Value   json.RawMessage `json:"value"`
	Old     json.RawMessage `json:"old,omitempty"` // what was there; of an Element, a list
	Keep    int             `json:"keep"`          // parts of Path that were there before
}

// StateFolder is where a user's programs keep what they know, by the system's
// custom.
func StateFolder(home, system string, env func(string) string) string {
	folder := env("XDG_STATE_HOME")
	if folder == "" && system == "windows" {
		folder = env("LocalAppData")
	}
	if folder == "" {
		folder = filepath.Join(home, ".local", "state")
	}
	return filepath.Join(folder, "otelcol-mcp", "mcptap")
}

func hash(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// base is the name of a record without its extension.
func (j Journal) base(agent, project, path string) string {
	name := agent + "-" + hash([]byte(project + "\x00" + path))[:12] + "-" + strings.TrimPrefix(filepath.Base(path), ".")
	return filepath.Join(j.Folder, name)
}

// originalOf is where the file as it was is kept.
func (j Journal) originalOf(r *record) string {
	return j.base(r.Agent, r.Project, r.Path) + ".original"
}

// load is nil if nothing was done.
func (j Journal) load(agent, project, path string) (*record, error) {
	base := j.base(agent, project, path)
	text, err := os.ReadFile(base + ".record.json") //nolint:gosec // in the user's own folder
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil //nolint:nilnil // as documented
	}
	if err != nil {
		return nil, err
	}
	r := &record{}
	if err = json.Unmarshal(text, r); err != nil {
		return nil, err
	}
	if r.Existed {
		r.original, err = os.ReadFile(base + ".original") //nolint:gosec // as above
		if r.lost = errors.Is(err, fs.ErrNotExist); err != nil && !r.lost {
			return nil, err
		}
	}
	return r, nil
}

// records are all that were made of an agent; "*" stands for any.
func (j Journal) records(agent string) (all []record) {
	names, _ := filepath.Glob(filepath.Join(j.Folder, agent+"-*.record.json"))
	for _, name := range names {
		text, err := os.ReadFile(name) //nolint:gosec // in the user's own folder
		var r record
		if err == nil && json.Unmarshal(text, &r) == nil && (agent == "*" || r.Agent == agent) {
			all = append(all, r)
		}
	}
	return all
}

// paths are the files that were changed for an agent in a project, or with "" for the user.
func (j Journal) paths(agent, project string) (all []string) {
	for _, r := range j.records(agent) {
		if r.Project == project {
			all = append(all, r.Path)
		}
	}
	return all
}

// Targets returns the collectors that an agent is connected to, by the record: in all projects and
// in single ones.
func (j Journal) Targets(agent string) (all []agents.Target) {
	for _, r := range j.records(agent) {
		t := agents.Target{
			Program: r.Target.Program, Endpoint: r.Target.Endpoint, OTLP: r.Target.OTLP, Headers: r.Target.Headers, Content: r.Target.Content, Project: r.Project,
		}
		if !slices.ContainsFunc(all, func(o agents.Target) bool { return o.Project == t.Project }) {
			all = append(all, t)
		}
	}
	slices.SortFunc(all, func(a, b agents.Target) int { return strings.Compare(a.Project, b.Project) })
	return all
}

// Has reports whether an agent is connected in a project, or with "" for the user,
// by the record.
func (j Journal) Has(agent, project string) bool {
	return slices.ContainsFunc(j.Targets(agent), func(t agents.Target) bool { return t.Project == project })
}

// Any reports whether an agent is connected, by the record.
func (j Journal) Any() bool { return len(j.records("*")) > 0 }

func (j Journal) save(r *record) error {
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	if err = os.MkdirAll(j.Folder, 0o700); err != nil {
		return err
	}
	base := j.base(r.Agent, r.Project, r.Path)
	if r.Existed && !r.lost {
		if err = settings.Replace(base+".original", r.original, 0o600); err != nil {
			return err
		}
	}
	return settings.Replace(base+".record.json", append(text, '\n'), 0o600)
}

func (j Journal) remove(r *record, keepOriginal bool) error {
	base := j.base(r.Agent, r.Project, r.Path)
	if !keepOriginal {
		if err := os.Remove(base + ".original"); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	err := os.Remove(base + ".record.json")
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
