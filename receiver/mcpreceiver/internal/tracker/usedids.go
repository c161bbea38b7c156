package tracker

import (
	"github.com/otelcol-mcp/otelcol-mcp/receiver/mcpreceiver/internal/wire"
)

// usedIDs remembers the ids of the last calls, so that one used again gets a
// span ID of its own, and one sent again the same as before.
type usedIDs struct {
	ring       []usedID
	next       int
	connection string
	highest    [2]int64 // integers sent on connection, by direction
}

type usedID struct {
	hash  uint64
	start int64
}

const usedIDsMax = 128

// seen tells whether the id was used by a call that started at another time.
func (u *usedIDs) seen(c *Call, hash uint64) bool {
	n, isInt := wire.Value(c.ID).Int()
	ascending := isInt && u.connection == c.Connection && n > u.highest[side(c.FromClient)]
	if ascending || len(u.ring) == 0 {
		return false
	}
	for _, id := range u.ring {
		if id.hash == hash {
			return id.start != c.Start
		}
	}
	// An integer that is not remembered and not new either left the ring long ago.
	return isInt && u.connection == c.Connection && len(u.ring) == usedIDsMax
}

// add remembers the id and returns what it displaced.
func (u *usedIDs) add(c *Call, hash uint64) (old usedID, at int) {
	if u.connection != c.Connection {
		u.connection, u.highest = c.Connection, [2]int64{}
	}
	if n, ok := wire.Value(c.ID).Int(); ok {
		u.highest[side(c.FromClient)] = max(u.highest[side(c.FromClient)], n)
	}
	id := usedID{hash, c.Start}
	if len(u.ring) < usedIDsMax {
		u.ring = append(u.ring, id)
		return usedID{}, -1
	}
	at = u.next
	old, u.ring[at] = u.ring[at], id
	u.next = (u.next + 1) % usedIDsMax
	return old, at
}

func side(fromClient bool) int {
	if fromClient {
		return 0
	}
	return 1
}
