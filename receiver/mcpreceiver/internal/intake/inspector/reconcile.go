package inspector

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"

	"go.uber.org/zap"

	"github.com/otelcol-mcp/otelcol-mcp/internal/inspectorwire"
)

// listBytes bounds a list of sessions, listTime how long it may take.
const (
	listBytes = 32 << 20
	listTime  = 10 * time.Second
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
// memory. It is done at each connection, before the stream is read.
func (c *Client) reconcile() {
	c.replayed = map[string]int64{}
	rows, err := c.list()
	if err != nil {
		c.logger.Debug("The Inspector's sessions are not known after a gap", zap.Error(err))
		return
	}
	for i := range rows {
		r := &rows[i]
		_, open := c.open[r.ID]
		switch r.Status {
		case "running", "paused", "waiting", "stalled":
			if !open {
				c.replay(inspectorwire.TypeSessionStarted, r)
			}
		case inspectorwire.StatusCompleted, inspectorwire.StatusFailed, inspectorwire.StatusCancelled:
			if open {
				c.open[r.ID] = 1
				c.replay(inspectorwire.TypeSessionFinished, r)
			}
		}
	}
}

// replay makes the event that was missed.
func (c *Client) replay(kind string, r *row) {
	if r.ID == "" || len(r.ID) > idBytes {
		return
	}
	missed := map[string]string{"type": kind, "session_id": r.ID}
	if kind == inspectorwire.TypeSessionStarted {
		missed["engine"], missed["title"], missed["start_time"], missed["timestamp"] = r.Engine, r.Title, r.StartedAt, r.StartedAt
	} else {
		missed["status"], missed["end_time"], missed["timestamp"] = r.Status, r.EndedAt, r.EndedAt
	}
	for key, value := range missed {
		if value == "" {
			delete(missed, key)
		}
	}
	text, err := json.Marshal(missed)
	if err != nil {
		return
	}
	var e inspectorwire.Event
	if inspectorwire.DecodeText(string(text), &e) != nil {
		return
	}
	if kind == inspectorwire.TypeSessionStarted && len(c.replayed) < openMax {
		c.replayed[e.SessionID] = e.StartTime
	}
	c.follow(&e)
}

// list gets the sessions, the newest first.
func (c *Client) list() ([]row, error) {
	ctx, cancel := context.WithTimeout(c.ctx, listTime)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, c.base+"/sessions", http.NoBody)
	if err != nil {
		return nil, err
	}
	response, err := c.traces.http.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s/sessions answered %s", c.base, response.Status)
	}
	var list struct {
		Sessions []row `json:"sessions"`
	}
	err = json.NewDecoder(io.LimitReader(response.Body, listBytes)).Decode(&list)
	return list.Sessions, err
}
