package store

import (
	"slices"
	"time"
)

// List is an immutable list of values that never change: adding or removing
// makes another list.
type List[T any] []*T

// With is the list with one more at the end.
func (l List[T]) With(v *T) List[T] { return append(slices.Clip(l), v) }

// Without is the list without the value at i.
func (l List[T]) Without(i int) List[T] { return slices.Concat(l[:i], l[i+1:]) }

// Recents remembers the last few things by their hashes, with a time each. It
// is immutable; nil is empty.
type Recents struct {
	Hashes [recentsMax]uint64 `cbor:"1,keyasint"`
	Times  [recentsMax]int64  `cbor:"2,keyasint"`
	N      int                `cbor:"3,keyasint"` // how many there were in all
}

// recentsMax is more than what an agent does at once.
const recentsMax = 32

// With is the same with one more in the place of the oldest.
func (r *Recents) With(hash uint64, time int64) *Recents {
	var next Recents
	if r != nil {
		next = *r
	}
	at := next.N % len(next.Hashes)
	next.Hashes[at], next.Times[at] = hash, time
	next.N++
	return &next
}

// Find is the time of the last with that hash, 0 if there is none.
func (r *Recents) Find(hash uint64) (time int64) {
	if r == nil {
		return 0
	}
	for i := range min(r.N, len(r.Hashes)) {
		if r.Hashes[i] == hash {
			time = max(time, r.Times[i])
		}
	}
	return time
}

// Each yields the hashes, in no order.
func (r *Recents) Each(yield func(hash uint64) bool) {
	if r == nil {
		return
	}
	for i := range min(r.N, len(r.Hashes)) {
		if !yield(r.Hashes[i]) {
			return
		}
	}
}

// Delivered are the last notices with ids of their own, the oldest first. It is
// immutable; nil is empty.
type Delivered []Delivery

// Delivery is one of them.
type Delivery struct {
	ID      uint64 `cbor:"1,keyasint"` // hash of the id
	Content uint64 `cbor:"2,keyasint"` // hash of what it said
}

// deliveredMax is more than what is delivered again by a retry of a few pages.
const deliveredMax = 256

// Find reports whether a notice with that id was delivered, and whether it said the same.
func (ds *Delivered) Find(d Delivery) (known, same bool) {
	if ds == nil {
		return false, false
	}
	for _, other := range *ds {
		known = known || other.ID == d.ID
		same = same || other == d
	}
	return known, same
}

// With is the same and one more, without the oldest if there are too many.
func (ds *Delivered) With(d Delivery) *Delivered {
	var next Delivered
	if ds != nil {
		next = (*ds)[max(0, len(*ds)+1-deliveredMax):]
	}
	next = append(slices.Clip(next), d)
	return &next
}

// Echoes are the latest messages of a host to its servers, in the order in which each
// was seen. They are immutable; nil is empty.
type Echoes []Echo

// Echo is one message of a host.
type Echo struct {
	Hash uint64 `cbor:"1,keyasint"`
	Time int64  `cbor:"2,keyasint"` // of the message
}

const (
	// echoWindow is the greatest distance in time of equal messages from one host that are one, in ns.
	echoWindow = int64(5 * time.Second)
	// echoesMin are remembered whatever their age: what a tap saw may come late.
	echoesMin = 8
	// EchoesMax are remembered at most.
	EchoesMax = 256
)

// Near reports whether one with that hash is no further than the window from at.
func (es *Echoes) Near(hash uint64, at int64) bool {
	return es != nil && slices.ContainsFunc(*es, func(e Echo) bool {
		d := at - e.Time
		return e.Hash == hash && d <= echoWindow && d >= -echoWindow
	})
}

// With are the same and one more, without the oldest that no other is near.
func (es *Echoes) With(hash uint64, at int64) *Echoes {
	var next Echoes
	if es != nil {
		next = *es
	}
	for len(next) >= echoesMin && (at-next[0].Time > echoWindow || len(next) >= EchoesMax) {
		next = next[1:]
	}
	next = slices.Concat(next, Echoes{{hash, at}})
	return &next
}
