package inspectorexporter

import (
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/otelcol-mcp/otelcol-mcp/exporter/inspectorexporter/internal/sessions"
	"github.com/otelcol-mcp/otelcol-mcp/internal/inspectorwire"
)

// Times of the event stream.
const (
	keepAlive   = 14 * time.Second // without a frame, so that one comes every 15 s though timers are late
	rowsEvery   = 100 * time.Millisecond
	patience    = 30 * time.Second // with a client that does not read
	retryMillis = "2000"
)

// batchBytes is what is written to a client at once, and so what one that does
// not read may hold; a single frame may be longer.
const batchBytes = 16 << 10

// stream sends events until the client goes or the exporter stops.
func (g *gateway) stream(w http.ResponseWriter, r *http.Request) {
	last, board, err := streamQuery(r)
	if err != nil {
		refuse(w, http.StatusBadRequest, err.Error())
		return
	}
	if r.Method == http.MethodHead { // has no body to wait for
		eventHeaders(w.Header())
		return
	}
	if !g.events.Enter() {
		w.Header().Set("Retry-After", "10")
		refuse(w, http.StatusServiceUnavailable, "as many clients are connected as there may be")
		return
	}
	defer g.events.Leave()
	eventHeaders(w.Header())
	reader := &reader{g: g, board: board, next: g.events.Next(), version: g.board.Version(), daily: g.daily.Version()}
	reader.connected(last)
	reader.run(w, r)
}

// eventHeaders keep proxies from gathering or packing what must come at once.
func eventHeaders(h http.Header) {
	h.Set("Content-Type", "text/event-stream; charset=utf-8")
	h.Set("Cache-Control", "no-cache, no-transform")
	h.Set("X-Accel-Buffering", "no")
}

var (
	errView = errors.New("view: board, or none")
	errLast = errors.New("Last-Event-ID: the id of an event of this stream, a number")
)

// streamQuery reads which events are wanted; last is -1 for only new ones.
func streamQuery(r *http.Request) (last int64, board bool, err error) {
	q := r.URL.Query()
	if view := q.Get("view"); view != "" && view != "board" {
		return 0, false, errView
	}
	text := r.Header.Get("Last-Event-ID")
	if text == "" {
		text = q.Get("last_event_id")
	}
	last = -1
	if text != "" {
		if last, err = strconv.ParseInt(text, 10, 64); err != nil || last < 0 {
			return 0, false, errLast
		}
	}
	return last, q.Get("view") == "board", nil
}

// reader is one client: its place in the stream and in the changes of rows, and
// what is being written. Nothing is queued for it.
type reader struct {
	g       *gateway
	board   bool
	next    int64
	version uint64
	daily   uint64    // version of the streams
	rowsAt  time.Time // no rows before
	sentAt  time.Time // the last frame
	buf     []byte
}

// connected makes the first frame, and begins behind the last event that the
// client has.
func (c *reader) connected(last int64) {
	replay := "none"
	if last >= 0 {
		replay = "complete"
		next, gap := c.g.events.From(last+1, func(int64, []byte) bool { return false })
		if c.next = next; gap {
			replay = "gap"
		}
	}
	c.data(map[string]string{
		"type": inspectorwire.TypeConnected, "message": "Connected to the event stream of otelcol-mcp",
		"writer_id": inspectorwire.ProcessWriter(), "replay": replay,
	})
}

// data appends a frame without id.
func (c *reader) data(v any) {
	text, err := json.Marshal(v)
	if err == nil { // nothing that is sent can fail
		c.frame("", text)
	}
}

// frame appends one frame, as the reference Inspector writes them.
func (c *reader) frame(id string, text []byte) {
	if id != "" {
		c.buf = append(append(append(c.buf, "id: "...), id...), '\n')
	}
	c.buf = append(append(c.buf, "data: "...), text...)
	c.buf = append(c.buf, "\nretry: "+retryMillis+"\n\n"...)
}

func (c *reader) run(w http.ResponseWriter, r *http.Request) {
	out := http.NewResponseController(w)
	timer := time.NewTimer(keepAlive)
	defer timer.Stop()
	for {
		wake := c.g.events.Wait()
		later := c.collect(time.Now())
		if len(c.buf) > 0 {
			if !c.write(w, out) {
				return
			}
			continue
		}
		timer.Reset(later)
		select {
		case <-wake:
		case <-timer.C:
		case <-r.Context().Done():
			return
		case <-c.g.stopped:
			return
		}
	}
}

func (c *reader) write(w http.ResponseWriter, out *http.ResponseController) bool {
	c.sentAt = time.Now()
	if out.SetWriteDeadline(c.sentAt.Add(patience)) != nil {
		return false
	}
	_, err := w.Write(c.buf)
	c.buf = c.buf[:0]
	return err == nil && out.Flush() == nil
}

// collect fills the buffer with what is new, or with a sign of life when one is
// due; later is how long to wait when there is nothing.
func (c *reader) collect(now time.Time) (later time.Duration) {
	c.next, _ = c.g.events.From(c.next, func(id int64, event []byte) bool {
		if len(c.buf) >= batchBytes {
			return false
		}
		c.frame(strconv.FormatInt(id, 10), event)
		return true
	})
	quiet := c.sentAt.Add(keepAlive).Sub(now)
	later = quiet
	switch {
	case !c.board || c.version == c.g.board.Version() && c.daily == c.g.daily.Version():
	case now.Before(c.rowsAt):
		later = min(later, c.rowsAt.Sub(now))
	default:
		c.rows(now)
	}
	if len(c.buf) == 0 && quiet <= 0 {
		c.data(map[string]any{"type": inspectorwire.TypeHeartbeat, "timestamp": sessions.Time(now.UnixNano())})
	}
	return later
}

// rowsAtOnce is how many rows are asked for at a time.
const rowsAtOnce = 16

func (c *reader) rows(now time.Time) {
	var streams [][]byte
	streams, c.daily = c.g.daily.Changes(c.daily)
	for _, row := range streams {
		c.data(map[string]any{"type": "StreamChanged", "stream": json.RawMessage(row)})
	}
	for len(c.buf) < batchBytes {
		changes, upTo := c.g.board.Changes(c.version, rowsAtOnce)
		for _, change := range changes {
			c.change(change)
		}
		if c.version = upTo; len(changes) < rowsAtOnce {
			c.rowsAt = now.Add(rowsEvery)
			return
		}
	}
}

func (c *reader) change(change sessions.Change) {
	if change.Row == nil {
		c.data(map[string]string{"type": "SessionRemoved", "session_id": change.ID})
		return
	}
	c.data(map[string]any{"type": "SessionChanged", "session": json.RawMessage(change.Row)})
}
