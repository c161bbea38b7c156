// Package daily keeps account of what belongs to no session: MCP Events, logs of
// a whole connection, and messages that name no session. Each is a stream with a
// file a day, so that none of them looks like a session on the board.
package daily

import (
	"cmp"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

// Row is one stream of one day; the schema Stream of openapi.yaml.
type Row struct {
	ID         string    `json:"id"`
	Kind       Kind      `json:"kind"`
	Day        string    `json:"day"` // in UTC, when the items arrived
	Items      int64     `json:"items"`
	Errors     int64     `json:"errors"`
	LastSeen   time.Time `json:"last_seen"`
	TraceBytes int64     `json:"trace_bytes"`
	TraceEpoch int       `json:"trace_epoch"`

	version uint64
}

// Book is all streams. It is safe for concurrent use.
type Book struct {
	now func() time.Time

	mu      sync.Mutex
	rows    map[string]*Row
	version uint64
}

// New makes an empty book.
func New(now func() time.Time) *Book { return &Book{now: now, rows: map[string]*Row{}} }

var idPattern = regexp.MustCompile(`^(` + strings.Join([]string{string(Events), string(Logs), string(Messages)}, "|") + `)_([0-9]{4}-[0-9]{2}-[0-9]{2})$`)

// IsID reports whether the id is that of a stream, which no session may have.
func IsID(id string) bool {
	day := len(id) - len("_2006-01-02") // few ids come as far as the expression, which is slow
	return day > 0 && id[day] == '_' && idPattern.MatchString(id)
}

// Add counts an item and returns the id of its stream.
func (b *Book) Add(kind Kind, failed bool) (id string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := b.now().UTC()
	day := now.Format(time.DateOnly)
	r := b.row(string(kind)+"_"+day, kind, day)
	r.LastSeen = now
	b.count(r, 1, failed)
	return r.ID
}

// Restore counts the items that earlier runs wrote: items is how many, errors how
// many of them failed. It does nothing if id is not that of a stream.
func (b *Book) Restore(id string, items, errors, size int64, epoch int, lastSeen time.Time) {
	m := idPattern.FindStringSubmatch(id)
	if m == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	r := b.row(id, Kind(m[1]), m[2])
	r.Errors += errors
	r.TraceBytes, r.TraceEpoch = max(r.TraceBytes, size), epoch
	if lastSeen.After(r.LastSeen) {
		r.LastSeen = lastSeen.UTC()
	}
	b.count(r, items, false)
}

func (b *Book) row(id string, kind Kind, day string) *Row {
	r := b.rows[id]
	if r == nil {
		r = &Row{ID: id, Kind: kind, Day: day}
		b.rows[id] = r
	}
	return r
}

func (b *Book) count(r *Row, items int64, failed bool) {
	r.Items += items
	if failed {
		r.Errors++
	}
	b.touch(r)
}

func (b *Book) touch(r *Row) {
	b.version++
	r.version = b.version
}

// Grown notes how long the stream's file is.
func (b *Book) Grown(id string, size int64, epoch int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if r := b.rows[id]; r != nil && (epoch != r.TraceEpoch || size > r.TraceBytes) {
		r.TraceBytes, r.TraceEpoch = size, epoch
		b.touch(r)
	}
}

// Remove drops a stream whose file is gone.
func (b *Book) Remove(id string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.rows, id)
}

// List is all streams, those of the latest day first.
func (b *Book) List() []Row {
	rows, _ := b.after(0)
	return rows
}

// Version grows with each change.
func (b *Book) Version() uint64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.version
}

// Changes is the rows that changed after the version, as JSON; upTo is the
// version to ask with next.
func (b *Book) Changes(after uint64) (rows [][]byte, upTo uint64) {
	changed, upTo := b.after(after)
	for i := range changed {
		text, _ := json.Marshal(&changed[i]) // nothing in it can fail
		rows = append(rows, text)
	}
	return rows, upTo
}

func (b *Book) after(version uint64) ([]Row, uint64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	rows := make([]Row, 0, len(b.rows))
	for _, r := range b.rows {
		if r.version > version {
			rows = append(rows, *r)
		}
	}
	slices.SortFunc(rows, func(x, y Row) int {
		return cmp.Or(cmp.Compare(y.Day, x.Day), cmp.Compare(x.Kind, y.Kind))
	})
	return rows, b.version
}
