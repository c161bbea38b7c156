package tracefiles

import (
	"bytes"
	"compress/gzip"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// tail follows one file, as a Reader would whose pipelines take everything.
type tail struct {
	tb    testing.TB
	path  string
	file  file
	lines []string
	polls int
}

// open returns what a Reader does with a file.
func open(ctx context.Context, f *file, path string, size int64) (*source, error) {
	in, err := openFile(path)
	if err != nil {
		return nil, err
	}
	return newSource(ctx, in, f, path, size)
}

func newTail(tb testing.TB, name string) *tail {
	return &tail{tb: tb, path: filepath.Join(tb.TempDir(), name)}
}

// add appends to the file and reads what can be read.
func (f *tail) add(bytes string) {
	handle, err := os.OpenFile(f.path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	require.NoError(f.tb, err)
	_, err = handle.WriteString(bytes)
	require.NoError(f.tb, err)
	require.NoError(f.tb, handle.Close())
	for f.poll() {
		f.polls++
		require.Less(f.tb, f.polls, 100_000, "there is always more")
	}
}

func (f *tail) poll() (more bool) {
	info, err := os.Stat(f.path)
	require.NoError(f.tb, err)
	src, err := open(context.Background(), &f.file, f.path, info.Size())
	require.NoError(f.tb, err)
	for src.next() {
		f.lines = append(f.lines, string(src.line))
	}
	f.file.place = src.place
	require.NoError(f.tb, src.Close())
	return src.more
}

// good are the lines without those that stand for damage.
func (f *tail) good() (lines []string) {
	for _, line := range f.lines {
		if strings.HasPrefix(line, "{") {
			lines = append(lines, line)
		}
	}
	return lines
}

// member is a gzip member; flushed after each text.
func member(tb testing.TB, texts ...string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	for _, text := range texts {
		_, err := w.Write([]byte(text))
		require.NoError(tb, err)
		require.NoError(tb, w.Flush())
	}
	require.NoError(tb, w.Close())
	return b.String()
}

func TestGoesOnBehindATornMember(t *testing.T) {
	torn := member(t, `{"a":"the writer was killed while it wrote this"}`+"\n")
	for cut := 1; cut < len(torn); cut++ {
		f := newTail(t, "x.jsonl.gz")
		f.add(torn[:cut])
		f.add(member(t, `{"b":"and started again"}`+"\n"))
		for range 8 {
			f.add(member(t, `{"c":"and went on"}`+"\n"))
		}
		good := f.good()
		assert.Contains(t, good, `{"b":"and started again"}`, "cut at %d: %q", cut, f.lines)
		assert.Equal(t, 8, strings.Count(strings.Join(good, "\n"), `{"c":`), "cut at %d", cut)
	}
}

func TestLeavesOutWhatIsNoGzip(t *testing.T) {
	f := newTail(t, "x.jsonl.gz")
	f.add("this is plain\n")
	f.add(member(t, `{"a":1}`) + strings.Repeat("\x00", 512) + member(t, `{"b":1}`+"\n") + "\x1f")
	f.add(member(t, `{"c":1}`+"\n")[1:])
	assert.Equal(t, []string{`{"a":1}`, `{"b":1}`, `{"c":1}`}, f.good())
}

func TestLinesWithoutEnd(t *testing.T) {
	piece := strings.Repeat("x", 3<<20)
	f := newTail(t, "x.jsonl")
	f.add("{1}\n")
	for range 10 {
		f.add(piece)
	}
	require.Greater(t, f.file.place.Offset, int64(lineBytes), "what was read is not read again with each poll")
	f.add("x\n{2}\n")
	assert.Equal(t, []string{"{1}", "!", "{2}"}, f.lines)

	texts := []string{"{1}\n"}
	for range 45 {
		texts = append(texts, piece)
	}
	whole := member(t, append(texts, "x\n{2}\n")...)
	f = newTail(t, "x.jsonl.gz")
	f.add(whole[:len(whole)/3])
	f.add(whole[len(whole)/3 : len(whole)-9])
	f.add(whole[len(whole)-9:] + member(t, piece))
	f.add(member(t, "{3}\n"))
	assert.Equal(t, []string{"{1}", "!", "{2}", piece, "{3}"}, f.lines)
	assert.NotZero(t, f.polls, "a poll reads so much at most")
}

func TestStopsAmongMuch(t *testing.T) {
	f := newTail(t, "x.jsonl.gz")
	require.NoError(t, os.WriteFile(f.path, []byte(member(t, strings.Repeat("\n", 60<<20))), 0o600))
	ctx, cancel := context.WithCancel(t.Context())
	src, err := open(ctx, &f.file, f.path, 1)
	require.NoError(t, err)
	defer src.Close()
	require.True(t, src.next())
	cancel()
	for src.next() {
	}
	assert.Less(t, src.read, int64(bytesMax)-(1<<20), "what one piece of the file decompresses to, and not all")
	_, err = src.zip.find(0)
	assert.ErrorIs(t, err, context.Canceled)
}

// FuzzSource cuts a file between polls wherever it likes: each whole line must be
// read exactly once.
func FuzzSource(f *testing.F) {
	f.Add([]byte("a\nbb\n\nccc"), []byte{1, 2, 3, 200}, byte(0))
	f.Add([]byte("a\nbb\n\nccc\n"), []byte{9, 1, 1, 1, 30}, byte(1))
	f.Add([]byte("a\nbb\n\nccc\n"), []byte{17, 4}, byte(2))
	f.Fuzz(func(t *testing.T, text, cuts []byte, mode byte) {
		texts := strings.SplitAfter(string(text), "\n")
		tail, whole := newTail(t, "x.jsonl"), string(text)
		want := strings.Split(string(text), "\n")
		want = want[:len(want)-1] // the last one has no end yet
		if mode%3 > 0 {
			if rest := texts[len(texts)-1]; rest != "" {
				want = append(want, rest)
			}
			tail.path += ".gz"
			whole = zip(t, texts, int(mode%3))
		} else if bytes.HasPrefix(text, gzipMagic[:2]) {
			return
		}
		for _, cut := range cuts {
			n := min(int(cut), len(whole))
			tail.add(whole[:n])
			whole = whole[n:]
		}
		tail.add(whole)
		if len(want) == 0 {
			require.Empty(t, tail.lines)
			return
		}
		require.Equal(t, want, tail.lines)
	})
}

// zip makes members of so many lines each, flushed after each line.
func zip(tb testing.TB, texts []string, each int) string {
	var whole strings.Builder
	for part := range slices.Chunk(texts, each*each) {
		whole.WriteString(member(tb, part...))
	}
	return whole.String()
}

// FuzzDamage reads files of any bytes, which must come to an end.
func FuzzDamage(f *testing.F) {
	good := member(f, "a\n", "b\n")
	f.Add([]byte(good), []byte(good[:len(good)-3]+good))
	f.Add([]byte("\x1f\x8b\x08\x00"), []byte("\x1f\x8b"))
	f.Fuzz(func(t *testing.T, first, second []byte) {
		tail := newTail(t, "x.jsonl.gz")
		tail.add(string(first))
		tail.add(string(second))
		was := len(tail.lines)
		info, err := os.Stat(tail.path)
		require.NoError(t, err)
		require.LessOrEqual(t, tail.file.place.Offset, info.Size())
		tail.poll()
		require.LessOrEqual(t, len(tail.lines)-was, 1, "what was read is read again")
	})
}
