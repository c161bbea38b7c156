package store

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"github.com/klauspost/compress/gzip"
)

// Trace is a session's lines at one moment. It stays as it is while more is
// appended.
type Trace struct {
	Size     int64 // bytes of lines
	Before   int64 // the first of them, which earlier runs wrote
	Epoch    int   // see [Store.Append]
	Modified time.Time
	ETag     string

	dir    *folder
	id     string
	chunks []chunk
	rest   []byte // not in a file yet
}

// Trace is the session's trace. Errors: [ErrID], [ErrMissing], or what the disk
// says.
func (s *Store) Trace(id string) (*Trace, error) {
	if !ValidID(id) {
		return nil, ErrID
	}
	s.mu.Lock()
	f := s.files[id]
	s.mu.Unlock()
	if f == nil {
		return nil, ErrMissing
	}
	if err := s.index(f); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return &Trace{
		Size: f.size(), Before: f.before, Epoch: f.epoch, Modified: f.written,
		ETag: fmt.Sprintf(`W/"%x-%x"`, f.written.UnixNano(), f.size()),
		dir:  s.dir, id: id, chunks: slices.Clone(f.chunks), rest: f.rest(),
	}, nil
}

// Lines reads the bytes from, inclusive, to to, exclusive.
func (t *Trace) Lines(from, to int64) io.ReadCloser {
	r := &lineReader{trace: t, skip: from, left: to - from}
	return r
}

// Gzip reads all as gzip members, so many bytes.
func (t *Trace) Gzip() (r io.ReadCloser, size int64, err error) {
	var w compressor
	var rest []byte
	if len(t.rest) > 0 {
		if rest, err = w.compress(t.rest); err != nil {
			return nil, 0, err
		}
	}
	for _, c := range t.chunks {
		size += c.zsize
	}
	return &gzipReader{trace: t, rest: rest}, size + int64(len(rest)), nil
}

// gzipReader reads one file after another, then the rest.
type gzipReader struct {
	trace *Trace
	next  int
	open  *os.File
	from  io.Reader
	rest  []byte
}

func (r *gzipReader) Read(p []byte) (int, error) {
	for {
		if r.from != nil {
			if n, err := r.from.Read(p); n > 0 || err != io.EOF {
				return n, err
			}
			r.from = nil
		}
		if err := r.advance(); err != nil {
			return 0, err
		}
	}
}

func (r *gzipReader) advance() error {
	if err := r.Close(); err != nil {
		return err
	}
	switch chunks := r.trace.chunks; {
	case r.next < len(chunks):
		c := chunks[r.next]
		open, err := r.trace.dir.Open(chunkName(r.trace.id, c.n))
		if err != nil {
			return err
		}
		r.open, r.from = open, io.LimitReader(open, c.zsize)
	case r.next == len(chunks):
		r.from = bytes.NewReader(r.rest)
	default:
		return io.EOF
	}
	r.next++
	return nil
}

func (r *gzipReader) Close() error {
	if r.open == nil {
		return nil
	}
	err := r.open.Close()
	r.open = nil
	return err
}

// lineReader reads lines of one file after another, then the rest.
type lineReader struct {
	trace *Trace
	next  int
	skip  int64 // bytes before the first one wanted
	left  int64
	open  *os.File
	from  io.Reader
}

func (r *lineReader) Read(p []byte) (int, error) {
	n, err := r.read(p)
	if isDamage(err) {
		r.trace.dir.sayDamaged(chunkName(r.trace.id, r.trace.chunks[r.next-1].n), err)
	}
	return n, err
}

func (r *lineReader) read(p []byte) (int, error) {
	for r.left > 0 {
		if r.from == nil {
			if err := r.advance(); err != nil {
				return 0, err
			}
			continue
		}
		n, err := r.from.Read(p[:min(int64(len(p)), r.left)])
		r.left -= int64(n)
		if n > 0 {
			return n, nil
		}
		if err != io.EOF {
			return 0, err
		}
		r.from = nil
	}
	return 0, io.EOF
}

func (r *lineReader) advance() error {
	if err := r.Close(); err != nil {
		return err
	}
	chunks := r.trace.chunks
	for ; r.next < len(chunks); r.next++ {
		if c := &chunks[r.next]; r.skip >= c.size {
			r.skip -= c.size
			continue
		}
		r.next++
		return r.enter(&chunks[r.next-1])
	}
	if r.next > len(chunks) || r.skip > int64(len(r.trace.rest)) {
		return io.ErrUnexpectedEOF
	}
	r.next++
	r.from = bytes.NewReader(r.trace.rest[r.skip:])
	return nil
}

// enter starts to read a file at the mark before what is wanted.
func (r *lineReader) enter(c *chunk) error {
	open, err := r.trace.dir.Open(chunkName(r.trace.id, c.n))
	if err != nil {
		return err
	}
	r.open = open
	at := c.mark(r.skip)
	z, err := gzip.NewReader(bufio.NewReader(io.NewSectionReader(open, at.zat, c.zsize-at.zat)))
	if err != nil {
		return err
	}
	_, err = io.CopyN(io.Discard, z, r.skip-at.at)
	r.skip = 0
	r.from = z
	return err
}

func (r *lineReader) Close() error {
	if r.open == nil {
		return nil
	}
	err := r.open.Close()
	r.open = nil
	return err
}
