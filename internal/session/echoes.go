package session

import "slices"

// echoes are what a host told its servers lately, in the order in which it was
// seen. They never change: adding to them makes others, so that a transaction can
// be rolled back. nil is empty.
type echoes []echo

// echo is one message of a host.
type echo struct {
	Hash uint64
	Time int64 // of the message
}

const (
	// echoesLeast are remembered whatever their age: what a tap saw may come late.
	echoesLeast = 8
	// echoesMost are remembered at most.
	echoesMost = 256
)

// near tells whether one with that hash is no further than the window from time.
func (es *echoes) near(hash uint64, time int64) bool {
	return es != nil && slices.ContainsFunc(*es, func(e echo) bool {
		d := time - e.Time
		return e.Hash == hash && d <= hostWindow && d >= -hostWindow
	})
}

// with are the same and one more, without the oldest that no other is near.
func (es *echoes) with(hash uint64, time int64) *echoes {
	var next echoes
	if es != nil {
		next = *es
	}
	for len(next) >= echoesLeast && (time-next[0].Time > hostWindow || len(next) >= echoesMost) {
		next = next[1:]
	}
	next = slices.Concat(next, echoes{{hash, time}})
	return &next
}
