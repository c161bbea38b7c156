package store

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"github.com/klauspost/compress/gzip" // takes half the time that the standard one takes
	"golang.org/x/sync/errgroup"
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
	s.writing(true)
	defer s.writing(false)
	var reporter sync.WaitGroup
	reporting, stop := context.WithCancel(ctx)
	reporter.Go(func() { s.outcome.run(reporting) })
	defer reporter.Wait()
	defer stop()
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

// filesAtOnce is the number of files that are written and synced before there is room for more lines.
const filesAtOnce = 256

// Flush writes what waits, and syncs the files of sessions that ended, many of
// them together.
func (s *Store) Flush() {
	s.writes.Lock()
	defer s.writes.Unlock()
	failed := s.Notes.write()
	files := s.takeDirty()
	for some := range slices.Chunk(files, filesAtOnce) {
		failed = cmp.Or(failed, s.flush(some))
	}
	failed = cmp.Or(failed, s.catalog.add(s.takeChanged(), s.entry), s.dropMoved())
	if s.catalog.isLong() {
		failed = cmp.Or(failed, s.compact())
	}
	if len(files) > 0 {
		s.outcome.set(failed)
	}
}

// flush writes what waits for some files; the error is the first one.
func (s *Store) flush(files []*file) (failed error) {
	members := make([]*member, len(files))
	for i, f := range files {
		members[i] = s.write(f)
	}
	s.sync(members)
	var ended []*file
	for _, m := range members {
		if err := s.wrote(m); err != nil {
			failed = cmp.Or(failed, err)
		} else if m.finished {
			ended = append(ended, m.f)
		}
	}
	return cmp.Or(failed, s.catalog.add(ended, s.entry))
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

// member is what is written of one session at a time.
type member struct {
	f        *file
	n        int   // of the session's files
	size     int64 // in that file; 0 if there was nothing to write
	lines    int
	finished bool // nothing more is expected
	err      error
}

// write appends a member of what waits. Its lines are kept until [Store.wrote]
// knows what became of it.
func (s *Store) write(f *file) *member {
	m := &member{f: f}
	if m.err = s.index(f); m.err != nil {
		return m
	}
	s.mu.Lock()
	f.writing, f.pending, f.usual = f.pending, nil, len(f.pending)
	m.lines, m.finished = f.lines, f.finished
	f.lines = 0
	last := f.written
	n, at := f.end()
	s.mu.Unlock()
	m.n = n
	if len(f.writing) == 0 {
		if last := len(f.chunks) - 1; last >= 0 {
			m.n = f.chunks[last].n
		}
		return m
	}
	z, err := s.compressor.compress(f.writing)
	if err != nil {
		m.err = err
		return m
	}
	if at > 0 && at+int64(len(z)) > s.opt.MaxFileBytes {
		m.n, at = n+1, 0
	}
	m.size, m.err = int64(len(z)), s.dir.write(chunkName(f.id, m.n), z, at, last)
	return m
}

// wrote notes what became of a member; after an error its lines wait again.
func (s *Store) wrote(m *member) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	f := m.f
	if m.err != nil {
		if len(f.writing) > 0 {
			f.pending = append(f.writing, f.pending...)
		}
		f.writing = nil
		f.lines += m.lines
		s.dirty[f] = struct{}{}
		return m.err
	}
	if m.size > 0 {
		f.grown(m.n, m.size, int64(len(f.writing)))
	}
	if len(f.writing) > 0 {
		s.pending -= len(f.writing)
		s.room.wake()
	}
	f.writing = nil
	return nil
}

// syncsAtOnce is how many files are synced at the same time: a file system writes
// its journal once for all of them.
const syncsAtOnce = 16

// sync syncs the files of those that ended, and then the directory, once, so that
// new ones are found after a crash, too.
func (s *Store) sync(members []*member) {
	var work errgroup.Group
	work.SetLimit(syncsAtOnce)
	var ended []*member
	for _, m := range members {
		if m.finished && m.err == nil && (m.size > 0 || len(m.f.chunks) > 0) {
			ended = append(ended, m)
			work.Go(func() error {
				m.err = s.dir.sync(chunkName(m.f.id, m.n))
				return nil
			})
		}
	}
	if len(ended) == 0 {
		return
	}
	_ = work.Wait() // each has its own error
	if err := s.dir.syncNames(); err != nil {
		for _, m := range ended {
			m.err = cmp.Or(m.err, err)
		}
	}
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
