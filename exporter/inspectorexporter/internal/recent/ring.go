// Package recent remembers the last of many things.
package recent

// Ring is the last of many items.
type Ring[T comparable] struct {
	Items []T // in no order
	next  int
}

// Add is what was given up for the new one, or nothing while there are fewer
// than most.
func (r *Ring[T]) Add(item T, most int) (given T) {
	if len(r.Items) < most {
		r.Items = append(r.Items, item)
		return given
	}
	at := &r.Items[r.next%most]
	given, *at = *at, item
	r.next++
	return given
}
