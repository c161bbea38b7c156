package state

import (
	"github.com/otelcol-mcp/otelcol-mcp/internal/event"
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

// Echoes are what a host sent to its servers lately, in the order in which it
// was seen. They are immutable; nil is empty.
type Echoes []Echo

// Echo is one message of a host.
type Echo struct {
	Hash uint64 `cbor:"1,keyasint"`
	Time int64  `cbor:"2,keyasint"` // of the message
}

const (
	// echoWindow is how close in time equal messages from one host are one.
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

// UsedIDs remembers the ids of the last calls, so that one used again gets a
// span ID of its own, and one sent again the same as before. It changes in
// place.
type UsedIDs struct {
	Ring       []UsedID `cbor:"1,keyasint,omitempty"`
	Next       int      `cbor:"2,keyasint,omitempty"`
	Connection string   `cbor:"3,keyasint,omitempty"`
	Highest    [2]int64 `cbor:"4,keyasint"` // integers sent on Connection, by direction
}

// UsedID is one of them.
type UsedID struct {
	Hash  uint64 `cbor:"1,keyasint"`
	Start int64  `cbor:"2,keyasint"`
}

// UsedIDsMax is how many are remembered.
const UsedIDsMax = 128

// Seen reports whether the call's id, by its hash, was used by a call that
// started at another time.
func (u *UsedIDs) Seen(c *Call, hash uint64) bool {
	n, isInt := event.JSON(c.Key.ID).Int()
	ascending := isInt && u.Connection == c.Key.Connection && n > u.Highest[side(c.Key.FromClient)]
	if ascending || len(u.Ring) == 0 {
		return false
	}
	for _, id := range u.Ring {
		if id.Hash == hash {
			return id.Start != c.Start
		}
	}
	// An integer that is not remembered and not new either left the ring long ago.
	return isInt && u.Connection == c.Key.Connection && len(u.Ring) == UsedIDsMax
}

// Has reports whether a call with that hash is remembered.
func (u *UsedIDs) Has(hash uint64) bool {
	return slices.ContainsFunc(u.Ring, func(id UsedID) bool { return id.Hash == hash })
}

// Add remembers the id and returns what it displaced, at is -1 if nothing.
func (u *UsedIDs) Add(c *Call, hash uint64) (old UsedID, at int) {
	if u.Connection != c.Key.Connection {
		u.Connection, u.Highest = c.Key.Connection, [2]int64{}
	}
	if n, ok := event.JSON(c.Key.ID).Int(); ok {
		highest := &u.Highest[side(c.Key.FromClient)]
		*highest = max(*highest, n)
	}
	id := UsedID{hash, c.Start}
	if len(u.Ring) < UsedIDsMax {
		u.Ring = append(u.Ring, id)
		return UsedID{}, -1
	}
	at = u.Next
	old, u.Ring[at] = u.Ring[at], id
	u.Next = (u.Next + 1) % UsedIDsMax
	return old, at
}

func side(fromClient bool) int {
	if fromClient {
		return 0
	}
	return 1
}
