package sessions

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/otelcol-mcp/otelcol-mcp/exporter/inspectorexporter/internal/attribute"
)

// Query asks for a page of sessions.
type Query struct {
	Limit     int
	Cursor    string // of the page before
	Attention bool   // by state, else by start only; the latest start first
	States    []string
	Text      string
}

// Page is the answer; the schema Sessions of openapi.yaml.
type Page struct {
	Sessions   []json.RawMessage `json:"sessions"`
	NextCursor string            `json:"next_cursor,omitempty"`
	Total      int               `json:"total"`
	Counts     map[string]int    `json:"counts"`
}

// ErrCursor is that of a cursor that no page gave.
var ErrCursor = errors.New("cursor: take next_cursor of the page before, with the same other parameters")

// place is where a page begins: behind this session.
type place struct {
	rank  int
	start Time
	id    string
}

func parseCursor(text string) (p place, err error) {
	if text == "" {
		return place{rank: -1}, nil
	}
	parts := strings.SplitN(text, ".", 3)
	if len(parts) != 3 || !attribute.IsPlain(parts[2]) {
		return p, ErrCursor
	}
	start, err1 := strconv.ParseInt(parts[1], 10, 64)
	rank, err2 := strconv.Atoi(parts[0])
	if err1 != nil || err2 != nil {
		return p, ErrCursor
	}
	return place{rank, Time(start), parts[2]}, nil
}

func (p place) String() string { return fmt.Sprintf("%d.%d.%s", p.rank, p.start, p.id) }

// behind tells whether p comes after other on the pages.
func (p place) behind(other place) bool {
	switch {
	case p.rank != other.rank:
		return p.rank > other.rank
	case p.start != other.start:
		return p.start < other.start
	}
	return p.id < other.id
}

// List is one page.
func (b *Board) List(q Query) (Page, error) {
	from, err := parseCursor(q.Cursor)
	if err != nil {
		return Page{}, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	page := Page{Sessions: []json.RawMessage{}, Counts: map[string]int{}}
	for _, state := range States {
		page.Counts[state] = 0
	}
	var last place
	for rank, bucket := range b.match(q, &page) {
		for _, s := range bucket {
			at := place{rank, s.row.StartedAt, s.row.ID}
			if !at.behind(from) {
				continue
			}
			if len(page.Sessions) == q.Limit {
				page.NextCursor = last.String()
				return page, nil
			}
			page.Sessions = append(page.Sessions, b.encode(s))
			last = at
		}
	}
	return page, nil
}

// match finds the sessions, in the order of the pages: a list a rank.
func (b *Board) match(q Query, page *Page) [][]*session {
	buckets := make([][]*session, len(States))
	text := strings.ToLower(q.Text)
	now := b.time()
	for _, s := range slices.Backward(b.byStart) {
		if b.hides(s) {
			continue
		}
		if !s.row.contains(text) && s != b.byRequest[q.Text] && s != b.byAnswer[q.Text] {
			continue
		}
		if s.row.EndedAt == 0 || s.row.State == "" {
			s.conclude(now)
		}
		page.Counts[s.row.State]++
		if len(q.States) > 0 && !slices.Contains(q.States, s.row.State) {
			continue
		}
		page.Total++
		rank := 0
		if q.Attention {
			rank = slices.Index(States, s.row.State)
		}
		buckets[rank] = append(buckets[rank], s)
	}
	return buckets
}

// contains looks for lower-case text.
func (r *Row) contains(text string) bool {
	if text == "" {
		return true
	}
	fields := []string{r.Title, r.ID, r.OriginalID, r.Host, r.Server, r.CurrentTask, r.TraceID, r.Model, r.Directory, r.Branch, r.Error}
	if w := r.Waiting; w != nil {
		fields = append(fields, w.Detail, w.Prompt)
	}
	for i := range r.OpenCalls {
		fields = append(fields, r.OpenCalls[i].About)
	}
	return slices.ContainsFunc(fields, func(field string) bool { return strings.Contains(strings.ToLower(field), text) })
}

// Row is one session's row as JSON.
func (b *Board) Row(id string) ([]byte, bool) {
	row := b.Meta(id)
	return row, row != nil
}

// Len is how many sessions there are.
func (b *Board) Len() int {
	b.mu.RLock()
	defer b.mu.RUnlock()
	return len(b.byID)
}
