package store

import (
	"bufio"
	"compress/flate"
	"errors"
	"os"
	"slices"

	"github.com/klauspost/compress/gzip"
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
		var err error
		if chunks[i], err = s.dir.scan(f.id, chunks[i].n); err != nil {
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

// isDamage reports whether err is of bytes that no write has left: one that a
// crash tore ends too early.
func isDamage(err error) bool {
	_, corrupt := errors.AsType[flate.CorruptInputError](err)
	return corrupt || errors.Is(err, gzip.ErrHeader) || errors.Is(err, gzip.ErrChecksum)
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
