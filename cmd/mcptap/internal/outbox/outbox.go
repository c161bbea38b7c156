// Package outbox keeps on disk what hooks could not deliver to a collector, and the note
// that it does not answer, which all hooks of a user share.
package outbox

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gofrs/flock"
)

const (
	// maxBytes and maxItems bound what waits for one collector. What does not fit is lost.
	maxBytes, maxItems = 16 << 20, 2000
	// maxAge is how old an item may be: the receiver takes older times for a wrong clock.
	maxAge = 55 * time.Minute
	// noteLife is how long a note counts that nobody renews. A hook then tries by itself.
	noteLife = 10 * time.Minute
	// pause is the time between two attempts to deliver in the background.
	pause = 3 * time.Second
	// slow is how long a delivery may take while an agent waits for it.
	slow = 250 * time.Millisecond
)

const (
	prefix   = "undelivered-"
	noteName = "note.json"
	itemExt  = ".item"
)

// Box is the outbox for one collector.
type Box struct {
	endpoint string
	folder   string
}

// New returns the outbox for the collector at an endpoint, below a folder of state.
func New(state, endpoint string) *Box {
	sum := sha256.Sum256([]byte(endpoint))
	return &Box{endpoint, filepath.Join(state, prefix+hex.EncodeToString(sum[:4]))}
}

// Note says that a collector does not answer, or not fast enough.
type Note struct {
	Endpoint string    `json:"endpoint"`
	Since    time.Time `json:"since"`
	Reason   string    `json:"reason"`
	Slow     bool      `json:"slow,omitempty"` // it answers, but hooks must not wait for it

	checked time.Time
}

// Item is one request that waits.
type Item struct {
	Target string      `json:"target"` // path and query below the endpoint
	Header http.Header `json:"header"` // without credentials
	Body   []byte      `json:"-"`
}

// Note returns the note, and false if there is none that still counts.
func (b *Box) Note(now time.Time) (n Note, ok bool) {
	path := filepath.Join(b.folder, noteName)
	info, err := os.Stat(path)
	if err != nil {
		return n, false
	}
	text, err := os.ReadFile(path) //nolint:gosec // in the user's own folder
	if err != nil || json.Unmarshal(text, &n) != nil {
		return n, false
	}
	n.checked = info.ModTime()
	age := now.Sub(n.checked)
	return n, -noteLife < age && age < noteLife
}

// Due reports whether it is time to try again in the background.
func (n *Note) Due(now time.Time) bool { return n.Slow || now.Sub(n.checked) > pause }

// MarkDown notes that the collector does not answer.
func (b *Box) MarkDown(reason string, now time.Time) error {
	n, ok := b.Note(now)
	if !ok || n.Slow {
		n = Note{Endpoint: b.endpoint, Since: now}
	}
	n.Reason = reason
	return b.write(noteName, n, nil)
}

// write puts a line of JSON and a body into a file, at one stroke.
func (b *Box) write(name string, head any, body []byte) error {
	if err := os.MkdirAll(b.folder, 0o700); err != nil {
		return err
	}
	line, err := json.Marshal(head)
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(b.folder, "*.tmp") // mode 0600
	if err != nil {
		return err
	}
	_, err = f.Write(slices.Concat(line, []byte{'\n'}, body))
	if err = cmp.Or(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), filepath.Join(b.folder, name))
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
	return err
}

var errFull = errors.New("the outbox is full")

// Put keeps an item of a time. Names of items have the time and the size, so that order and
// bounds need no look into them.
func (b *Box) Put(item *Item, at time.Time) error {
	var size int64
	all := b.items(at)
	for _, w := range all {
		size += w.size
	}
	if len(all) >= maxItems || size+int64(len(item.Body)) > maxBytes {
		return errFull
	}
	return b.write(fmt.Sprintf("%020d-%d-%d%s", at.UnixNano(), os.Getpid(), len(item.Body), itemExt), item, item.Body)
}

// waiting is an item on disk.
type waiting struct {
	path string
	size int64
}

// items are those that wait, the oldest first. It removes those that are too old, and what
// an interrupted write left.
func (b *Box) items(now time.Time) (all []waiting) {
	entries, _ := os.ReadDir(b.folder) // sorted by name
	for _, e := range entries {
		path := filepath.Join(b.folder, e.Name())
		name, ok := strings.CutSuffix(e.Name(), itemExt)
		parts := strings.Split(name, "-")
		if !ok || len(parts) != 3 {
			if info, err := e.Info(); strings.HasSuffix(e.Name(), ".tmp") && err == nil && now.Sub(info.ModTime()) > maxAge {
				_ = os.Remove(path)
			}
			continue
		}
		nanos, _ := strconv.ParseInt(parts[0], 10, 64)
		size, _ := strconv.ParseInt(parts[2], 10, 64)
		if now.Sub(time.Unix(0, nanos)) > maxAge {
			_ = os.Remove(path)
			continue
		}
		all = append(all, waiting{path, size})
	}
	return all
}

// HasItems reports whether something waits.
func (b *Box) HasItems(now time.Time) bool { return len(b.items(now)) > 0 }

// Deliver sends what waits, in order and until nothing does, and then removes the note. An
// item whose sending fails stays, and is the error. One delivery runs at a time; others
// wait for it.
func (b *Box) Deliver(ctx context.Context, send func(context.Context, *Item) error) error {
	if _, err := os.Stat(b.folder); err != nil {
		return nil //nolint:nilerr // nothing waits
	}
	lock := flock.New(filepath.Join(b.folder, "lock"), flock.SetPermissions(0o600))
	if ok, err := lock.TryLockContext(ctx, 50*time.Millisecond); !ok {
		return err
	}
	defer lock.Unlock() //nolint:errcheck // the process ends
	var slowest time.Duration
	for {
		all := b.items(time.Now())
		if len(all) == 0 {
			return b.delivered(slowest)
		}
		for _, w := range all {
			begun := time.Now()
			if err := b.deliver(ctx, w.path, send); err != nil {
				if _, gone := os.Stat(b.folder); gone == nil {
					_ = b.MarkDown(err.Error(), time.Now())
				}
				return err
			}
			slowest = max(slowest, time.Since(begun))
		}
	}
}

func (*Box) deliver(ctx context.Context, path string, send func(context.Context, *Item) error) error {
	text, err := os.ReadFile(path) //nolint:gosec // in the user's own folder
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	var item Item
	line, body, _ := strings.Cut(string(text), "\n")
	if err == nil && json.Unmarshal([]byte(line), &item) == nil {
		item.Body = []byte(body)
		if err = send(ctx, &item); err != nil {
			return err
		}
	}
	return os.Remove(path)
}

// delivered removes the note, unless the collector is too slow for an agent to wait.
func (b *Box) delivered(slowest time.Duration) error {
	if slowest > slow {
		return b.write(noteName, Note{
			Endpoint: b.endpoint, Since: time.Now(), Slow: true,
			Reason: fmt.Sprintf("an answer took %d ms: hooks do not wait for it", slowest.Milliseconds()),
		}, nil)
	}
	err := os.Remove(filepath.Join(b.folder, noteName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// DeliverFor tries again for a while.
func (b *Box) DeliverFor(ctx context.Context, send func(context.Context, *Item) error) {
	for {
		if b.Deliver(ctx, send) == nil {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
	}
}

// Problem is a collector with a note, and the items that wait for it.
type Problem struct {
	Note
	Waiting int // items
}

// Problems are the notes that count, with what waits, below a folder of state.
func Problems(state string, now time.Time) (all []Problem) {
	folders, _ := filepath.Glob(filepath.Join(state, prefix+"*"))
	for _, folder := range folders {
		b := Box{folder: folder}
		if n, ok := b.Note(now); ok {
			all = append(all, Problem{n, len(b.items(now))})
		}
	}
	return all
}

// Clear removes all outboxes below a folder of state.
func Clear(state string) error {
	folders, _ := filepath.Glob(filepath.Join(state, prefix+"*"))
	var err error
	for _, folder := range folders {
		err = cmp.Or(err, os.RemoveAll(folder))
	}
	return err
}
