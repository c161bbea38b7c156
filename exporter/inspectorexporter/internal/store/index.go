package store

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"os"
	"slices"
	"time"
)

// indexName is the file with what [Options.Meta] told of each session, a line
// each, the last one counting. It only saves time: a session whose files are not
// as big as its line says is read instead.
const indexName = ".sessions.jsonl"

// entry is one line of the index.
type entry struct {
	ID    string          `json:"id"`
	ZSize int64           `json:"zsize"` // of all files
	Sizes []int64         `json:"sizes"` // bytes of lines in each file
	Meta  json.RawMessage `json:"meta"`
}

// Known is a session of an earlier run.
type Known struct {
	ID       string
	Modified time.Time
	Size     int64  // bytes of its files
	Epoch    int    // see [Store.Append]
	Meta     []byte // what [Options.Meta] told; nil if its lines must be read
}

// Known lists the sessions of earlier runs, the newest first.
func (s *Store) Known() []Known {
	s.mu.Lock()
	defer s.mu.Unlock()
	known := make([]Known, 0, len(s.files))
	for _, f := range s.files {
		known = append(known, Known{f.id, f.written, f.zsize(), f.epoch, f.meta})
		f.meta = nil
	}
	slices.SortFunc(known, func(a, b Known) int {
		return cmp.Or(b.Modified.Compare(a.Modified), cmp.Compare(a.ID, b.ID))
	})
	return known
}

// list finds the sessions of earlier runs.
func (s *Store) list() error {
	dir, err := s.root.Open(".")
	if err != nil {
		return err
	}
	defer func() { _ = dir.Close() }() // was only read
	for {
		entries, err := dir.ReadDir(1024)
		for _, e := range entries {
			s.found(e)
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
	}
	for _, f := range s.files {
		slices.SortFunc(f.chunks, func(a, b chunk) int { return cmp.Compare(a.n, b.n) })
	}
	return s.readIndex()
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
	slices.SortFunc(files, func(a, b *file) int { return a.written.Compare(b.written) })
	return files
}

// readIndex takes what the index says of files that are as it says. A line that
// cannot be read is as if it were missing.
func (s *Store) readIndex() error {
	in, err := s.root.Open(indexName)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }() // was only read
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 1<<20)
	var wrong, damage error // of the last line, which a crash may have torn; of one before
	for ; lines.Scan(); s.spare++ {
		damage = cmp.Or(damage, wrong)
		var e entry
		if wrong = json.Unmarshal(lines.Bytes(), &e); wrong != nil {
			continue
		}
		if slices.ContainsFunc(e.Sizes, func(size int64) bool { return size < 0 }) {
			damage = errNegative
			continue
		}
		s.known(&e)
	}
	s.spare -= len(s.files)
	if damage = cmp.Or(damage, lines.Err()); damage != nil {
		s.sayDamaged(indexName, damage)
	}
	return nil // what could not be read is read from the sessions' files
}

var errNegative = errors.New("a session's file has a negative size")

func (s *Store) known(e *entry) {
	f := s.files[e.ID]
	if f == nil || f.zsize() != e.ZSize || len(f.chunks) != len(e.Sizes) || len(e.Meta) == 0 {
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

// remember adds a session that ended to the index.
func (s *Store) remember(f *file) error {
	line := s.entry(f)
	if line == nil {
		return nil
	}
	out, err := s.root.OpenFile(indexName, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	_, err = out.Write(line)
	s.spare++
	return errors.Join(err, out.Close())
}

// spareEntries is how many lines the index may get before it is written anew:
// one that is killed again and again never closes it.
const spareEntries = 10_000

// compact writes the index anew, with a line for each session.
func (s *Store) compact() error {
	if s.opt.Meta == nil {
		return nil
	}
	const name = indexName + ".new"
	out, err := s.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(out)
	s.mu.Lock()
	files := s.byAge()
	s.mu.Unlock()
	for _, f := range files {
		if _, err = w.Write(s.entry(f)); err != nil {
			break
		}
	}
	err = errors.Join(err, w.Flush(), out.Sync(), out.Close())
	if err != nil {
		return err
	}
	s.spare = 0
	return s.root.Rename(name, indexName)
}
