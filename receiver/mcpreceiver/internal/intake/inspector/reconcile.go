package inspector

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"go.uber.org/zap"

	"github.com/otelcol-mcp/otelcol-mcp/internal/httpclient"
	"github.com/otelcol-mcp/otelcol-mcp/internal/inspectorwire"
	"github.com/otelcol-mcp/otelcol-mcp/internal/session"
)

// listBytes bounds a list of sessions, listTime how long it may take, and
// listEvery how often one is asked for on one connection that is never quiet.
const (
	listBytes = 32 << 20
	listTime  = 10 * time.Second
	listEvery = 10 * time.Second
)

// row is a session in the list that GET /sessions gives (mcp-agent Inspector,
// SessionMeta).
type row struct {
	ID        string `json:"id"`
	Status    string `json:"status"`
	Engine    string `json:"engine"`
	Title     string `json:"title"`
	StartedAt string `json:"started_at"`
	EndedAt   string `json:"ended_at"`
}

// reconcile finds out what happened while nobody listened: the stream has no
// memory. It is done at each connection, as soon as its first frame tells whose
// it is, and where events are missing in the stream.
func (c *Client) reconcile() {
	c.listed, c.gap = time.Now(), false
	rows, err := c.list()
	if err != nil {
		c.logger.Debug("Cannot list the Inspector's sessions after a gap", zap.Error(err))
		return
	}
	for i := range rows {
		r := &rows[i]
		_, followed := c.open[r.ID]
		open := followed || c.runner.Engine.State(r.ID) == session.Open
		switch r.Status {
		case "running", "paused", "waiting", "stalled":
			switch {
			case !open:
				c.replay(inspectorwire.TypeSessionStarted, r)
			case !followed && len(c.open) < openMax: // from before a restart
				c.open[r.ID] = 1
			}
		case inspectorwire.StatusCompleted, inspectorwire.StatusFailed, inspectorwire.StatusCancelled:
			if open {
				c.open[r.ID] = 1
				c.replay(inspectorwire.TypeSessionFinished, r)
				c.closeLevels(r)
			}
		}
	}
}

// levelsMax bounds how often a session is told that it has finished.
const levelsMax = 64

// closeLevels finishes what a session has open besides its last level: the list
// says that all of it is over.
func (c *Client) closeLevels(r *row) {
	e, ok := missed(inspectorwire.TypeSessionFinished, r)
	for range levelsMax {
		if !ok || c.ctx.Err() != nil || c.runner.Engine.State(r.ID) != session.Open {
			return
		}
		c.deliver(func(tx *session.Tx, now int64) error { return c.tell(tx, now, e) })
	}
}

// replay follows the event that was missed.
func (c *Client) replay(kind string, r *row) {
	e, ok := missed(kind, r)
	if !ok {
		return
	}
	if kind == inspectorwire.TypeSessionStarted && len(c.replayed) < openMax {
		c.replayed[e.SessionID] = e.StartTime
	}
	c.follow(e)
}

// missed makes the event that was missed; there is none for a row without an id.
func missed(kind string, r *row) (*inspectorwire.Event, bool) {
	if r.ID == "" || len(r.ID) > idBytes {
		return nil, false
	}
	members := map[string]string{"type": kind, "session_id": r.ID}
	if kind == inspectorwire.TypeSessionStarted {
		members["engine"], members["title"], members["start_time"], members["timestamp"] = r.Engine, r.Title, r.StartedAt, r.StartedAt
	} else {
		members["status"], members["end_time"], members["timestamp"] = r.Status, r.EndedAt, r.EndedAt
	}
	for key, value := range members {
		if value == "" {
			delete(members, key)
		}
	}
	text, err := json.Marshal(members)
	if err != nil {
		return nil, false
	}
	e := &inspectorwire.Event{}
	return e, inspectorwire.DecodeText(string(text), e) == nil
}

// list gets the sessions, the newest first. The reference gives all of them, our
// exporter a page at a time.
func (c *Client) list() (rows []row, err error) {
	ctx, cancel := context.WithTimeout(c.ctx, listTime)
	defer cancel()
	one := page{}
	for first := true; first || one.Next != "" && len(one.Sessions) > 0 && len(rows) < openMax; first = false {
		if one, err = c.page(ctx, one.Next); err != nil {
			return nil, err
		}
		rows = append(rows, one.Sessions...)
	}
	return rows, nil
}

type page struct {
	Sessions []row  `json:"sessions"`
	Next     string `json:"next_cursor"`
}

func (c *Client) page(ctx context.Context, cursor string) (p page, err error) {
	query := url.Values{"limit": {"1000"}}
	if cursor != "" {
		query.Set("cursor", cursor)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, c.base+"/sessions?"+query.Encode(), http.NoBody)
	if err != nil {
		return p, err
	}
	response, err := c.traces.http.Do(request)
	if err != nil {
		return p, httpclient.RedactError(err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return p, fmt.Errorf("%s/sessions answered %s", httpclient.RedactURL(c.base), response.Status)
	}
	err = json.NewDecoder(io.LimitReader(response.Body, listBytes)).Decode(&p)
	return p, err
}
