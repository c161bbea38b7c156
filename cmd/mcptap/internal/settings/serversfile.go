package settings

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// backupSuffix is added to the name of a file for the copy of its original.
const backupSuffix = ".before-mcptap"

// ServersChange describes a change of a file before it is made.
type ServersChange struct {
	Path    string // with symbolic links followed
	Names   []string
	Old     []byte
	New     []byte
	restore bool // New is the backup, which is then no longer needed
	save    bool // Old is worth a backup
}

// PlanWrap reads a file and says what wrapping its servers would do.
func PlanWrap(path string, w Wrapper) (*ServersChange, error) {
	c, err := read(path)
	if err != nil {
		return nil, err
	}
	if c.New, c.Names, err = WrapServers(c.Path, c.Old, w); err != nil {
		return nil, err
	}
	_, wrapped, err := UnwrapServers(c.Path, c.Old)
	_, missing := os.Stat(c.Path + backupSuffix)
	c.save = len(wrapped) == 0 || errors.Is(missing, fs.ErrNotExist)
	return c, err
}

// PlanUnwrap reads a file and says what undoing would do: it becomes the backup
// if it says the same, and else loses what is ours.
func PlanUnwrap(path string) (*ServersChange, error) {
	c, err := read(path)
	if err != nil {
		return nil, err
	}
	if c.New, c.Names, err = UnwrapServers(c.Path, c.Old); err != nil {
		return nil, err
	}
	backup, err := Read(c.Path + backupSuffix)
	if err == nil && sameServers(c.Path, c.New, backup) {
		c.New, c.restore = backup, true
	}
	return c, nil
}

func read(path string) (*ServersChange, error) {
	full, err := filepath.EvalSymlinks(path)
	if err != nil {
		return nil, err
	}
	old, err := Read(full)
	return &ServersChange{Path: full, Old: old}, err
}

// Backup is where the file as it was is kept.
func (c *ServersChange) Backup() string { return c.Path + backupSuffix }

// Apply writes the file at one stroke, so that a client never reads a half of
// it, after the backup.
func (c *ServersChange) Apply() error {
	info, err := os.Stat(c.Path)
	if err != nil {
		return err
	}
	if c.save {
		if err := Replace(c.Backup(), c.Old, info.Mode().Perm()); err != nil {
			return err
		}
	}
	if err := Replace(c.Path, c.New, info.Mode().Perm()); err != nil {
		return err
	}
	if c.restore {
		return os.Remove(c.Backup())
	}
	return nil
}
