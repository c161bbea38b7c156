package store

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	"pgregory.net/rapid"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// clock is the time of a store.
type clock struct{ t time.Time }

func (c *clock) now() time.Time { return c.t }

func options(dir string) Options {
	return Options{
		Dir: dir, MaxFileBytes: 1 << 20, MaxTotalBytes: 1 << 30, Retention: time.Hour, MaxSessions: 1000, MaxPending: 1 << 20,
	}
}

type failer interface {
	require.TestingT
	Helper()
}

func open(t failer, opt Options) *Store {
	t.Helper()
	s, err := Open(opt)
	require.NoError(t, err)
	return s
}

func all(t failer, s *Store, id string) string {
	t.Helper()
	trace, err := s.Trace(id)
	require.NoError(t, err)
	return part(t, trace, 0, trace.Size)
}

func part(t failer, trace *Trace, from, to int64) string {
	t.Helper()
	r := trace.Lines(from, to)
	text, err := io.ReadAll(r)
	require.NoError(t, err)
	require.NoError(t, r.Close())
	return string(text)
}

func unzipped(t failer, trace *Trace) string {
	t.Helper()
	r, size, err := trace.Gzip()
	require.NoError(t, err)
	raw, err := io.ReadAll(r)
	require.NoError(t, err)
	require.NoError(t, r.Close())
	require.Len(t, raw, int(size))
	z, err := gzip.NewReader(bytes.NewReader(raw))
	require.NoError(t, err)
	text, err := io.ReadAll(z)
	require.NoError(t, err)
	return string(text)
}

func TestReadableBeforeAndAfterWriting(t *testing.T) {
	dir := t.TempDir()
	s := open(t, options(dir))
	size, epoch := s.Append("a", []byte("one\n"))
	assert.EqualValues(t, 4, size)
	assert.Equal(t, "one\n", all(t, s, "a"))
	s.Flush()
	s.Append("a", []byte("two\n"))
	assert.Equal(t, "one\ntwo\n", all(t, s, "a"))
	trace, err := s.Trace("a")
	require.NoError(t, err)
	assert.Equal(t, epoch, trace.Epoch)
	s.Flush()
	s.Append("a", []byte("three\n"))
	assert.Equal(t, "one\ntwo\n", part(t, trace, 0, trace.Size), "as it was")
	assert.Equal(t, "e\ntw", part(t, trace, 2, 6))
	assert.Equal(t, "one\ntwo\n", unzipped(t, trace))
	s.Flush()
	require.NoError(t, s.Close())
	s = open(t, options(dir))
	assert.Equal(t, "one\ntwo\nthree\n", all(t, s, "a"), "of an earlier run")
	s.Append("a", []byte("four\n"))
	s.Flush()
	assert.Equal(t, "one\ntwo\nthree\nfour\n", all(t, s, "a"))
	require.NoError(t, s.Close())
}

// TestAnyHistory: whatever is appended, written, rotated and restarted, every
// range of a trace is that of what was appended.
func TestAnyHistory(t *testing.T) {
	parent, n := t.TempDir(), 0
	rapid.Check(t, func(t *rapid.T) {
		n++
		dir := filepath.Join(parent, strconv.Itoa(n))
		opt := options(dir)
		opt.MaxFileBytes = rapid.Int64Range(1, 400).Draw(t, "max file")
		opt.Meta = func(id string) []byte { return []byte(`{"id":"` + id + `"}`) }
		s := open(t, opt)
		want := map[string]string{}
		for range rapid.IntRange(1, 30).Draw(t, "steps") {
			id := rapid.SampledFrom([]string{"a", "b"}).Draw(t, "id")
			switch rapid.IntRange(0, 5).Draw(t, "step") {
			case 0:
				s.Flush()
			case 1:
				s.Finish(id)
			case 2:
				s.Flush()
				require.NoError(t, s.Close())
				s = open(t, opt)
			default:
				line := strings.Repeat(rapid.StringMatching(`[a-z]{1,20}`).Draw(t, "line"), rapid.IntRange(1, 40).Draw(t, "times")) + "\n"
				s.Append(id, []byte(line))
				want[id] += line
			}
		}
		for id, text := range want {
			trace, err := s.Trace(id)
			require.NoError(t, err)
			require.EqualValues(t, len(text), trace.Size)
			from := rapid.IntRange(0, len(text)).Draw(t, "from")
			to := rapid.IntRange(from, len(text)).Draw(t, "to")
			require.Equal(t, text[from:to], part(t, trace, int64(from), int64(to)))
			require.Equal(t, text, unzipped(t, trace))
		}
		s.Flush()
		require.NoError(t, s.Close())
	})
}

func TestMarksSpareReading(t *testing.T) {
	s := open(t, options(t.TempDir()))
	line := strings.Repeat("x", 1023) + "\n"
	for range 4 << 10 / 64 {
		for range 64 {
			s.Append("a", []byte(line))
		}
		s.Flush()
	}
	f := s.files["a"]
	assert.Len(t, f.chunks[0].marks, 16, "one for 256 KiB")
	trace, err := s.Trace("a")
	require.NoError(t, err)
	assert.Equal(t, line, part(t, trace, trace.Size-1024, trace.Size))
	require.NoError(t, s.Close())
}

func TestRotation(t *testing.T) {
	dir := t.TempDir()
	opt := options(dir)
	opt.MaxFileBytes = 60
	s := open(t, opt)
	for i := range 4 {
		s.Append("a", fmt.Appendf(nil, "line %d\n", i))
		s.Flush()
	}
	assert.Equal(t, []string{"a.chunk_1.jsonl.gz", "a.chunk_2.jsonl.gz", "a.chunk_3.jsonl.gz", "a.jsonl.gz"}, list(t, dir))
	assert.Equal(t, "line 0\nline 1\nline 2\nline 3\n", all(t, s, "a"))
	require.NoError(t, s.Close())
}

func TestModes(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "sessions")
	opt := options(dir)
	opt.Meta = func(string) []byte { return []byte("{}") }
	s := open(t, opt)
	s.Append("a", []byte("x\n"))
	s.Flush()
	require.NoError(t, s.Close())
	for name, want := range map[string]os.FileMode{"": 0o700, "a.jsonl.gz": 0o600, indexName: 0o600} {
		info, err := os.Stat(filepath.Join(dir, name))
		require.NoError(t, err)
		assert.Equal(t, want, info.Mode().Perm(), name)
	}
}

func TestNoPathLeavesTheDirectory(t *testing.T) {
	parent := t.TempDir()
	secret := filepath.Join(parent, "secret.jsonl.gz")
	require.NoError(t, os.WriteFile(secret, []byte("secret"), 0o600))
	dir := filepath.Join(parent, "sessions")
	require.NoError(t, os.Mkdir(dir, 0o700))
	require.NoError(t, os.Symlink(secret, filepath.Join(dir, "link.jsonl.gz")))
	s := open(t, options(dir))
	for _, id := range []string{"", "..", ".", "../secret", `..\secret`, "a/b", "/etc/passwd", "a\x00b", "a.b", "a\n", strings.Repeat("a", 129), "ä"} {
		_, err := s.Trace(id)
		require.ErrorIs(t, err, ErrID, "%q", id)
		size, _ := s.Append(id, []byte("x\n"))
		assert.Zero(t, size, "%q", id)
	}
	_, err := s.Trace("link")
	require.ErrorIs(t, err, ErrMissing, "a link is no session file")
	s.Append("link", []byte("x\n"))
	s.Flush()
	require.Error(t, s.Err(), "nor is it written to")
	text, err := os.ReadFile(secret)
	require.NoError(t, err)
	assert.Equal(t, "secret", string(text))
	require.Error(t, s.Close())
	assert.ElementsMatch(t, []string{"secret.jsonl.gz", "sessions"}, list(t, parent))
}

func list(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, e := range entries {
		if e.Name() != lockName {
			names = append(names, e.Name())
		}
	}
	return names
}

func TestRetention(t *testing.T) {
	dir := t.TempDir()
	c := &clock{time.Now()}
	opt := options(dir)
	opt.Now = c.now
	s := open(t, opt)
	s.Append("old", []byte("x\n"))
	s.Flush()
	c.t = c.t.Add(50 * time.Minute)
	s.Append("new", []byte("x\n"))
	s.Flush()
	c.t = c.t.Add(20 * time.Minute)
	var removed []string
	s.Sweep(func(id string) { removed = append(removed, id) })
	assert.Equal(t, []string{"old"}, removed)
	assert.Equal(t, []string{"new.jsonl.gz"}, list(t, dir))
	_, err := s.Trace("old")
	require.ErrorIs(t, err, ErrMissing)
	require.NoError(t, s.Close())
}

func TestTooManyAndTooMuch(t *testing.T) {
	dir := t.TempDir()
	c := &clock{time.Now()}
	opt := options(dir)
	opt.Now, opt.MaxSessions = c.now, 3
	s := open(t, opt)
	for _, id := range []string{"a", "b", "c", "d", "e"} {
		c.t = c.t.Add(time.Second)
		s.Append(id, []byte("x\n"))
	}
	s.Sweep(nil)
	assert.Len(t, s.files, 5, "what waits to be written is not removed")
	s.Flush()
	s.Sweep(nil)
	assert.Equal(t, []string{"c.jsonl.gz", "d.jsonl.gz", "e.jsonl.gz"}, list(t, dir))
	s.opt.MaxTotalBytes = s.files["e"].zsize()
	s.Sweep(nil)
	assert.Equal(t, []string{"e.jsonl.gz"}, list(t, dir))
	require.NoError(t, s.Close())
}

func TestTornMember(t *testing.T) {
	dir := t.TempDir()
	s := open(t, options(dir))
	s.Append("a", []byte("whole\n"))
	s.Flush()
	s.Append("a", []byte(strings.Repeat("torn", 100)+"\n"))
	s.Flush()
	require.NoError(t, s.Close())
	name := filepath.Join(dir, "a.jsonl.gz")
	info, err := os.Stat(name)
	require.NoError(t, err)
	require.NoError(t, os.Truncate(name, info.Size()-3))

	s = open(t, options(dir))
	assert.Equal(t, "whole\n", all(t, s, "a"))
	s.Append("a", []byte("after\n"))
	s.Flush()
	require.NoError(t, s.Close())
	s = open(t, options(dir))
	assert.Equal(t, "whole\nafter\n", all(t, s, "a"))
	require.NoError(t, s.Close())
}

func TestForeignFiles(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"notes.txt", "a.jsonl", "x.chunk_0.jsonl.gz", "x.y.jsonl.gz", "junk.jsonl.gz"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte("junk"), 0o600))
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, indexName), []byte("{\nnull\n{\"id\":\"junk\",\"zsize\":4,\"sizes\":[]}\n"), 0o600))
	s := open(t, options(dir))
	assert.Len(t, s.Known(), 1)
	assert.Empty(t, all(t, s, "junk"))
	require.NoError(t, s.Close())
}

func TestADiskThatFails(t *testing.T) {
	dir := t.TempDir()
	opt := options(dir)
	var states []error
	lost := 0
	opt.Failed, opt.Lost = func(err error) { states = append(states, err) }, func(n int) { lost += n }
	s := open(t, opt)
	blocked := filepath.Join(dir, "a.jsonl.gz")
	require.NoError(t, os.Mkdir(blocked, 0o700)) // fails for root, too
	s.Append("a", []byte("one\n"))
	s.Flush()
	s.Flush()
	require.Len(t, states, 1, "told once")
	require.Error(t, states[0])
	assert.Equal(t, "one\n", all(t, s, "a"), "still readable")
	s.Append("a", []byte("two\n"))
	require.NoError(t, os.Remove(blocked))
	s.Flush()
	require.Len(t, states, 2)
	require.NoError(t, states[1])
	assert.Equal(t, "one\ntwo\n", all(t, s, "a"), "written when it can be")
	assert.Zero(t, lost)

	s.opt.MaxPending = 10
	s.Append("b", []byte("12345678\n"))
	s.Append("b", []byte("9\n"))
	assert.Equal(t, 1, lost, "what waits is bounded")
	s.Flush()
	assert.Equal(t, "12345678\n", all(t, s, "b"))
	require.NoError(t, os.Mkdir(filepath.Join(dir, "c.jsonl.gz"), 0o700))
	s.Append("c", []byte("c\n"))
	s.Flush()
	require.ErrorContains(t, s.Close(), "1 lines of sessions were not written")
	assert.Equal(t, 2, lost)
}

func TestRunWritesWhatIsLeft(t *testing.T) {
	dir := t.TempDir()
	s := open(t, options(dir))
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { s.Run(ctx, nil); close(done) }()
	s.Append("a", []byte("x\n"))
	s.Finish("a")
	stop()
	<-done
	require.NoError(t, s.Close())
	assert.Contains(t, list(t, dir), "a.jsonl.gz")
	assert.NoError(t, s.Err())
}

func TestKnownByIndex(t *testing.T) {
	dir := t.TempDir()
	opt := options(dir)
	opt.Meta = func(id string) []byte { return []byte(`{"of":"` + id + `"}`) }
	s := open(t, opt)
	s.Append("a", []byte("x\n"))
	s.Append("b", []byte("y\n"))
	s.Finish("a")
	s.Flush()
	require.NoError(t, s.dir.release()) // a crash: no Close
	s2 := open(t, opt)
	got := map[string]string{}
	for _, k := range s2.Known() {
		got[k.ID] = string(k.Meta)
	}
	assert.Equal(t, map[string]string{"a": `{"of":"a"}`, "b": ""}, got, "b had not ended")
	s2.Append("a", []byte("more\n"))
	s2.Flush()
	require.NoError(t, s2.dir.release())
	s3 := open(t, opt)
	for _, k := range s3.Known() {
		assert.Equal(t, k.ID == "b", len(k.Meta) == 0, "what was known of it last")
		assert.False(t, k.Current, "the index is older than the file")
	}
	assert.Equal(t, "x\nmore\n", all(t, s3, "a"))
	require.NoError(t, s3.Close())
}

// What was written last stays so after a restart: the oldest go first. Sessions that end
// in one moment are written together, the largest first.
func TestOrderAfterARestart(t *testing.T) {
	now := time.Now().Add(-time.Minute)
	opt := options(t.TempDir())
	opt.Now = func() time.Time { return now }
	ids := []string{"c", "a", "e", "b", "d", "f"}
	s := open(t, opt)
	for i, id := range ids {
		s.Append(id, []byte(strings.Repeat("x", 10*(1+i*7%5))+"\n"))
	}
	order := func() (ids []string) {
		for _, k := range slices.Backward(s.Known()) {
			ids = append(ids, k.ID)
		}
		return ids
	}
	assert.Equal(t, ids, order())
	s.Flush()
	require.NoError(t, s.Close())
	s = open(t, opt)
	assert.Equal(t, ids, order())
	require.NoError(t, s.Close())

	opt.MaxSessions = 3
	s = open(t, opt)
	var removed []string
	s.Sweep(func(id string) { removed = append(removed, id) })
	assert.Equal(t, ids[:3], removed)
	require.NoError(t, s.Close())
}
