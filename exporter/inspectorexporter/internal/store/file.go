package store

import (
	"slices"
	"time"
)

// file is what is known of one session's files. All of it is guarded by the
// store's mutex; chunks are only added to by who writes.
type file struct {
	id       string
	epoch    int       // differs from that of an earlier session with the same id
	chunks   []chunk   // by number
	indexed  bool      // the chunks' marks are known
	before   int64     // bytes of lines that earlier runs wrote; right only when indexed
	pending  []byte    // lines that no write has begun for
	writing  []byte    // lines that are being written
	usual    int       // bytes of the last write
	lines    int       // in pending
	written  time.Time // the last append, or the files' time
	finished bool
	meta     []byte    // of an earlier run
	noted    time.Time // when the index last got what [Options.Meta] says of it
}

// chunk is one file of a session.
type chunk struct {
	n     int
	zsize int64  // bytes of the file that are whole members
	size  int64  // bytes of lines in it; -1 until indexed
	marks []mark // every markBytes or more
	// damaged: nothing is written behind zsize, where more may be of use to a person.
	damaged bool
}

// mark is where a gzip member begins: so many bytes of lines are before it.
type mark struct{ at, zat int64 }

// markBytes is how far two marks are apart at least. A range is read from the
// mark before it.
const markBytes = 256 << 10

// maxAhead is for how many bytes of lines there is room before they come.
const maxAhead = 4 * memberBytes

// add appends a line to what waits. At the first one it makes room for as much as
// there was the last time, and then for twice as much.
func (f *file) add(line []byte) {
	if len(f.pending)+len(line) > cap(f.pending) {
		ahead := f.usual
		if f.pending != nil {
			ahead = len(f.pending)
		}
		f.pending = slices.Grow(f.pending, max(len(line), min(ahead, maxAhead)))
	}
	f.pending = append(f.pending, line...)
}

// size is the bytes of all lines; right only when indexed.
func (f *file) size() int64 { return int64(f.waiting()) + f.inFiles() }

// inFiles is the bytes of lines that are written.
func (f *file) inFiles() (n int64) {
	for i := range f.chunks {
		n += max(0, f.chunks[i].size)
	}
	return n
}

// waiting is the bytes that are in no file yet.
func (f *file) waiting() int { return len(f.writing) + len(f.pending) }

func (f *file) zsize() (n int64) {
	for i := range f.chunks {
		n += f.chunks[i].zsize
	}
	return n
}

// grow notes a member that was written behind the others.
func (c *chunk) grow(size, zsize int64) {
	if len(c.marks) == 0 || c.size-c.marks[len(c.marks)-1].at >= markBytes {
		c.marks = append(c.marks, mark{c.size, c.zsize})
	}
	c.size += size
	c.zsize += zsize
}

// grown notes a member that was written to the n-th file.
func (f *file) grown(n int, zn, size int64) {
	if last := len(f.chunks) - 1; last < 0 || f.chunks[last].n != n {
		f.chunks = append(f.chunks, chunk{n: n})
	}
	f.chunks[len(f.chunks)-1].grow(size, zn)
}

// end is where the next member goes: behind the last one, but not into a file that
// is damaged there.
func (f *file) end() (n int, at int64) {
	if len(f.chunks) == 0 {
		return 0, 0
	}
	last := f.chunks[len(f.chunks)-1]
	if last.damaged {
		return last.n + 1, 0
	}
	return last.n, last.zsize
}

// mark is the last mark at or before the byte.
func (c *chunk) mark(at int64) mark {
	m := mark{}
	for _, next := range c.marks {
		if next.at > at {
			break
		}
		m = next
	}
	return m
}

// rest is the lines that are not in a file. What is there of it is only ever
// appended to, so mostly no copy is needed.
func (f *file) rest() []byte {
	if len(f.writing) == 0 {
		return slices.Clip(f.pending)
	}
	return slices.Concat(f.writing, f.pending)
}
