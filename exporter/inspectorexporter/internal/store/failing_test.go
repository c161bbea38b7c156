package store

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestOneDirectoryOneStore: two would cut off each other's lines.
func TestOneDirectoryOneStore(t *testing.T) {
	dir := t.TempDir()
	first := open(t, options(dir))
	_, err := Open(options(dir))
	require.ErrorIs(t, err, ErrTaken)
	require.ErrorContains(t, err, "traces_dir")
	require.NoError(t, first.Close())
	require.NoError(t, open(t, options(dir)).Close())
}

// TestOneThatCannotBeWrittenLeavesRoom: what waits for its file must not take
// the room of all others, and is one failure, told once.
func TestOneThatCannotBeWrittenLeavesRoom(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "bad.jsonl.gz"), 0o700))
	opt := options(dir)
	var told []error
	lost := 0
	opt.Failed = func(err error) { told = append(told, err) }
	opt.Lost = func(n int) { lost += n }
	s := open(t, opt)
	line := []byte(strings.Repeat("x", 1023) + "\n")
	s.Append("bad", line)
	s.Flush()
	for range 2 * opt.MaxPending / len(line) {
		s.Append("bad", line)
	}
	assert.Positive(t, lost)
	lost = 0
	for range 3 {
		s.Append("good", line)
		s.Flush()
	}
	assert.Zero(t, lost)
	assert.Len(t, all(t, s, "good"), 3*len(line))
	assert.Len(t, told, 1)
	require.Error(t, s.Err())
	require.Error(t, s.Close())
}

// TestTriesAgainLater: a disk that is full is not asked at every line.
func TestTriesAgainLater(t *testing.T) {
	dir := t.TempDir()
	c := &clock{time.Now()}
	opt := options(dir)
	opt.Now = c.now
	s := open(t, opt)
	assert.True(t, s.outcome.due())
	s.outcome.set(errors.New("no space left on device"))
	assert.False(t, s.outcome.due())
	c.t = c.t.Add(retryEvery)
	assert.True(t, s.outcome.due())
	s.outcome.set(nil)
	assert.True(t, s.outcome.due())
	require.NoError(t, s.Close())
}

// TestTheIndexDoesNotGrowForEver: a session that ends again and again has one
// line of those that count.
func TestTheIndexDoesNotGrowForEver(t *testing.T) {
	dir := t.TempDir()
	opt := options(dir)
	opt.Meta = func(string) []byte { return []byte(`{"a":1}`) }
	s := open(t, opt)
	s.catalog.spare = spareEntries - 3
	for range 4 {
		s.Append("a", []byte("one\n"))
		s.Finish("a")
		s.Flush()
		s.Sweep(nil)
	}
	after, err := os.ReadFile(filepath.Join(dir, indexName))
	require.NoError(t, err)
	assert.Equal(t, 1, strings.Count(string(after), "\n"))
	require.NoError(t, s.Close())
}

// TestReopenedWhileRemoved: who is told that a session was removed must not
// forget the one that has begun under its name since.
func TestReopenedWhileRemoved(t *testing.T) {
	dir := t.TempDir()
	c := &clock{time.Now()}
	opt := options(dir)
	opt.Now = c.now
	s := open(t, opt)
	for _, id := range []string{"a", "b"} {
		s.Append(id, []byte("one\n"))
		s.Flush()
		c.t = c.t.Add(time.Second)
	}
	c.t = c.t.Add(2 * opt.Retention)
	var gone []string
	s.Sweep(func(id string) {
		gone = append(gone, id)
		s.Append("b", []byte("two\n")) // as the pipeline may, at any time
	})
	assert.Equal(t, []string{"a"}, gone)
	assert.Equal(t, "two\n", all(t, s, "b"))
	s.Flush()
	require.NoError(t, s.Close())
}
