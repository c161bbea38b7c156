package checkedstorage

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"syscall"
	"time"

	"github.com/gofrs/flock"
	"go.uber.org/zap"

	"github.com/otelcol-mcp/otelcol-mcp/extension/checkedstorage/internal/boltfile"
)

const (
	bucket      = "default" // the one that file_storage has
	lockRetry   = 20 * time.Millisecond
	corruptMark = ".corrupt-"
	// keptFiles is how many damaged ones of a client are kept.
	keptFiles = 3
)

// check sets the file aside if it is damaged. It is an error if the file is in
// use, or cannot be read or renamed.
func (s *checkedStorage) check(ctx context.Context, path string) error {
	if info, err := os.Lstat(path); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	} else if info.IsDir() {
		return fmt.Errorf("storage file %s is a directory: move it away", path)
	}
	lock, err := s.lock(ctx, path)
	if err != nil {
		return err
	}
	defer func() { _ = lock.Close() }() // was only read
	began := time.Now()
	size, err := s.inspect(ctx, path)
	switch {
	case err == nil:
		s.logger.Debug("Checked the storage file", zap.String("file", path), zap.Int64("bytes", size), zap.Duration("took", time.Since(began)))
		return nil
	case errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil:
		s.logger.Warn("Opening the storage file without a full check: raise check_timeout, or let compaction make the file smaller",
			zap.String("file", path), zap.Int64("bytes", size), zap.Duration("check_timeout", s.cfg.CheckTimeout))
		return nil
	case errors.Is(err, boltfile.ErrDamaged) || errors.Is(err, syscall.EIO):
		if runtime.GOOS == "windows" { // where an open file cannot be renamed
			_ = lock.Close()
		}
		return s.setAside(ctx, path, size, err)
	}
	return fmt.Errorf("storage file %s cannot be checked: %w", path, err)
}

// lock takes the lock that bbolt takes: what another process writes meanwhile
// would look like damage.
func (s *checkedStorage) lock(ctx context.Context, path string) (*flock.Flock, error) {
	if s.cfg.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, s.cfg.Timeout)
		defer cancel()
	}
	lock := flock.New(path, flock.SetFlag(os.O_RDWR))
	locked, err := lock.TryLockContext(ctx, lockRetry)
	switch {
	case locked:
		return lock, nil
	case err == nil || errors.Is(err, context.DeadlineExceeded):
		err = lockedError(path)
	default:
		err = fmt.Errorf("storage file %s cannot be locked: %w", path, err)
	}
	return nil, errors.Join(err, lock.Close())
}

// inspect reads the file, within the time that there is.
func (s *checkedStorage) inspect(ctx context.Context, path string) (size int64, err error) {
	if s.cfg.CheckTimeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, s.cfg.CheckTimeout)
		defer cancel()
	}
	file, err := os.Open(path) //nolint:gosec // the configured directory
	if err != nil {
		return 0, err
	}
	defer func() { _ = file.Close() }() // was only read
	info, err := file.Stat()
	if err != nil {
		return 0, err
	}
	size = info.Size()
	if err := boltfile.Check(ctx, file, size, bucket); err != nil {
		return size, err
	}
	return size, boltfile.ReadAll(ctx, file, size)
}

// setAside renames the file, so that bbolt makes a new one, and says so.
func (s *checkedStorage) setAside(ctx context.Context, path string, size int64, reason error) error {
	kept, err := freeName(path+corruptMark, time.Now())
	if err != nil {
		return err
	}
	if err := os.Rename(path, kept); err != nil {
		return fmt.Errorf("storage file %s is damaged and cannot be renamed, move it away: %w", path, errors.Join(err, reason))
	}
	s.telemetry.CheckedFileStorageCorruptFiles.Add(ctx, 1)
	s.logger.Error("Storage file is damaged; starting empty. What its component kept there is lost to it, the file is kept",
		zap.String("file", path), zap.String("kept_as", kept), zap.Int64("bytes", size), zap.Error(reason))
	if err := syncDir(filepath.Dir(path)); err != nil {
		s.logger.Warn("A crash of the machine may bring the damaged storage file back", zap.String("file", path), zap.Error(err))
	}
	s.forget(path)
	return nil
}

// freeName is a name that no file has yet, in the order of time.
func freeName(prefix string, now time.Time) (string, error) {
	for range 1000 {
		name := prefix + now.UTC().Format("20060102T150405.000")
		if _, err := os.Lstat(name); errors.Is(err, fs.ErrNotExist) {
			return name, nil
		}
		now = now.Add(time.Millisecond)
	}
	return "", fmt.Errorf("no name is left for %s*: remove old ones", prefix)
}

// forget removes the oldest damaged files, so that they do not fill the disk.
func (s *checkedStorage) forget(path string) {
	entries, err := os.ReadDir(filepath.Dir(path)) // sorted
	if err != nil {
		return
	}
	prefix := filepath.Base(path) + corruptMark
	var kept []string
	for _, e := range entries {
		if len(e.Name()) > len(prefix) && e.Name()[:len(prefix)] == prefix {
			kept = append(kept, filepath.Join(filepath.Dir(path), e.Name()))
		}
	}
	for _, old := range slices.Clip(kept[:max(0, len(kept)-keptFiles)]) {
		if err := os.Remove(old); err != nil {
			s.logger.Warn("An old damaged storage file cannot be removed", zap.String("file", old), zap.Error(err))
		}
	}
}

// syncDir makes sure that a new name is there after a crash of the machine, too.
func syncDir(path string) error {
	if runtime.GOOS == "windows" { // where directories cannot be synced
		return nil
	}
	dir, err := os.Open(path) //nolint:gosec // the configured directory
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}
