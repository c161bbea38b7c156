package session

import (
	"github.com/otelcol-mcp/otelcol-mcp/internal/jsonrpc"
)

// usedIDs remembers the ids of the last calls, so that one used again gets a
// span ID of its own, and one sent again the same as before.
type usedIDs struct {
	Ring       []usedID
	Next       int
	Connection string
	Highest    [2]int64 // integers sent on connection, by direction
}

type usedID struct {
	Hash  uint64
	Start int64
}

const usedIDsMax = 128

// seen tells whether the id was used by a call that started at another time.
func (u *usedIDs) seen(c *Call, hash uint64) bool {
	n, isInt := jsonrpc.Value(c.ID).Int()
	ascending := isInt && u.Connection == c.Connection && n > u.Highest[side(c.FromClient)]
	if ascending || len(u.Ring) == 0 {
		return false
	}
	for _, id := range u.Ring {
		if id.Hash == hash {
			return id.Start != c.Start
		}
	}
	// An integer that is not remembered and not new either left the ring long ago.
	return isInt && u.Connection == c.Connection && len(u.Ring) == usedIDsMax
}

// add remembers the id and returns what it displaced.
func (u *usedIDs) add(c *Call, hash uint64) (old usedID, at int) {
	if u.Connection != c.Connection {
		u.Connection, u.Highest = c.Connection, [2]int64{}
	}
	if n, ok := jsonrpc.Value(c.ID).Int(); ok {
		u.Highest[side(c.FromClient)] = max(u.Highest[side(c.FromClient)], n)
	}
	id := usedID{hash, c.Start}
	if len(u.Ring) < usedIDsMax {
		u.Ring = append(u.Ring, id)
		return usedID{}, -1
	}
	at = u.Next
	old, u.Ring[at] = u.Ring[at], id
	u.Next = (u.Next + 1) % usedIDsMax
	return old, at
}

func side(fromClient bool) int {
	if fromClient {
		return 0
	}
	return 1
}
