package store

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/klauspost/compress/gzip" // takes half the time that the standard one takes
)

// Intervals of [Store.Run].
const (
	flushEvery = time.Second
	retryEvery = 10 * time.Second // while files cannot be written
	sweepEvery = 10 * time.Minute
)

// Run writes what was appended until ctx is done, and then the rest. It also
// removes what is too old or too much, and tells removed of it.
func (s *Store) Run(ctx context.Context, removed func(id string)) {
	flush, sweep := time.NewTicker(flushEvery), time.NewTicker(sweepEvery)
	defer flush.Stop()
	defer sweep.Stop()
	s.Sweep(removed)
	for {
		select {
		case <-ctx.Done():
			s.Flush()
			return
		case <-s.wake:
			s.flushIfDue()
		case <-flush.C:
			s.flushIfDue()
		case <-sweep.C:
			s.Sweep(removed)
		}
	}
}

func (s *Store) flushIfDue() {
	if s.outcome.due() {
		s.Flush()
	}
}

// Flush writes what waits.
func (s *Store) Flush() {
	s.writes.Lock()
	defer s.writes.Unlock()
	var failed error
	files := s.takeDirty()
	for _, f := range files {
		if err := s.write(f); err != nil && failed == nil {
			failed = err
		}
	}
	if len(files) > 0 {
		s.outcome.set(failed)
	}
}

// takeDirty is what there is to write, the largest first; what is appended
// meanwhile is for the next time.
func (s *Store) takeDirty() []*file {
	s.mu.Lock()
	defer s.mu.Unlock()
	files := make([]*file, 0, len(s.dirty))
	for f := range s.dirty {
		files = append(files, f)
	}
	clear(s.dirty)
	slices.SortFunc(files, func(a, b *file) int { return cmp.Compare(len(b.pending), len(a.pending)) })
	return files
}

// write appends a member of what waits. If that fails, the lines are kept and
// tried again, as long as there is room.
func (s *Store) write(f *file) error {
	if err := s.index(f); err != nil {
		s.unwritten(f)
		return err
	}
	s.mu.Lock()
	f.writing, f.pending, f.usual = f.pending, nil, len(f.pending)
	lines, finished := f.lines, f.finished
	f.lines = 0
	s.mu.Unlock()
	n, zn, err := s.member(f, finished)
	if err = s.wrote(f, n, zn, lines, err); err != nil || !finished {
		return err
	}
	return s.catalog.add(s.entry(f))
}

// wrote notes what became of a member; after an error its lines wait again.
func (s *Store) wrote(f *file, n int, zn int64, lines int, err error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil {
		f.pending, f.writing = append(f.writing, f.pending...), nil
		f.lines += lines
		s.dirty[f] = struct{}{}
		return err
	}
	if zn > 0 {
		f.grown(n, zn, int64(len(f.writing)))
	}
	s.pending -= len(f.writing)
	f.writing = nil
	return nil
}

// unwritten keeps the lines for the next time.
func (s *Store) unwritten(f *file) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.dirty[f] = struct{}{}
}

// member writes f.writing to the session's last file, or to a new one when that
// is full. It is the number of the file, and the bytes written.
func (s *Store) member(f *file, sync bool) (n int, zn int64, err error) {
	s.mu.Lock()
	n, at := f.end()
	s.mu.Unlock()
	if len(f.writing) == 0 {
		if !sync || len(f.chunks) == 0 {
			return n, 0, nil
		}
		return n, 0, s.dir.sync(chunkName(f.id, f.chunks[len(f.chunks)-1].n))
	}
	z, err := s.compressor.compress(f.writing)
	if err != nil {
		return n, 0, err
	}
	if at > 0 && at+int64(len(z)) > s.opt.MaxFileBytes {
		n, at = n+1, 0
	}
	return n, int64(len(z)), s.dir.write(chunkName(f.id, n), z, at, sync)
}

// compressor makes gzip members, with the same memory for all.
type compressor struct {
	buf bytes.Buffer
	z   *gzip.Writer
}

// maxSpareMember is the longest member whose memory is kept for the next one.
const maxSpareMember = 1 << 20

// compress makes a member, which is valid until the next one.
func (w *compressor) compress(lines []byte) ([]byte, error) {
	if w.buf.Reset(); w.buf.Cap() > maxSpareMember {
		w.buf = bytes.Buffer{}
	}
	if w.z == nil {
		w.z, _ = gzip.NewWriterLevel(&w.buf, gzip.BestSpeed) // a level that there is
	} else {
		w.z.Reset(&w.buf)
	}
	if _, err := w.z.Write(lines); err != nil {
		return nil, err
	}
	err := w.z.Close()
	return w.buf.Bytes(), err
}

var _ io.Closer = (*Store)(nil)

// Close closes the directory; [Store.Run] must have ended. It is an error when
// lines were not written.
func (s *Store) Close() error {
	err := s.compact()
	s.mu.Lock()
	defer s.mu.Unlock()
	lines := 0
	for f := range s.dirty {
		lines += f.lines
	}
	s.lose(lines)
	if lines > 0 {
		err = errors.Join(err, fmt.Errorf("traces_dir: %d lines of sessions were not written", lines), s.outcome.failing())
	}
	return errors.Join(err, s.dir.release())
}
