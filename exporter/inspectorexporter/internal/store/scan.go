package store

import (
	"bufio"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"slices"
)

// index finds out where the members of a session's files are, which is known
// of what this store has written: it is called before anything is.
func (s *Store) index(f *file) error {
	s.mu.Lock()
	indexed, chunks := f.indexed, slices.Clone(f.chunks)
	s.mu.Unlock()
	if indexed {
		return nil
	}
	for i := range chunks {
		if err := s.scan(f.id, &chunks[i]); err != nil {
			return err
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !f.indexed {
		f.chunks, f.indexed = chunks, true
		f.before = f.inFiles()
	}
	return nil
}

// scan reads a file up to its end or the first member that is torn.
func (s *Store) scan(id string, c *chunk) error {
	in, err := s.root.Open(chunkName(id, c.n))
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }() // was only read
	*c = chunk{n: c.n}
	r := &countingReader{r: bufio.NewReaderSize(in, 32<<10)}
	var z gzip.Reader
	for {
		from := r.n
		if err := z.Reset(r); err != nil {
			return readError(err)
		}
		z.Multistream(false)
		n, err := io.Copy(io.Discard, &z)
		if err != nil {
			return readError(err)
		}
		c.grow(n, r.n-from)
	}
}

// readError is nil for what is torn or no gzip: what is before that counts.
func readError(err error) error {
	if _, ok := errors.AsType[*os.PathError](err); ok {
		return err
	}
	return nil
}

// countingReader tells how many bytes were taken; being a ByteReader it is read
// no further than needed.
type countingReader struct {
	r *bufio.Reader
	n int64
}

func (r *countingReader) Read(p []byte) (int, error) {
	n, err := r.r.Read(p)
	r.n += int64(n)
	return n, err
}

func (r *countingReader) ReadByte() (byte, error) {
	b, err := r.r.ReadByte()
	if err == nil {
		r.n++
	}
	return b, err
}
