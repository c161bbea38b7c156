package store

import "slices"

// Counted are the calls of tools that were counted last, by what their other layer knows
// of them. They are immutable; nil is empty.
type Counted []CountedCall

// CountedCall is one of them.
type CountedCall struct {
	Call   uint64 `cbor:"1,keyasint"`           // hash of its id or span
	Called bool   `cbor:"2,keyasint,omitempty"` // it was counted as a call
	Failed bool   `cbor:"3,keyasint,omitempty"` // it was counted as an error
	Tool   uint64 `cbor:"4,keyasint,omitempty"` // bits of all names that it may have; 0 if the id tells enough
}

const (
	// countedMax is more than what an agent does until its own spans of that are sent.
	countedMax = 128
	// countedFew are enough where no agent is known: few sessions turn out to have one.
	countedFew = 16
)

// With are the same and that call as the last one, without the oldest. They are few until
// an agent is known.
func (cs *Counted) With(c CountedCall, agent bool) *Counted {
	most := countedFew
	if agent {
		most = countedMax
	}
	before, after := cs.all(), Counted(nil)
	if i := slices.IndexFunc(before, func(o CountedCall) bool { return o.Call == c.Call && o.Tool == c.Tool }); i >= 0 {
		c.Called, c.Failed = c.Called || before[i].Called, c.Failed || before[i].Failed
		before, after = before[:i], before[i+1:]
	} else {
		before = before[max(0, len(before)+1-most):]
	}
	next := slices.Concat(before, after, Counted{c})
	return &next
}

func (cs *Counted) all() Counted {
	if cs == nil {
		return nil
	}
	return *cs
}

// Find is what is known of the call: by its id, else by its span and its tool, of whose
// names one may be the end of the other.
func (cs *Counted) Find(call CountedCall) CountedCall {
	call.Called, call.Failed = false, false
	for _, c := range cs.all() {
		if both := c.Tool & call.Tool; c.Call == call.Call && (both == c.Tool || both == call.Tool) {
			call.Called, call.Failed = call.Called || c.Called, call.Failed || c.Failed
		}
	}
	return call
}

// Bytes is what they hold, about.
func (cs *Counted) Bytes() int64 {
	const each = 24
	return each * int64(len(cs.all()))
}
