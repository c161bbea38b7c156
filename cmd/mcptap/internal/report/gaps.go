package report

import (
	"strconv"
	"time"

	"github.com/otelcol-mcp/otelcol-mcp/internal/observation"
)

// gapsMax is the number of connections whose losses are kept apart.
const gapsMax = 1000

// gap is records of one connection that are lost, and that no notice has reported
// yet.
type gap struct {
	around  observation.Record
	records int64
	since   time.Time
}

// appendDropped appends a notice of lost records: the receiver expects no
// replies that may be among them.
func appendDropped(lines []byte, around *observation.Record, records int64) []byte {
	r := observation.Record{ // what the record that it is made from says of its own message is not of this one
		Time: time.Now().UnixNano(), Direction: observation.ClientToServer,
		Connection: around.Connection, Session: around.Session, AgentSession: around.AgentSession, Process: around.Process, MCPSessionID: around.MCPSessionID,
		Host: around.Host, Client: around.Client, Server: around.Server, ServerURI: around.ServerURI,
		Transport: around.Transport, Protocol: around.Protocol,
	}
	message := make([]byte, 0, 128)
	message = append(message, `{"jsonrpc":"2.0","method":"`+observation.DroppedMethod+`","params":{"records":`...)
	message = append(strconv.AppendInt(message, records, 10), "}}"...)
	return r.Append(lines, message)
}

// noteBefore adds the notices that belong before a record: that of its connection,
// or before an end those of all of the session's.
func (q *Queue) noteBefore(r *observation.Record) {
	if !r.End.Present {
		q.note(gapKey{r.Session, r.Connection})
		return
	}
	for key := range q.gaps {
		if key.session == r.Session {
			q.note(key)
		}
	}
}

func (q *Queue) note(key gapKey) {
	g := q.gaps[key]
	if g == nil {
		return
	}
	delete(q.gaps, key)
	b := q.batchOf(&g.around)
	before := b.bytes()
	b.note(g)
	q.grown(b, before)
}

// Dropped counts records of a connection that got lost elsewhere.
func (q *Queue) Dropped(around *observation.Record, n int64) {
	if n > 0 {
		q.mu.Lock()
		q.lose(around, n)
		q.mu.Unlock()
	}
}

// lose counts lost records.
func (q *Queue) lose(around *observation.Record, n int64) {
	q.total += n
	q.owe(around, around.Connection, n)
}

// owe notes that lost records have to be reported.
func (q *Queue) owe(around *observation.Record, connection string, n int64) {
	key := gapKey{around.Session, connection}
	if q.gaps[key] == nil && len(q.gaps) >= gapsMax {
		for key = range q.gaps { // one more of any connection
			break
		}
	}
	g := q.gaps[key]
	if g == nil {
		g = &gap{around: *around, since: time.Now()}
		g.around.Connection = connection
		q.gaps[key] = g
		rouse(q.wake)
	}
	g.records += n
}
