package connect

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"

	"github.com/otelcol-mcp/otelcol-mcp/cmd/mcptap/internal/settings"
)

// groupKey is the member of a group that has its hooks.
const groupKey = "hooks"

// hooksIn are the hooks of a group, or the one that an element is itself.
func hooksIn(element any) []any {
	group, _ := element.(map[string]any)
	if hooks, ok := group[groupKey].([]any); ok {
		return hooks
	}
	return []any{element}
}

// groupWith is a group with some of its hooks.
func groupWith(element any, hooks []any) any {
	group, ok := element.(map[string]any)
	if _, has := group[groupKey].([]any); !ok || !has {
		return element
	}
	group = maps.Clone(group)
	group[groupKey] = hooks
	return group
}

// holds reports whether a group is another one with more hooks.
func holds(element, value any) bool {
	value = plainOf(value)
	want := hooksIn(value)
	for _, w := range want {
		if !slices.ContainsFunc(hooksIn(element), func(h any) bool { return settings.Same(h, w) }) {
			return false
		}
	}
	return settings.Same(groupWith(element, want), value)
}

// plainOf is a value as a document has it.
func plainOf(value any) (v any) {
	text, err := settings.Marshal(value)
	if err != nil || json.Unmarshal(text, &v) != nil {
		return value
	}
	return v
}

// removeHooks removes hooks from the list at a path, and groups that have no
// others. removed are the elements with what was removed of them.
func removeHooks(d settings.Document, path []string, keep int, chosen func(hook any) bool) (removed []any, err error) {
	v, _ := d.Value(path...)
	list, _ := v.([]any)
	for i, element := range slices.Backward(list) {
		hooks := hooksIn(element)
		out := slices.DeleteFunc(slices.Clone(hooks), func(h any) bool { return !chosen(h) })
		if len(out) == 0 {
			continue
		}
		removed = append(removed, groupWith(element, out))
		if len(out) == len(hooks) {
			err = d.RemoveElement(path, i, keep)
		} else {
			err = removeFromGroup(d, append(slices.Clone(path), strconv.Itoa(i), groupKey), hooks, chosen)
		}
		if err != nil {
			return nil, err
		}
	}
	slices.Reverse(removed)
	return removed, nil
}

func removeFromGroup(d settings.Document, path []string, hooks []any, chosen func(hook any) bool) error {
	for i, hook := range slices.Backward(hooks) {
		if !chosen(hook) {
			continue
		}
		if err := d.RemoveElement(path, i, len(path)); err != nil {
			return err
		}
	}
	return nil
}

// replaceElements removes hooks that are ours, and those that do the same, which
// it notes.
func (r *Request) replaceElements(d settings.Document, path []string, o *op) error {
	if _, err := removeHooks(d, path, len(path), r.Agent.IsOurs); err != nil {
		return err
	}
	old, err := removeHooks(d, path, len(path), r.Agent.Posts)
	if err == nil && old != nil {
		o.Old, err = settings.Marshal(old)
	}
	return err
}

// revertElement removes hooks that are ours and brings back what they replaced.
func (r *Request) revertElement(d settings.Document, o op, old any) error {
	made := hooksIn(plainOf(o.Value))
	_, err := removeHooks(d, o.Path, o.Keep, func(hook any) bool {
		return r.Agent.IsOurs(hook) || slices.ContainsFunc(made, func(m any) bool { return settings.Same(hook, m) })
	})
	if err != nil {
		return err
	}
	again, _ := old.([]any)
	for _, element := range again {
		if err := d.Append(o.Path, element); err != nil {
			return err
		}
	}
	return nil
}
