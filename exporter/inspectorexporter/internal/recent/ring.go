// Package recent remembers the last of many things.
package recent

import "slices"

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

// Has reports whether the item is among them.
func (r *Ring[T]) Has(item T) bool { return slices.Contains(r.Items, item) }

// Keep forgets all but the last of them, and gives their memory back.
func (r *Ring[T]) Keep(last int) {
	n := len(r.Items)
	if n == 0 {
		return
	}
	kept := make([]T, 0, min(n, last))
	for i := max(0, n-last); i < n; i++ {
		kept = append(kept, r.Items[(r.next+i)%n])
	}
	*r = Ring[T]{Items: kept}
}
