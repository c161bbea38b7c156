package connect

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/otelcol-mcp/otelcol-mcp/cmd/mcptap/internal/agents"
	"github.com/otelcol-mcp/otelcol-mcp/cmd/mcptap/internal/settings"
)

// errChanged reports a setting that is no longer as it was written.
var errChanged = errors.New("changed since")

// Undo says what undoing would do: a file that nobody changed since becomes what
// it was; any other one loses what is ours.
func Undo(r Request) (*Plan, error) {
	p := &Plan{}
	var edits []*edit
	for _, f := range r.changed() {
		e, err := r.open(f)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.Path, err)
		}
		edits = append(edits, e)
	}
	lost := r.lost(edits)
	for _, e := range slices.Backward(edits) {
		if err := r.undo(e, lost); err != nil {
			return nil, fmt.Errorf("%s: %w", e.Change.Path, err)
		}
		p.Changes = append(p.Changes, e.Change)
	}
	return p, nil
}

// IsConnected reports whether there is something to undo: a record, or settings that
// look like ours. A file that nobody recorded and that is not valid is not ours. What
// cannot be known is for Undo to say.
func IsConnected(r Request) bool {
	if r.Journal.Has(r.Agent.Name, r.Target.Project) {
		return true
	}
	var edits []*edit
	for _, f := range r.files() {
		e, err := r.open(f)
		var invalid *settings.SyntaxError
		switch {
		case err == nil:
			edits = append(edits, e)
		case !errors.As(err, &invalid):
			return true
		}
	}
	return r.lost(edits)
}

// changed are the agent's files, and those that were when it was connected: settings move
// if a variable does, or if another file turns up that goes first.
func (r *Request) changed() []agents.File {
	files := r.files()
	for _, path := range r.Journal.paths(r.Agent.Name, r.Target.Project) {
		if slices.ContainsFunc(files, func(f agents.File) bool { return followed(f.Path) == path }) {
			continue
		}
		f := agents.File{Path: path}
		if text, err := settings.Read(path); err == nil && agents.IsWhole(text) {
			f.Whole = text
		}
		files = append(files, f)
	}
	return files
}

// lost reports whether an agent is connected without a record of it, as on
// another machine with the same settings.
func (r *Request) lost(edits []*edit) (connected bool) {
	for _, e := range edits {
		if e.before != nil {
			return false
		}
		if e.document != nil {
			hooks, _ := e.document.Value("hooks")
			connected = connected || r.Agent.IsOurs(hooks)
		} else {
			connected = connected || agents.IsWhole(e.Old)
		}
	}
	return connected
}

func (r *Request) undo(e *edit, lost bool) (err error) {
	e.New = e.Old
	switch {
	case e.Old == nil, e.before == nil && !lost:
	case e.before == nil:
		e.New, e.Kept, err = r.cleaned(r.guess(e), e.Old)
	case hash(e.Old) == e.before.Written && e.before.lost && e.Whole != nil:
		e.New = nil
	case hash(e.Old) == e.before.Written && !e.before.lost:
		e.Exact, e.New = true, nil
		if e.before.Existed {
			e.New = e.before.original
			if e.New == nil {
				e.New = []byte{}
			}
		}
	case e.Whole != nil:
		e.Kept = []string{"the whole file"}
	default:
		e.New, e.Kept, err = r.cleaned(e.before, e.Old)
	}
	return err
}

// guess is a record of what looks like ours in a file of which there is none.
func (r *Request) guess(e *edit) *record {
	rec := &record{Path: e.Change.Path, Existed: true}
	if e.Whole != nil {
		rec.Existed = !bytes.Equal(e.Old, e.Whole)
		return rec
	}
	for _, s := range slices.Concat(e.Settings, r.derived(e)) {
		v, ok := e.document.Value(s.Path...)
		if s.Soft && s.Group == agents.Hooks {
			continue // the version of the file
		}
		if list, isList := v.([]any); s.Element && isList {
			ok = slices.ContainsFunc(list, r.Agent.IsOurs)
		} else {
			ok = ok && settings.Same(v, s.Value)
		}
		if ok {
			value, _ := settings.Marshal(s.Value)
			rec.Ops = append(rec.Ops, op{Path: s.Path, Element: s.Element, Value: value})
		}
	}
	return rec
}

// derived are the settings that follow from other files as they are.
func (r *Request) derived(e *edit) []agents.Setting {
	if e.Derived == nil {
		return nil
	}
	return e.Derived(func(path string) settings.Document {
		for _, f := range r.files() {
			if f.Path == path {
				if other, err := r.open(f); err == nil {
					return other.document
				}
			}
		}
		d, _ := settings.Parse(path, nil)
		return d
	})
}

// cleaned is a file without what a record says, nil if nothing of it is left.
// kept are settings that the user has changed.
func (r *Request) cleaned(rec *record, text []byte) (clean []byte, kept []string, err error) {
	if rec.Ops == nil && rec.Wrapped == nil {
		if !rec.Existed {
			return nil, nil, nil
		}
		return text, nil, nil
	}
	clean = text
	if len(rec.Wrapped) > 0 {
		if clean, _, err = settings.UnwrapServers(rec.Path, clean, rec.Wrapped...); err != nil {
			return nil, nil, err
		}
	}
	d, err := settings.Parse(rec.Path, clean)
	if err != nil {
		return nil, nil, err
	}
	for _, o := range slices.Backward(rec.Ops) {
		err := r.revert(d, o)
		if errors.Is(err, errChanged) {
			kept = append(kept, strings.Join(o.Path, "."))
			continue
		}
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", strings.Join(o.Path, "."), err)
		}
	}
	if whole, _ := d.Value(); !rec.Existed && isEmpty(whole) {
		return nil, kept, nil
	}
	return d.Text(), kept, nil
}

func isEmpty(v any) bool {
	text, err := json.Marshal(v)
	return err == nil && (string(text) == "{}" || string(text) == "null")
}
