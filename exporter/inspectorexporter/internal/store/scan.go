package store

import (
	"bufio"
	"compress/flate"
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

// scan reads a file up to its end, the first member that is torn, or the first
// that is damaged.
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
		err := z.Reset(r)
		var n int64
		if err == nil {
			z.Multistream(false)
			n, err = io.Copy(io.Discard, &z)
		}
		if c.damaged = isDamage(err); c.damaged {
			s.sayDamaged(chunkName(id, c.n), err)
		}
		if err != nil {
			return readError(err)
		}
		c.grow(n, r.n-from)
	}
}

// isDamage reports whether err is of bytes that no write has left: one that a
// crash tore ends too early.
func isDamage(err error) bool {
	_, corrupt := errors.AsType[flate.CorruptInputError](err)
	return corrupt || errors.Is(err, gzip.ErrHeader) || errors.Is(err, gzip.ErrChecksum)
}

// sayDamaged tells [Options.Damaged] of a file, once.
func (s *Store) sayDamaged(name string, err error) {
	s.mu.Lock()
	_, known := s.damaged[name]
	s.damaged[name] = struct{}{}
	s.mu.Unlock()
	if !known && s.opt.Damaged != nil {
		s.opt.Damaged(name, err)
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
