package store

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"github.com/gofrs/flock"
	"github.com/klauspost/compress/gzip"
)

// folder is the directory with the files. It is safe for concurrent use, except
// that only one may write a file at a time.
type folder struct {
	*os.Root
	lock   *flock.Flock
	report func(file string, err error) // of damage; may be nil
	toDisk func(*os.File) error         // syncs

	mu      sync.Mutex
	damaged map[string]struct{}
}

// openFolder makes the directory, for its owner only.
func openFolder(dir string, report func(string, error)) (*folder, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("traces_dir: %w", err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("traces_dir: %w", err)
	}
	lock, err := take(dir)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("traces_dir %s: %w", dir, err), root.Close())
	}
	return &folder{Root: root, lock: lock, report: report, toDisk: (*os.File).Sync, damaged: map[string]struct{}{}}, nil
}

// take makes the directory ours until the process ends, however it does. Where
// files cannot be locked, or not be made, nothing is known of others.
func take(dir string) (*flock.Flock, error) {
	lock := flock.New(filepath.Join(dir, lockName), flock.SetPermissions(0o600))
	if ours, err := lock.TryLock(); err == nil && !ours {
		return nil, ErrTaken
	}
	return lock, nil
}

const lockName = ".lock"

func (d *folder) release() error { return errors.Join(d.Close(), d.lock.Close()) }

// entries visits what is in the directory.
func (d *folder) entries(visit func(os.DirEntry)) error {
	dir, err := d.Open(".")
	if err != nil {
		return err
	}
	defer func() { _ = dir.Close() }() // was only read
	for {
		entries, err := dir.ReadDir(1024)
		for _, e := range entries {
			visit(e)
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// scan reads a session's n-th file up to its end, the first member that is torn,
// or the first that is damaged.
func (d *folder) scan(id string, n int) (c chunk, err error) {
	c = chunk{n: n}
	in, err := d.Open(chunkName(id, n))
	if err != nil {
		return c, err
	}
	defer func() { _ = in.Close() }() // was only read
	r := &countingReader{r: bufio.NewReaderSize(in, 32<<10)}
	var z gzip.Reader
	for {
		from := r.n
		err := z.Reset(r)
		var size int64
		if err == nil {
			z.Multistream(false)
			size, err = io.Copy(io.Discard, &z)
		}
		if c.damaged = isDamage(err); c.damaged {
			d.sayDamaged(chunkName(id, n), err)
		}
		if err != nil {
			return c, readError(err)
		}
		c.grow(size, r.n-from)
	}
}

// write puts a gzip member at its place at the end of a file, whose time is to be that of
// its last line: those that are written together keep the order in which they ended.
func (d *folder) write(name string, member []byte, at int64, last time.Time) error {
	out, err := d.OpenFile(name, os.O_WRONLY|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	if err = out.Truncate(at); err == nil { // a member that a crash tore would hide those behind it
		_, err = out.WriteAt(member, at)
	}
	if err = errors.Join(err, out.Close()); err == nil {
		_ = d.Chtimes(name, last, last) // else it is a moment later
	}
	return err
}

// sync syncs a file. Its name may still be lost, see syncNames.
func (d *folder) sync(name string) error {
	out, err := d.OpenFile(name, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	return errors.Join(d.toDisk(out), out.Close())
}

// syncNames makes sure that a new file is found after a crash, too.
func (d *folder) syncNames() error {
	if runtime.GOOS == "windows" { // where directories cannot be synced
		return nil
	}
	dir, err := d.Open(".")
	if err != nil {
		return err
	}
	return errors.Join(d.toDisk(dir), dir.Close())
}

// drop removes a session's files.
func (d *folder) drop(f *file) error {
	var errs []error
	for _, c := range f.chunks {
		name := chunkName(f.id, c.n)
		if err := d.Remove(name); err != nil && !errors.Is(err, os.ErrNotExist) {
			errs = append(errs, err)
		}
		d.mu.Lock()
		delete(d.damaged, name)
		d.mu.Unlock()
	}
	return errors.Join(errs...)
}

// sayDamaged reports a file, once.
func (d *folder) sayDamaged(name string, err error) {
	d.mu.Lock()
	_, known := d.damaged[name]
	d.damaged[name] = struct{}{}
	d.mu.Unlock()
	if !known && d.report != nil {
		d.report(name, err)
	}
}
