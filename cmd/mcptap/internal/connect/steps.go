package connect

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/otelcol-mcp/otelcol-mcp/cmd/mcptap/internal/agents"
	"github.com/otelcol-mcp/otelcol-mcp/cmd/mcptap/internal/settings"
)

// state compares a setting with a file.
type state int

const (
	present  state = iota
	absent         // or ours, but different
	outdated       // a hook of ours that an earlier version wrote
	inTheWay       // something else is there
)

// step is a setting and what has to be done for it.
type step struct {
	setting agents.Setting
	state   state
	why     string // for the user, of what is in the way
}

// look compares settings with a file.
func (r *Request) look(e *edit, all []agents.Setting) (steps []step) {
	if e.Whole != nil {
		return []step{r.lookWhole(e)}
	}
	for _, s := range all {
		state, why := r.compare(e, s)
		if r.Force && state == inTheWay {
			state = absent
		}
		for _, path := range s.Forbidden {
			if v, ok := e.document.Value(path...); ok {
				state, why = inTheWay, fmt.Sprintf("%s is %s, which would win: remove it", strings.Join(path, "."), settings.Shown(path, v))
			}
		}
		steps = append(steps, step{s, state, why})
	}
	return steps
}

func (r *Request) lookWhole(e *edit) step {
	s := step{setting: agents.Setting{Group: e.Group}}
	switch {
	case bytes.Equal(e.Old, e.Whole):
		return s
	case e.Old != nil && !r.Force && !agents.IsWhole(e.Old):
		s.state, s.why = inTheWay, "the file is not by mcptap"
	default:
		s.state = absent
	}
	return s
}

func (r *Request) compare(e *edit, s agents.Setting) (state, string) {
	name := strings.Join(s.Path, ".")
	v, ok := e.document.Value(s.Path...)
	switch {
	case !ok:
		return absent, ""
	case s.Element:
		return r.compareElement(name, v, s)
	case settings.Same(v, s.Value) || s.Soft || enough(v, s):
		return present, ""
	case s.Own, slices.ContainsFunc(e.ops, func(o op) bool { return slices.Equal(o.Path, s.Path) && settings.Same(v, o.Value) }):
		return absent, "" // ours, and out of date
	}
	return inTheWay, fmt.Sprintf("%s is %s already, not %s", name, settings.Shown(s.Path, v), settings.Shown(s.Path, s.Value))
}

// enough reports whether the one member is there that counts.
func enough(v any, s agents.Setting) bool {
	got, _ := v.(map[string]any)
	want, _ := s.Value.(settings.Object)
	for _, m := range want {
		if m.Key == s.Enough {
			return settings.Same(got[m.Key], m.Value)
		}
	}
	return false
}

func (r *Request) compareElement(name string, v any, s agents.Setting) (state, string) {
	list, ok := v.([]any)
	if !ok {
		return inTheWay, name + " is not a list"
	}
	found := absent
	for _, element := range list {
		switch {
		case settings.Same(element, s.Value) || holds(element, s.Value):
			found = present
		case slices.ContainsFunc(hooksIn(element), r.Agent.Posts):
			return inTheWay, name + " has a hook already that reports to a collector; every event would arrive twice"
		case found == absent && slices.ContainsFunc(hooksIn(element), r.Agent.IsOurs):
			found = outdated
		}
	}
	return found, ""
}

// make carries out the steps whose groups nothing is in the way of.
func (r *Request) make(p *Plan, e *edit) error {
	r.dropStale(p, e)
	for _, s := range e.steps {
		if s.state == present || slices.Contains(p.Blocked, s.setting.Group) {
			continue
		}
		add(&e.Groups, s.setting.Group)
		if e.Whole != nil {
			e.text, e.ops = e.Whole, nil
			continue
		}
		if err := r.makeOne(e, s.setting); err != nil {
			return fmt.Errorf("%s: %w", strings.Join(s.setting.Path, "."), err)
		}
	}
	return nil
}

// dropStale removes what was written before and is no longer wanted.
func (r *Request) dropStale(p *Plan, e *edit) {
	if e.document == nil || len(p.Blocked) > 0 {
		return
	}
	e.ops = slices.DeleteFunc(e.ops, func(o op) bool {
		wanted := slices.ContainsFunc(e.steps, func(s step) bool { return slices.Equal(s.setting.Path, o.Path) })
		return !wanted && r.revert(e.document, o) == nil
	})
}

// makeOne writes one setting and notes what it replaced.
func (r *Request) makeOne(e *edit, s agents.Setting) error {
	value, err := settings.Marshal(s.Value)
	if err != nil {
		return err
	}
	o := op{Path: s.Path, Element: s.Element, Value: value, Keep: settings.Depth(e.document, s.Path)}
	if i := slices.IndexFunc(e.ops, func(o op) bool { return slices.Equal(o.Path, s.Path) }); i >= 0 {
		o.Keep, o.Old = e.ops[i].Keep, e.ops[i].Old
		e.ops = slices.Delete(e.ops, i, i+1)
	} else if !s.Element {
		if v, ok := e.document.Value(s.Path...); ok {
			o.Old, _ = settings.Marshal(v)
		}
	}
	if s.Element {
		if err = r.replaceElements(e.document, s.Path, &o); err != nil {
			return err
		}
		err = e.document.Append(s.Path, s.Value)
	} else {
		err = e.document.Set(s.Path, s.Value)
	}
	e.ops = append(e.ops, o)
	return err
}

// revert takes back one setting. It is false if the user has changed it since.
func (r *Request) revert(d settings.Document, o op) error {
	v, ok := d.Value(o.Path...)
	var old any
	if o.Old != nil {
		if err := json.Unmarshal(o.Old, &old); err != nil {
			return err
		}
	}
	switch {
	case !ok:
		return nil
	case o.Element:
		return r.revertElement(d, o, old)
	case !settings.Same(v, o.Value):
		return errChanged
	case o.Old != nil:
		return d.Set(o.Path, old)
	}
	return d.Remove(o.Path, o.Keep)
}
