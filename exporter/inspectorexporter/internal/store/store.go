package store

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Errors of [Store.Trace].
var (
	ErrID      = errors.New("a session id has 1 to 128 of A-Z, a-z, 0-9, _ and -")
	ErrMissing = errors.New("there is no such session (any more)")
)

// ErrTaken is that of [Open] of a directory that another store has, in this
// process or in another one.
var ErrTaken = errors.New("another exporter writes to this directory, name one of its own")

// Options are where files go, and what bounds them.
type Options struct {
	Dir           string
	MaxFileBytes  int64         // of one file, compressed; a session goes on in another one
	MaxTotalBytes int64         // of all files, compressed; the oldest sessions go
	Retention     time.Duration // since the last write of a session
	MaxSessions   int           // the oldest go
	MaxPending    int           // bytes that wait to be written
	// Meta is what is to be kept of a session beside its lines, as JSON; none if
	// it is nil.
	Meta func(id string) []byte
	// Failed reports each change between keeping all lines and not: the error, or nil when all is well. While lines
	// are lost ([ErrLost]) it reports once a minute.
	Failed func(error)
	// Lost reports how many lines were not written.
	Lost func(lines int)
	// Damaged is told of each file that is damaged, once: it is read up to there, and
	// left as it is.
	Damaged func(file string, err error)
	// Now is the time; time.Now if nil.
	Now func() time.Time
}

// Store keeps the files of one directory. It is safe for concurrent use.
type Store struct {
	Notes *Notes

	opt     Options
	dir     *folder
	catalog catalog // guarded by writes
	outcome outcome
	wake    chan struct{}

	writes     sync.Mutex // held by who writes or removes files
	compressor compressor // guarded by writes

	mu      sync.Mutex
	files   map[string]*file
	dirty   map[*file]struct{}
	changed map[*file]struct{} // what [Options.Meta] says of them
	epochs  int                // the next file's
	pending int                // bytes in all files
	room    room
	moments moments // of lines
	moved   []moved
}

// Open makes the directory, for its owner only, and lists what is in it.
func Open(opt Options) (*Store, error) {
	if opt.Now == nil {
		opt.Now = time.Now
	}
	dir, err := openFolder(opt.Dir, opt.Damaged)
	if err != nil {
		return nil, err
	}
	s := &Store{
		Notes: &Notes{dir: dir, max: opt.MaxPending}, opt: opt, dir: dir, catalog: catalog{dir: dir}, outcome: outcome{report: opt.Failed, now: opt.Now},
		wake: make(chan struct{}, 1), files: map[string]*file{}, dirty: map[*file]struct{}{}, changed: map[*file]struct{}{}, room: room{made: make(chan struct{})}, epochs: int(opt.Now().Unix()),
	}
	if err := s.list(); err != nil {
		return nil, errors.Join(fmt.Errorf("traces_dir: %w", err), dir.release())
	}
	return s, nil
}

// maxID is how long a session's id may be.
const maxID = 128

// ValidID tells whether a session's id can name a file.
func ValidID(id string) bool {
	if id == "" || len(id) > maxID {
		return false
	}
	for i := range len(id) {
		if c := id[i]; (c|0x20)-'a' >= 26 && c-'0' >= 10 && c != '_' && c != '-' {
			return false
		}
	}
	return true
}

// Append adds one line, with its line feed, to a session's trace. If there is no
// room it waits for [Store.Run] to write. It never fails: what cannot be written
// is lost, and reported to [Options.Lost]. size is what [Trace.Size] is after it,
// epoch [Trace.Epoch].
func (s *Store) Append(id string, line []byte) (size int64, epoch int) {
	if !ValidID(id) || len(line) == 0 {
		return 0, 0
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.await(len(line))
	f := s.file(id)
	if s.pending+len(line) > s.opt.MaxPending || s.outcome.failing() != nil && f.waiting()+len(line) > s.opt.MaxPending/shares {
		s.lose(1)
		return f.size(), f.epoch
	}
	f.add(line)
	f.lines++
	f.written = s.moments.next(s.opt.Now())
	f.finished = false
	s.pending += len(line)
	s.dirty[f] = struct{}{}
	if len(f.pending) >= memberBytes {
		s.nudge()
	}
	return f.size(), f.epoch
}

// shares of what may wait: one session, whose file alone cannot be written,
// leaves the rest to others.
const shares = 4

// memberBytes of lines make a gzip member at once; fewer wait for a second.
const memberBytes = 64 << 10

// Finish tells that nothing more is expected: what there is will be written and
// then synced to the disk.
func (s *Store) Finish(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if f := s.files[id]; f != nil {
		f.finished = true
		s.dirty[f] = struct{}{}
		s.nudge()
	}
}

// Changed stores what [Options.Meta] says of a session within [noteEvery], so that a run
// after a crash has it. A session without lines has no file, and nothing is stored.
func (s *Store) Changed(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if f := s.files[id]; f != nil {
		s.changed[f] = struct{}{}
	}
}

// noteEvery is how often the index gets what [Options.Meta] says of a session that goes on.
const noteEvery = 10 * time.Second

// takeChanged returns the files of which the index is to get a line, as of now.
func (s *Store) takeChanged() (files []*file) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.opt.Now()
	for f := range s.changed {
		if s.files[f.id] != f {
			delete(s.changed, f)
		} else if now.Sub(f.noted) >= noteEvery && len(f.chunks) > 0 {
			f.noted = now
			files = append(files, f)
			delete(s.changed, f)
		}
	}
	return files
}

// Err is nil if the last write worked and no line was lost in the last minute.
func (s *Store) Err() error { return s.outcome.health() }

// Sizes is how much is held, for own metrics.
func (s *Store) Sizes() (sessions, pendingBytes int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.files), s.pending
}

// nudge wakes Run.
func (s *Store) nudge() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

func (s *Store) lose(lines int) {
	if lines == 0 {
		return
	}
	s.outcome.lose(lines)
	if s.opt.Lost != nil {
		s.opt.Lost(lines)
	}
}

// moments are times of which no two are the same: they tell what came first.
type moments struct{ last time.Time }

func (m *moments) next(now time.Time) time.Time {
	if !now.After(m.last) && m.last.Sub(now) < time.Second { // else the clock was set back
		now = m.last.Add(1)
	}
	m.last = now
	return now
}

// file is the session's, made if need be.
func (s *Store) file(id string) *file {
	f := s.files[id]
	if f == nil {
		f = &file{id: id, epoch: s.epochs, indexed: true}
		s.files[id] = f
		s.epochs++
	}
	return f
}

// chunkName is the name of a session's n-th file, from 0.
func chunkName(id string, n int) string {
	if n == 0 {
		return id + suffix
	}
	return fmt.Sprintf("%s.chunk_%d%s", id, n, suffix)
}

const suffix = ".jsonl.gz"

// maxChunk is the highest number of a file.
const maxChunk = 999999

// parseName is the reverse of chunkName.
func parseName(name string) (id string, n int, ok bool) {
	base, ok := strings.CutSuffix(name, suffix)
	id, number, more := strings.Cut(base, ".chunk_")
	if more {
		n, _ = strconv.Atoi(number) // 0 is none
		ok = ok && n > 0 && n <= maxChunk && strconv.Itoa(n) == number
	}
	return id, n, ok && ValidID(id)
}
