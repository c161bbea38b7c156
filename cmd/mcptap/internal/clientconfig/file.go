package clientconfig

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/otelcol-mcp/otelcol-mcp/cmd/mcptap/internal/settings"
)

// backupSuffix is what the file as it was is called by.
const backupSuffix = ".before-mcptap"

// Change is what would be done to a file.
type Change struct {
	Path    string // with symbolic links followed
	Names   []string
	Old     []byte
	New     []byte
	restore bool // New is the backup, which is then no longer needed
	save    bool // Old is worth a backup
}

// Plan reads a file and says what wrapping its servers would do.
func Plan(path string, w Wrapper) (*Change, error) {
	c, err := read(path)
	if err != nil {
		return nil, err
	}
	if c.New, c.Names, err = Wrap(c.Path, c.Old, w); err != nil {
		return nil, err
	}
	_, wrapped, err := Unwrap(c.Path, c.Old)
	_, missing := os.Stat(c.Path + backupSuffix)
	c.save = len(wrapped) == 0 || errors.Is(missing, fs.ErrNotExist)
	return c, err
}

// PlanUndo reads a file and says what undoing would do: it becomes the backup
// if it says the same, and else loses what is ours.
func PlanUndo(path string) (*Change, error) {
	c, err := read(path)
	if err != nil {
		return nil, err
	}
	if c.New, c.Names, err = Unwrap(c.Path, c.Old); err != nil {
		return nil, err
	}
	backup, err := os.ReadFile(c.Path + backupSuffix)
	if err == nil && Same(c.Path, c.New, backup) {
		c.New, c.restore = backup, true
	}
	return c, nil
}

func read(path string) (*Change, error) {
	full, err := filepath.EvalSymlinks(path)
	if err != nil {
		return nil, err
	}
	old, err := os.ReadFile(full)
	return &Change{Path: full, Old: old}, err
}

// Backup is where the file as it was is kept.
func (c *Change) Backup() string { return c.Path + backupSuffix }

// Apply writes the file at one stroke, so that a client never reads a half of
// it, after the backup.
func (c *Change) Apply() error {
	info, err := os.Stat(c.Path)
	if err != nil {
		return err
	}
	if c.save {
		if err := settings.Replace(c.Backup(), c.Old, info.Mode().Perm()); err != nil {
			return err
		}
	}
	if err := settings.Replace(c.Path, c.New, info.Mode().Perm()); err != nil {
		return err
	}
	if c.restore {
		return os.Remove(c.Backup())
	}
	return nil
}
