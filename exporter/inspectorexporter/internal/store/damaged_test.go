package store

import (
	"bytes"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// said collects what a store says is damaged.
type said struct {
	files []string
}

func (s *said) options(dir string) Options {
	opt := options(dir)
	opt.Damaged = func(file string, _ error) { s.files = append(s.files, file) }
	return opt
}

// threeMembers writes a session in three members, and gives its file.
func threeMembers(t *testing.T, dir string) (path string, ends []int64) {
	t.Helper()
	s := open(t, options(dir))
	path = filepath.Join(dir, "s-1.jsonl.gz")
	for _, line := range []string{"one", "two", "three"} {
		s.Append("s-1", []byte(strings.Repeat(line, 100)+"\n"))
		s.Flush()
		info, err := os.Stat(path)
		require.NoError(t, err)
		ends = append(ends, info.Size())
	}
	require.NoError(t, s.Close())
	return path, ends
}

func line(text string) string { return strings.Repeat(text, 100) + "\n" }

// What is behind damage stays on the disk, and the session goes on in its next
// file.
func TestDamagedFileIsLeftAlone(t *testing.T) {
	dir, told := t.TempDir(), &said{}
	path, ends := threeMembers(t, dir)
	image, err := os.ReadFile(path)
	require.NoError(t, err)
	image[ends[0]+5+10] ^= 0x55
	image[ends[1]-6] ^= 1 // the checksum
	require.NoError(t, os.WriteFile(path, image, 0o600))

	s := open(t, told.options(dir))
	assert.Equal(t, line("one"), all(t, s, "s-1"))
	s.Append("s-1", []byte(line("four")))
	s.Flush()
	assert.Equal(t, line("one")+line("four"), all(t, s, "s-1"))
	s.Append("s-1", []byte(line("five")))
	s.Flush()
	require.NoError(t, s.Close())
	now, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, image, now, "as it was")
	assert.Equal(t, []string{"s-1.jsonl.gz"}, told.files, "once")
	assert.FileExists(t, filepath.Join(dir, "s-1.chunk_1.jsonl.gz"))

	again := open(t, told.options(dir))
	assert.Equal(t, line("one")+line("four")+line("five"), all(t, again, "s-1"))
	require.NoError(t, again.Close())
}

// A member that a crash tore is no damage: it is written again.
func TestTornFileIsNoDamage(t *testing.T) {
	dir, told := t.TempDir(), &said{}
	path, ends := threeMembers(t, dir)
	require.NoError(t, os.Truncate(path, ends[2]-3))
	s := open(t, told.options(dir))
	s.Append("s-1", []byte(line("four")))
	s.Flush()
	assert.Equal(t, line("one")+line("two")+line("four"), all(t, s, "s-1"))
	require.NoError(t, s.Close())
	assert.Empty(t, told.files)
}

// With an index the files are not read at the start, but when somebody wants them.
func TestDamageThatTheIndexHides(t *testing.T) {
	dir, told := t.TempDir(), &said{}
	opt := told.options(dir)
	opt.Meta = func(string) []byte { return []byte("{}") }
	s := open(t, opt)
	s.Append("s-1", []byte(line("one")))
	s.Flush()
	s.Append("s-1", []byte(line("two")))
	s.Finish("s-1")
	s.Flush()
	require.NoError(t, s.Close())
	path := filepath.Join(dir, "s-1.jsonl.gz")
	image, err := os.ReadFile(path)
	require.NoError(t, err)
	image[bytes.LastIndex(image, []byte{0x1f, 0x8b})] ^= 1 // the second member's beginning
	require.NoError(t, os.WriteFile(path, image, 0o600))

	s = open(t, opt)
	trace, err := s.Trace("s-1")
	require.NoError(t, err)
	for range 2 {
		r := trace.Lines(0, trace.Size)
		_, err = io.ReadAll(r)
		require.Error(t, err)
		require.NoError(t, r.Close())
	}
	assert.Equal(t, []string{"s-1.jsonl.gz"}, told.files, "once")
	require.NoError(t, s.Close())
}

// An index only saves time: its damage is said, and changes nothing else.
func TestDamagedIndex(t *testing.T) {
	dir, told := t.TempDir(), &said{}
	opt := told.options(dir)
	opt.Meta = func(string) []byte { return []byte(`{"title":"x"}`) }
	s := open(t, opt)
	for _, id := range []string{"a", "b", "c", "d"} {
		s.Append(id, []byte(line(id)))
	}
	s.Flush()
	require.NoError(t, s.Close())
	index := filepath.Join(dir, indexName)
	image, err := os.ReadFile(index)
	require.NoError(t, err)
	for _, damage := range []func([]byte) []byte{
		func(b []byte) []byte { b[3] = 0; return b },
		func(b []byte) []byte { return append([]byte("{\n"), b...) },
		func(b []byte) []byte { return []byte(strings.ReplaceAll(string(b), `"sizes":[`, `"sizes":[-`)) },
		func(b []byte) []byte { return append(make([]byte, 2<<20), b...) },
	} {
		told.files = nil
		require.NoError(t, os.WriteFile(index, damage([]byte(string(image))), 0o600))
		s := open(t, opt)
		for _, id := range []string{"a", "b", "c", "d"} {
			assert.Equal(t, line(id), all(t, s, id))
		}
		assert.Equal(t, []string{indexName}, told.files)
		require.NoError(t, s.Close())
	}
	told.files = nil
	require.NoError(t, os.WriteFile(index, image[:len(image)-5], 0o600))
	require.NoError(t, open(t, opt).Close())
	assert.Empty(t, told.files, "a line that a crash tore")
}

// Any bytes in any of its files: a store opens, reads, writes and closes.
func TestRandomDamage(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		dir, told := t.TempDir(), &said{}
		path, _ := threeMembers(t, dir)
		if rnd.IntN(3) == 0 {
			path = filepath.Join(dir, indexName)
		}
		image, err := os.ReadFile(path)
		if err != nil {
			image = []byte(`{"id":"s-1","zsize":10,"sizes":[5],"meta":{}}` + "\n")
		}
		at := rnd.IntN(len(image))
		for i := range min(len(image)-at, 1+rnd.IntN(64)) {
			image[at+i] = byte(rnd.Int())
		}
		require.NoError(t, os.WriteFile(path, image, 0o600))
		s := open(t, told.options(dir))
		before := all(t, s, "s-1")
		s.Append("s-1", []byte(line("four")))
		s.Flush()
		assert.Equal(t, before+line("four"), all(t, s, "s-1"))
		require.NoError(t, s.Close())
	}
}
