package store

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var errDisk = errors.New("the disk failed")

// synced counts what is synced, by name, and fails for one of them.
type synced struct {
	mu    sync.Mutex
	names map[string]int
	fails string
}

func (s *synced) sync(f *os.File) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	name := filepath.Base(f.Name())
	if s.names[name]++; name == s.fails {
		return errDisk
	}
	return nil
}

// TestSessionsThatEndTogether: each file is synced, and the directory once.
func TestSessionsThatEndTogether(t *testing.T) {
	const sessions = 100
	s := open(t, options(t.TempDir()))
	disk := &synced{names: map[string]int{}}
	s.dir.toDisk = disk.sync
	want := map[string]int{".": 1}
	for i := range sessions {
		id := strconv.Itoa(i)
		s.Append(id, []byte("one\n"))
		s.Finish(id)
		want[chunkName(id, 0)] = 1
	}
	s.Append("open", []byte("one\n"))
	s.Flush()
	assert.Equal(t, want, disk.names)
	s.Finish("open") // all of it is written
	s.Flush()
	assert.Equal(t, 1, disk.names[chunkName("open", 0)])
	require.NoError(t, s.Close())
}

// TestOneThatCannotBeSynced keeps its lines, and no others, until it can.
func TestOneThatCannotBeSynced(t *testing.T) {
	for _, fails := range []string{chunkName("bad", 0), "."} {
		dir := t.TempDir()
		s := open(t, options(dir))
		disk := &synced{names: map[string]int{}, fails: fails}
		s.dir.toDisk = disk.sync
		for _, id := range []string{"bad", "good"} {
			s.Append(id, []byte("one\n"))
			s.Finish(id)
		}
		s.Append("open", []byte("one\n"))
		s.Flush()
		require.ErrorIs(t, s.Err(), errDisk)
		assert.Equal(t, len("one\n"), s.files["bad"].waiting())
		assert.Zero(t, s.files["open"].waiting())
		assert.Equal(t, fails == ".", s.files["good"].waiting() > 0, fails)
		s.Append("bad", []byte("two\n"))
		s.Finish("bad")
		disk.fails = ""
		s.Flush()
		require.NoError(t, s.Err())
		assert.Zero(t, s.pending)
		require.NoError(t, s.Close())
		s = open(t, options(dir))
		assert.Equal(t, "one\ntwo\n", all(t, s, "bad"))
		assert.Equal(t, "one\n", all(t, s, "good"))
		require.NoError(t, s.Close())
	}
}
