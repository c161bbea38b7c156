package outbox

import (
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func item(text string) *Item {
	return &Item{Target: "/v1/hooks/x?time=1", Header: http.Header{"X-A": {"a"}}, Body: []byte(text)}
}

// What waits is delivered in the order of its times, once, and then the note goes.
func TestDeliver(t *testing.T) {
	b, now := New(t.TempDir(), "http://c"), time.Now()
	require.NoError(t, b.MarkDown("nobody there", now))
	for i, text := range []string{"b\n\nb", "c", "a"} {
		require.NoError(t, b.Put(item(text), now.Add(time.Duration(i-i/2*10)*time.Millisecond)))
	}
	note, ok := b.Note(now)
	require.True(t, ok)
	assert.Equal(t, "http://c nobody there", note.Endpoint+" "+note.Reason)
	assert.False(t, note.Due(time.Now()))
	assert.True(t, note.Due(time.Now().Add(pause+time.Second)))

	var got []string
	send := func(_ context.Context, i *Item) error {
		got = append(got, string(i.Body))
		assert.Equal(t, &Item{Target: "/v1/hooks/x?time=1", Header: http.Header{"X-A": {"a"}}, Body: i.Body}, i)
		if len(got) == 2 {
			return errors.New("gone again")
		}
		return nil
	}
	require.EqualError(t, b.Deliver(t.Context(), send), "gone again")
	note, _ = b.Note(now)
	assert.Equal(t, "gone again", note.Reason)
	require.NoError(t, b.Deliver(t.Context(), send))
	assert.Equal(t, []string{"a", "b\n\nb", "b\n\nb", "c"}, got)
	_, ok = b.Note(now)
	assert.False(t, ok)
	require.NoError(t, b.Deliver(t.Context(), send))
	assert.Len(t, got, 4, "once")
}

// Only the user can read what waits.
func TestModes(t *testing.T) {
	if runtime.GOOS == "windows" {
		return // which has other rights
	}
	state := t.TempDir()
	b := New(state, "http://c")
	require.NoError(t, b.MarkDown("x", time.Now()))
	require.NoError(t, b.Put(item("secret"), time.Now()))
	require.NoError(t, filepath.WalkDir(state, func(path string, e os.DirEntry, err error) error {
		require.NoError(t, err)
		if path != state {
			info, err := e.Info()
			require.NoError(t, err)
			assert.Zero(t, info.Mode().Perm()&0o077, path)
		}
		return nil
	}))
}

func TestBounds(t *testing.T) {
	b, now := New(t.TempDir(), "http://c"), time.Now()
	require.NoError(t, b.Put(item("old"), now.Add(-2*maxAge)))
	assert.False(t, b.HasItems(now), "the receiver would take its time for a wrong clock")
	require.NoError(t, b.Put(&Item{Body: make([]byte, maxBytes)}, now))
	require.ErrorIs(t, b.Put(item("x"), now), errFull)
	require.NoError(t, Clear(filepath.Dir(b.folder)))
	assert.NoDirExists(t, b.folder)
}

// A note that nobody renews is none, nor is one that is damaged or of the future.
func TestNoteLife(t *testing.T) {
	b, now := New(t.TempDir(), "http://c"), time.Now()
	require.NoError(t, b.MarkDown("x", now))
	assert.Len(t, Problems(filepath.Dir(b.folder), now), 1)
	for _, at := range []time.Time{now.Add(2 * noteLife), now.Add(-2 * noteLife)} {
		_, ok := b.Note(at)
		assert.False(t, ok)
	}
	require.NoError(t, os.WriteFile(filepath.Join(b.folder, noteName), []byte("{"), 0o600))
	_, ok := b.Note(now)
	assert.False(t, ok)
}

// Hooks do not wait for a collector that is far away: each delivery is in the background.
func TestSlow(t *testing.T) {
	b := New(t.TempDir(), "http://c")
	require.NoError(t, b.Put(item("x"), time.Now()))
	require.NoError(t, b.Deliver(t.Context(), func(context.Context, *Item) error { time.Sleep(2 * slow); return nil }))
	note, ok := b.Note(time.Now())
	assert.True(t, ok && note.Slow && note.Due(time.Now()))
	require.NoError(t, b.Put(item("x"), time.Now()))
	require.NoError(t, b.Deliver(t.Context(), func(context.Context, *Item) error { return nil }))
	_, ok = b.Note(time.Now())
	assert.False(t, ok)
}

// A damaged item is in nobody's way.
func TestDamagedItem(t *testing.T) {
	b, now := New(t.TempDir(), "http://c"), time.Now()
	require.NoError(t, b.Put(item("a"), now))
	all := b.items(now)
	require.Len(t, all, 1)
	require.NoError(t, os.WriteFile(all[0].path, []byte("{"), 0o600))
	require.NoError(t, b.Deliver(t.Context(), func(context.Context, *Item) error { return errors.New("not reached") }))
	assert.False(t, b.HasItems(now))
}
