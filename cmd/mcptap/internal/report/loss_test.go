package report

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-mcp/otelcol-mcp/internal/observation"
)

func addOf(q *Queue, session, connection, message string) {
	q.Add(&observation.Record{Time: 1771516800000000001, Session: session, Connection: connection}, []byte(message))
}

func addEnd(q *Queue, session string) {
	end := observation.End{Present: true, Reason: "closed"}
	q.Add(&observation.Record{Time: 1771516800000000002, Session: session, End: end}, nil)
}

// story is what was posted of a session, in short.
func story(posts []post, session string) string {
	var text []string
	for _, p := range posts {
		for l := range strings.Lines(p.lines) {
			switch {
			case p.session != session:
			case strings.Contains(l, `"end":`):
				text = append(text, "end")
			case strings.Contains(l, observation.DroppedMethod):
				_, n, _ := strings.Cut(l, `"records":`)
				_, connection, _ := strings.Cut(l, `"connection":"`)
				text = append(text, "lost "+connection[:max(0, strings.IndexByte(connection, '"'))]+" "+strings.TrimRight(n, "}\n"))
			default:
				_, n, _ := strings.Cut(l, `"message":`)
				text = append(text, strings.TrimRight(n, "}\n"))
			}
		}
	}
	return strings.Join(text, ", ")
}

// The end of a session has room in a full queue, and a notice of what is missing
// stands before it, and before the next record of the connection.
func TestEndHasRoom(t *testing.T) {
	c, q := newCollector(t), NewQueue(3*slack)
	large := `"` + strings.Repeat("x", 2*slack) + `"`
	addOf(q, "s", "c-1", "1")
	addOf(q, "s", "c-1", large)
	addOf(q, "s", "c-2", large)
	addOf(q, "s", "c-2", large)
	addOf(q, "s", "c-1", "2")
	addOf(q, "s", "c-1", large)
	for q.size+slack+1 <= q.bound {
		addOf(q, "other", "c-3", "1")
	}
	addEnd(q, "s")
	addOf(q, "s", "c-1", "late")
	Start(q, c.client(t), io.Discard).Close(time.Minute)
	told := story(c.taken(), "s")
	assert.Contains(t, []string{"1, lost c-1 1, 2, lost c-1 1, lost c-2 2, end, lost c-1 1", "1, lost c-1 1, 2, lost c-2 2, lost c-1 1, end, lost c-1 1"}, told)
	assert.Equal(t, int64(5), q.lost())
}

// When time is up, what is left is dropped but for the ends of sessions.
func TestEndIsSentWhenTimeIsUp(t *testing.T) {
	leave := make(chan struct{})
	t.Cleanup(func() { close(leave) })
	c := newCollector(t, func(http.ResponseWriter) {})
	c.hold = leave
	q := NewQueue(1 << 20)
	addOf(q, "s", "c-1", "1")
	addEnd(q, "s")
	addOf(q, "t", "c-2", "1")
	addOf(q, "t", "c-2", "2")
	addEnd(q, "t")
	var said bytes.Buffer
	Start(q, c.client(t), &said).Close(10 * time.Millisecond)
	assert.Equal(t, "lost c-1 1, end", story(c.taken(), "s"))
	assert.Equal(t, "lost c-2 2, end", story(c.taken(), "t"))
	assert.Contains(t, said.String(), "mcptap: 3 records lost in total: ")
}

// A batch that is refused for good does not take the end of its session along.
func TestEndOfRefusedBatch(t *testing.T) {
	c, q := newCollector(t, answer(413)), NewQueue(1<<20)
	addOf(q, "s", "c-1", "1")
	addEnd(q, "s")
	Start(q, c.client(t), io.Discard).Close(time.Minute)
	assert.Equal(t, "lost c-1 1, end", story(c.taken(), "s"))
	assert.Equal(t, int64(1), q.lost())
}

// A collector that accepts loses nothing of a burst that is many times what fits
// the queue, if the one who adds waits.
func TestBurst(t *testing.T) {
	c, q := newCollector(t), NewQueue(64<<10)
	s := Start(q, c.client(t), io.Discard)
	const records = 20_000
	to := Waiting{q}
	for range records {
		to.Add(&observation.Record{Time: 1771516800000000001, Session: "s", Connection: "c"}, []byte("1"))
	}
	s.Close(time.Minute)
	require.Zero(t, q.lost())
	n := 0
	for _, p := range c.taken() {
		n += strings.Count(p.lines, "\n")
	}
	assert.Equal(t, records, n)
}

// Nobody waits for a collector that does not accept.
func TestNobodyWaitsInVain(t *testing.T) {
	c, q := newCollector(t), NewQueue(64<<10)
	client := c.client(t)
	c.Close()
	s := Start(q, client, io.Discard)
	to := Waiting{q}
	for range 20_000 {
		to.Add(&observation.Record{Time: 1771516800000000001, Session: "s", Connection: "c"}, []byte("1"))
	}
	s.Close(time.Minute)
	assert.Equal(t, int64(20_000), q.lost())
}
