package store

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A crash may come when lines have been moved and before their old file is removed: they
// must not be there twice. A later file of that name is another one.
func TestCrashBeforeAMovedFileIsRemoved(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "child.jsonl.gz")
	s := open(t, options(dir))
	s.Append("child", []byte("one\n"))
	s.Flush()
	old, err := os.ReadFile(name)
	require.NoError(t, err)
	info, err := os.Stat(name)
	require.NoError(t, err)
	_, _, ok := s.Move("child", "whole")
	require.True(t, ok)
	s.Flush()
	require.NoFileExists(t, name)
	require.NoError(t, s.Close())

	require.NoError(t, os.WriteFile(name, old, 0o600)) // as if the crash had come before
	require.NoError(t, os.Chtimes(name, info.ModTime(), info.ModTime()))
	s = open(t, options(dir))
	assert.Equal(t, "one\n", all(t, s, "whole"))
	_, err = s.Trace("child")
	require.ErrorIs(t, err, ErrMissing)
	assert.NoFileExists(t, name)
	s.Append("child", []byte("one\n"))
	s.Flush()
	require.NoError(t, s.Close())

	s = open(t, options(dir))
	assert.Equal(t, "one\n", all(t, s, "child"), "it came later")
	require.NoError(t, s.Close())
}

// A note that a crash tore takes no other with it.
func TestTornNote(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, notesName), []byte("first\ntor"), 0o600))
	s := open(t, options(dir))
	s.Notes.Add([]byte("second\n"))
	s.Flush()
	require.NoError(t, s.Close())
	s = open(t, options(dir))
	var lines []string
	require.NoError(t, s.Notes.Read(func(line []byte) { lines = append(lines, string(line)) }))
	assert.Contains(t, lines, "second\n")
	require.NoError(t, s.Close())
}
