// Package connect writes what an agent needs into its settings files, and
// removes it again.
package connect

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/otelcol-mcp/otelcol-mcp/cmd/mcptap/internal/agents"
	"github.com/otelcol-mcp/otelcol-mcp/cmd/mcptap/internal/settings"
)

// Request says what to connect.
type Request struct {
	Agent   *agents.Agent
	Machine agents.Machine
	Target  agents.Target
	Journal Journal
	Wrap    *settings.Wrapper // nil if servers are to stay as they are
	Force   bool              // replace what is set otherwise
}

// Plan describes changes before they are made.
type Plan struct {
	Changes   []*Change      // in the order in which they are made; files that stay as they are, too
	Conflicts []string       // why groups are left out
	Groups    []agents.Group // that the agent has
	Missing   []agents.Group // of these, what is not in the settings now
	Outdated  []agents.Group // hooks that an earlier version or other flags wrote
	Blocked   []agents.Group // of the missing ones, what is left out because of conflicts
}

// edit is a file that is being planned.
type edit struct {
	agents.File
	*Change
	document settings.Document // nil if the file is written as a whole
	text     []byte            // of such a file
	ops      []op
	steps    []step
}

// New says what connecting would do. It reads, but writes nothing.
func New(r Request) (*Plan, error) {
	p := &Plan{}
	var edits []*edit
	for _, f := range r.files() {
		e, err := r.open(f)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.Path, err)
		}
		e.steps = append(e.steps, r.look(e, f.Settings)...)
		edits = append(edits, e)
		p.note(e)
	}
	for _, e := range edits {
		if err := r.write(p, e, edits); err != nil {
			return nil, fmt.Errorf("%s: %w", e.Change.Path, err)
		}
		p.Changes = append(p.Changes, e.Change)
	}
	return p, nil
}

// files are the agent's files. Hooks report failures to the folder of the journal.
func (r *Request) files() []agents.File {
	t := r.Target
	t.State = r.Journal.Folder
	return r.Agent.Files(r.Machine, t)
}

// open reads a file and what was done to it.
func (r *Request) open(f agents.File) (e *edit, err error) {
	e = &edit{File: f, Change: &Change{Path: followed(f.Path), journal: r.Journal, Program: f.Whole != nil}}
	if e.Old, err = settings.Read(e.Change.Path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if e.before, err = r.Journal.load(r.Agent.Name, r.Target.Project, e.Change.Path); err != nil {
		return nil, err
	}
	if e.before != nil {
		e.ops = slices.Clone(e.before.Ops)
	}
	if f.Whole != nil {
		e.text = e.Old
		return e, nil
	}
	e.document, err = settings.Parse(e.Change.Path, e.Old)
	return e, err
}

// followed is a path without symbolic links, as far as it exists.
func followed(path string) string {
	if resolved, err := filepath.EvalSymlinks(path); err == nil {
		return resolved
	}
	if folder, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil {
		return filepath.Join(folder, filepath.Base(path))
	}
	return path
}

// note collects what is missing and what is in the way.
func (p *Plan) note(e *edit) {
	for _, s := range e.steps {
		add(&p.Groups, s.setting.Group)
		switch s.state {
		case present:
		case outdated:
			add(&p.Outdated, s.setting.Group)
		default:
			add(&p.Missing, s.setting.Group)
		}
		if s.state == inTheWay {
			add(&p.Blocked, s.setting.Group)
			p.Conflicts = append(p.Conflicts, fmt.Sprintf("%s: %s", e.Change.Path, s.why))
		}
	}
}

func add(to *[]agents.Group, g agents.Group) {
	if !slices.Contains(*to, g) {
		*to = append(*to, g)
	}
}

// write makes the changes to one file that nothing is in the way of.
func (r *Request) write(p *Plan, e *edit, all []*edit) error {
	if e.Derived != nil {
		more := &edit{File: e.File, Change: e.Change, document: e.document, ops: e.ops}
		more.steps = r.look(more, e.Derived(func(path string) settings.Document { return documentOf(all, path) }))
		p.note(more)
		e.steps = append(e.steps, more.steps...)
	}
	if err := r.make(p, e); err != nil {
		return err
	}
	e.New = e.result()
	if err := r.wrap(e); err != nil {
		return err
	}
	if e.Changed() {
		return r.remember(e)
	}
	if e.before != nil {
		same := *e.before
		same.Target = r.target()
		e.record = &same
	}
	return nil
}

func documentOf(all []*edit, path string) settings.Document {
	i := slices.IndexFunc(all, func(e *edit) bool { return e.File.Path == path })
	return all[i].document
}

// result is nil if there is still nothing to be in a file that does not exist.
func (e *edit) result() []byte {
	if e.Whole != nil {
		return e.text
	}
	if e.Old == nil && len(e.ops) == 0 {
		return nil
	}
	if len(e.steps) == 0 && (e.before == nil || len(e.ops) == len(e.before.Ops)) {
		return e.Old
	}
	return e.document.Text()
}

// wrap puts mcptap before the servers in a file.
func (r *Request) wrap(e *edit) error {
	if r.Wrap == nil || !e.Servers || e.New == nil {
		return nil
	}
	text, names, err := settings.WrapServers(e.Change.Path, e.New, *r.Wrap)
	if errors.Is(err, settings.ErrNoServers) {
		return nil
	}
	if err != nil {
		return err
	}
	if len(names) > 0 {
		e.New, e.Wrapped = text, names
	}
	return nil
}

// remember makes the record of a change. The original of a file that the user
// has edited since is that file without what is ours.
func (r *Request) remember(e *edit) error {
	rec := &record{
		Agent: r.Agent.Name, Project: r.Target.Project, Path: e.Change.Path, Written: hash(e.New), Ops: e.ops,
		Existed: e.Old != nil, original: e.Old, Wrapped: e.Wrapped,
		Target: r.target(),
	}
	e.record = rec
	if e.before == nil {
		rec.Folders = missingFolders(filepath.Dir(e.Change.Path))
		return nil
	}
	rec.Wrapped = append(slices.Clone(e.before.Wrapped), e.Wrapped...)
	rec.Folders = e.before.Folders
	rec.Existed, rec.original = e.before.Existed, e.before.original
	if e.Old == nil {
		rec.Existed = rec.Existed && !e.before.lost
		return nil
	}
	if hash(e.Old) == e.before.Written && (!e.before.lost || e.Whole != nil) {
		rec.lost = e.before.lost
		return nil
	}
	clean, _, err := r.cleaned(e.before, e.Old)
	rec.Existed, rec.original = clean != nil, clean
	return err
}

func (r *Request) target() target {
	return target{r.Target.Program, r.Target.Endpoint, r.Target.OTLP, r.Target.Content, r.Target.Headers}
}

// missingFolders are those that have to be made, the inner ones first.
func missingFolders(path string) (missing []string) {
	for {
		if _, err := os.Stat(path); err == nil || filepath.Dir(path) == path {
			return missing
		}
		missing = append(missing, path)
		path = filepath.Dir(path)
	}
}
