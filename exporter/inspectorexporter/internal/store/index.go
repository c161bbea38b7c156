package store

import (
	"cmp"
	"encoding/json"
	"os"
	"slices"
	"time"
)

// Known is a session of an earlier run.
type Known struct {
	ID       string
	Modified time.Time
	Size     int64  // bytes of its files
	Epoch    int    // see [Store.Append]
	Meta     []byte // what [Options.Meta] told last; nil if it told nothing
	Current  bool   // nothing was written to its files since
}

// Known lists the sessions of earlier runs, the newest first.
func (s *Store) Known() []Known {
	s.mu.Lock()
	defer s.mu.Unlock()
	known := make([]Known, 0, len(s.files))
	for _, f := range s.files {
		known = append(known, Known{f.id, f.written, f.zsize(), f.epoch, f.meta, f.indexed})
		f.meta = nil
	}
	slices.SortFunc(known, func(a, b Known) int {
		return cmp.Or(b.Modified.Compare(a.Modified), cmp.Compare(b.ID, a.ID))
	})
	return known
}

// list finds the sessions of earlier runs.
func (s *Store) list() error {
	if err := s.dir.entries(s.found); err != nil {
		return err
	}
	for _, f := range s.files {
		slices.SortFunc(f.chunks, func(a, b chunk) int { return cmp.Compare(a.n, b.n) })
	}
	_ = s.removeMoved() // what cannot be read or removed now is as it was
	err := s.catalog.read(s.known)
	s.catalog.spare -= len(s.files)
	return err
}

func (s *Store) found(e os.DirEntry) {
	id, n, ok := parseName(e.Name())
	if !ok || !e.Type().IsRegular() {
		return
	}
	info, err := e.Info()
	if err != nil {
		return // removed meanwhile
	}
	f := s.file(id)
	f.indexed = false
	f.chunks = append(f.chunks, chunk{n: n, zsize: info.Size(), size: -1})
	if info.ModTime().After(f.written) {
		f.written = info.ModTime()
	}
}

func (s *Store) byAge() []*file {
	files := make([]*file, 0, len(s.files))
	for _, f := range s.files {
		files = append(files, f)
	}
	slices.SortFunc(files, func(a, b *file) int { return cmp.Or(a.written.Compare(b.written), cmp.Compare(a.id, b.id)) })
	return files
}

// known takes what the index says of a session, and of its files if they are as it says.
func (s *Store) known(e *entry) {
	f := s.files[e.ID]
	if f == nil || len(e.Meta) == 0 {
		return
	}
	f.indexed, f.meta = false, e.Meta
	if f.zsize() != e.ZSize || len(f.chunks) != len(e.Sizes) {
		return
	}
	for i, size := range e.Sizes {
		f.chunks[i].size = size
		f.chunks[i].marks = nil
	}
	f.indexed, f.meta, f.before = true, e.Meta, f.inFiles()
}

// entry is the index's line of a session.
func (s *Store) entry(f *file) []byte {
	e := entry{ID: f.id}
	s.mu.Lock()
	if f.indexed {
		e.ZSize = f.zsize()
		for i := range f.chunks {
			e.Sizes = append(e.Sizes, f.chunks[i].size)
		}
	}
	s.mu.Unlock()
	if s.opt.Meta == nil || len(e.Sizes) == 0 {
		return nil
	}
	if e.Meta = s.opt.Meta(f.id); len(e.Meta) == 0 {
		return nil
	}
	line, err := json.Marshal(&e)
	if err != nil {
		return nil
	}
	return append(line, '\n')
}

// compact writes the index again, with a line for each session.
func (s *Store) compact() error {
	if s.opt.Meta == nil {
		return nil
	}
	s.mu.Lock()
	files := s.byAge()
	s.mu.Unlock()
	return s.catalog.rewrite(files, s.entry)
}
