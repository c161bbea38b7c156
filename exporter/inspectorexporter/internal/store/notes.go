package store

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"slices"
	"sync"
)

// notesName is the file with what is to be remembered of no session alone, a line each.
const notesName = ".parts.jsonl"

// maxNotes is how many notes are kept when they are read.
const maxNotes = 4096

// Notes are lines that are to be known to later runs. They are safe for concurrent use.
type Notes struct {
	dir *folder
	max int // bytes that wait

	mu      sync.Mutex
	waiting []byte
	torn    bool // the file ends within a line
}

// Add remembers a line, with its line feed, for [Notes.Read] of a later run. It is
// written with the next lines of sessions.
func (n *Notes) Add(line []byte) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(n.waiting)+len(line) <= n.max {
		n.waiting = append(n.waiting, line...)
	}
}

// write appends the notes that wait; those that cannot be written wait on.
func (n *Notes) write() error {
	n.mu.Lock()
	lines, text := slices.Clip(n.waiting), n.waiting
	if n.torn {
		text = append([]byte("\n"), lines...)
	}
	n.mu.Unlock()
	if len(lines) == 0 {
		return nil
	}
	err := n.put(notesName, os.O_APPEND, text)
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.torn = err != nil; !n.torn {
		n.waiting = n.waiting[len(lines):]
	}
	return err
}

func (n *Notes) put(name string, flag int, lines []byte) error {
	out, err := n.dir.OpenFile(name, os.O_WRONLY|os.O_CREATE|flag, 0o600)
	if err != nil {
		return err
	}
	_, err = out.Write(lines)
	return errors.Join(err, out.Close())
}

// Read visits the notes of earlier runs, the oldest first, and forgets all but the last
// of many. It is called before the first [Notes.Add].
func (n *Notes) Read(visit func(line []byte)) error {
	text, err := n.dir.ReadFile(notesName)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	n.mu.Lock()
	n.torn = len(text) > 0 && text[len(text)-1] != '\n'
	n.mu.Unlock()
	lines := bytes.SplitAfter(text, []byte("\n"))
	if spare := len(lines) - maxNotes; spare > maxNotes {
		lines = lines[spare:]
		const name = notesName + ".new"
		if err = n.put(name, os.O_TRUNC, bytes.Join(lines, nil)); err == nil {
			err = n.dir.Rename(name, notesName)
		}
	}
	for _, line := range lines {
		visit(line)
	}
	return err
}

// moved is a session whose lines are in the file of another one.
type moved struct{ from, to *file }

// movedNote is what is noted of files before they are removed: which they were.
type movedNote struct {
	ID   string `json:"moved"`
	Size int64  `json:"size"` // of all of them
	Time int64  `json:"time"` // of the last one, in nanoseconds
}

// noteMoved notes that the lines of a file are written elsewhere.
func (n *Notes) noteMoved(f *file) {
	note := movedNote{ID: f.id}
	for _, c := range f.chunks {
		if info, err := n.dir.Stat(chunkName(f.id, c.n)); err == nil {
			note.Size += info.Size()
			note.Time = max(note.Time, info.ModTime().UnixNano())
		}
	}
	if note.Size > 0 {
		line, _ := json.Marshal(note) // nothing in it can fail
		n.Add(append(line, '\n'))
	}
}

// removeMoved removes what a crash left of files whose lines are elsewhere.
func (s *Store) removeMoved() error {
	var errs []error
	err := s.Notes.Read(func(line []byte) {
		var note movedNote
		if json.Unmarshal(line, &note) != nil || note.ID == "" {
			return
		}
		f := s.files[note.ID]
		if f == nil || f.zsize() != note.Size || f.written.UnixNano() != note.Time {
			return // removed, or a later one
		}
		errs = append(errs, s.dir.drop(f))
		delete(s.files, note.ID)
	})
	return errors.Join(append(errs, err)...)
}

// maxMoved is how many bytes of lines are moved at most: who moves them waits.
const maxMoved = 4 << 20

// Move appends the lines of one session to those of another one, and removes its files
// when they are written. size and epoch are as of [Store.Append]. What is too much or
// cannot be read stays where it is; ok is false then.
func (s *Store) Move(from, to string) (size int64, epoch int, ok bool) {
	t, err := s.Trace(from)
	if err != nil || t.Size > maxMoved || !ValidID(to) || from == to {
		return 0, 0, false
	}
	in := t.Lines(0, t.Size)
	lines, err := io.ReadAll(in)
	_ = in.Close() // was only read
	if err != nil {
		return 0, 0, false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	f := s.files[from]
	if f == nil || f.size() != t.Size || s.pending+len(lines) > s.opt.MaxPending {
		return 0, 0, false
	}
	s.pending += len(lines) - len(f.pending)
	f.pending, f.lines = nil, 0
	delete(s.files, from)
	delete(s.dirty, f)
	g := s.file(to)
	g.add(lines)
	g.lines += bytes.Count(lines, []byte("\n"))
	g.written, g.finished = s.moments.next(s.opt.Now()), false
	s.dirty[g] = struct{}{}
	s.moved = append(s.moved, moved{f, g})
	return g.size(), g.epoch, true
}

// dropMoved removes the files whose lines are written elsewhere.
func (s *Store) dropMoved() (err error) {
	s.mu.Lock()
	var left, done []moved
	for _, m := range s.moved {
		if m.to.waiting() > 0 || m.from.waiting() > 0 {
			left = append(left, m)
		} else if s.files[m.from.id] == nil {
			done = append(done, m)
		}
	}
	s.moved = left
	s.mu.Unlock()
	for _, m := range done {
		s.Notes.noteMoved(m.from)
	}
	if len(done) > 0 {
		err = s.Notes.write()
	}
	for _, m := range done {
		err = errors.Join(err, s.dir.drop(m.from))
	}
	return err
}
