package store

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"time"
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
	if s.due() {
		s.Flush()
	}
}

// due tells whether writing may work: to compress what waits again and again
// takes time that others need.
func (s *Store) due() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.failing == nil || !s.opt.Now().Before(s.retry)
}

// Flush writes what waits.
func (s *Store) Flush() {
	s.writes.Lock()
	defer s.writes.Unlock()
	var w compressor
	var failed error
	files := s.takeDirty()
	for _, f := range files {
		if err := s.write(f, &w); err != nil && failed == nil {
			failed = err
		}
	}
	if len(files) > 0 {
		s.result(failed)
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

// result tells of the first time that a file could not be written, and of the
// first that all could.
func (s *Store) result(err error) {
	s.mu.Lock()
	changed := (err == nil) != (s.failing == nil)
	s.failing, s.retry = err, s.opt.Now().Add(retryEvery)
	s.mu.Unlock()
	if changed && s.opt.Failed != nil {
		s.opt.Failed(err)
	}
}

// write appends a member of what waits. If that fails, the lines are kept and
// tried again, as long as there is room.
func (s *Store) write(f *file, w *compressor) error {
	if err := s.index(f); err != nil {
		s.unwritten(f)
		return err
	}
	s.mu.Lock()
	f.writing, f.pending = f.pending, nil
	lines, finished := f.lines, f.finished
	f.lines = 0
	s.mu.Unlock()
	n, zn, err := s.member(f, w, finished)
	if err = s.wrote(f, n, zn, lines, err); err != nil || !finished {
		return err
	}
	return s.remember(f)
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
		s.grown(f, n, zn, int64(len(f.writing)))
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

func (s *Store) grown(f *file, n int, zn, size int64) {
	if last := len(f.chunks) - 1; last < 0 || f.chunks[last].n != n {
		f.chunks = append(f.chunks, chunk{n: n})
	}
	f.chunks[len(f.chunks)-1].grow(size, zn)
}

// member writes f.writing to the session's last file, or to a new one when that
// is full. It is the number of the file, and the bytes written.
func (s *Store) member(f *file, w *compressor, sync bool) (n int, zn int64, err error) {
	n, at := s.end(f)
	if len(f.writing) == 0 {
		return n, 0, s.sync(f, sync)
	}
	z, err := w.compress(f.writing)
	if err != nil {
		return n, 0, err
	}
	if at > 0 && at+int64(len(z)) > s.opt.MaxFileBytes {
		n, at = n+1, 0
	}
	out, err := s.root.OpenFile(chunkName(f.id, n), os.O_WRONLY|os.O_CREATE, 0o600)
	if err != nil {
		return n, 0, err
	}
	if err = out.Truncate(at); err == nil { // a member that a crash tore would hide those behind it
		_, err = out.WriteAt(z, at)
	}
	if err == nil && sync {
		err = out.Sync()
	}
	if err = errors.Join(err, out.Close()); err == nil && sync && at == 0 {
		err = s.syncDir()
	}
	return n, int64(len(z)), err
}

// syncDir makes sure that a new file is found after a crash, too.
func (s *Store) syncDir() error {
	if runtime.GOOS == "windows" { // where directories cannot be synced
		return nil
	}
	dir, err := s.root.Open(".")
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}

// end is where the next member goes: behind the last one, but not into a file that
// is damaged there.
func (s *Store) end(f *file) (n int, at int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(f.chunks) == 0 {
		return 0, 0
	}
	last := f.chunks[len(f.chunks)-1]
	if last.damaged {
		return last.n + 1, 0
	}
	return last.n, last.zsize
}

// sync syncs a file that nothing more is written to.
func (s *Store) sync(f *file, wanted bool) error {
	if !wanted || len(f.chunks) == 0 {
		return nil
	}
	out, err := s.root.OpenFile(chunkName(f.id, f.chunks[len(f.chunks)-1].n), os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	return errors.Join(out.Sync(), out.Close(), s.syncDir())
}

// compressor makes gzip members, with the same memory for all.
type compressor struct {
	buf bytes.Buffer
	z   *gzip.Writer
}

func (w *compressor) compress(lines []byte) ([]byte, error) {
	w.buf.Reset()
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
		err = errors.Join(err, fmt.Errorf("traces_dir: %d lines of sessions were not written", lines), s.failing)
	}
	return errors.Join(err, s.release())
}
