package sessions

import "slices"

// ring holds the last of many items.
type ring[T comparable] struct {
	Items []T // in no order
	next  int
}

// Add is what was given up for the new one, or nothing while there are fewer
// than most.
func (r *ring[T]) Add(item T, most int) (given T) {
	if len(r.Items) < most {
		r.Items = append(r.Items, item)
		return given
	}
	at := &r.Items[r.next%most]
	given, *at = *at, item
	r.next++
	return given
}

// Has reports whether the item is among them.
func (r *ring[T]) Has(item T) bool { return slices.Contains(r.Items, item) }
