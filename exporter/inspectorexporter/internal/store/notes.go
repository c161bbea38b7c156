package store

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"os"
	"slices"
)

// notesName is the file with what is to be remembered of no session alone, a line each.
const notesName = ".parts.jsonl"

// maxNotes is how many notes are kept when the store opens.
const maxNotes = 4096

// Note remembers a line, with its line feed, for [Store.Notes] of a later run.
func (s *Store) Note(line []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.pending+len(s.notes)+len(line) <= s.opt.MaxPending {
		s.notes = append(s.notes, line...)
	}
}

// writeNotes appends the notes that wait; those that cannot be written wait on.
func (s *Store) writeNotes() error {
	s.mu.Lock()
	notes := slices.Clip(s.notes)
	s.mu.Unlock()
	if len(notes) == 0 {
		return nil
	}
	out, err := s.dir.OpenFile(notesName, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	_, err = out.Write(notes)
	if err = errors.Join(err, out.Close()); err == nil {
		s.mu.Lock()
		s.notes = s.notes[len(notes):]
		s.mu.Unlock()
	}
	return err
}

// Notes visits the notes of earlier runs, the oldest first, and forgets all but the last
// of many. It is called before the first [Store.Note].
func (s *Store) Notes(visit func(line []byte)) error {
	in, err := s.dir.Open(notesName)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	text, err := io.ReadAll(bufio.NewReader(in))
	_ = in.Close() // was only read
	if err != nil {
		return err
	}
	lines := bytes.SplitAfter(text, []byte("\n"))
	if spare := len(lines) - maxNotes; spare > maxNotes {
		lines = lines[spare:]
		err = s.rewriteNotes(bytes.Join(lines, nil))
	}
	for _, line := range lines {
		visit(line)
	}
	return err
}

func (s *Store) rewriteNotes(text []byte) error {
	const name = notesName + ".new"
	out, err := s.dir.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = out.Write(text)
	if err = errors.Join(err, out.Close()); err != nil {
		return err
	}
	return s.dir.Rename(name, notesName)
}

// moved is a session whose lines are in the file of another one.
type moved struct{ from, to *file }

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
	g.written, g.finished = s.opt.Now(), false
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
		err = errors.Join(err, s.dir.drop(m.from))
	}
	return err
}
