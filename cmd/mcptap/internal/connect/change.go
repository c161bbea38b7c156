package connect

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/otelcol-mcp/otelcol-mcp/cmd/mcptap/internal/agents"
	"github.com/otelcol-mcp/otelcol-mcp/cmd/mcptap/internal/settings"
)

// Change describes a change of a file before it is made.
type Change struct {
	Path    string // with symbolic links followed
	Old     []byte // nil if there is no file
	New     []byte // nil if there is to be none
	Groups  []agents.Group
	Wrapped []string
	Kept    []string // what is not removed because it was changed since
	Exact   bool     // of an undo: the file becomes what it was, to the byte
	Program bool     // it is a program of ours as a whole

	journal Journal
	before  *record // nil if there was none
	record  *record // nil to forget it
}

// Changed reports whether the file becomes another one.
func (c *Change) Changed() bool {
	return (c.Old == nil) != (c.New == nil) || !bytes.Equal(c.Old, c.New)
}

// Original is where the file as it was is kept, "" if there was none or undoing
// restored it.
func (c *Change) Original() string {
	r := c.record
	if r == nil && c.keepsOriginal() {
		r = c.before
	}
	if r == nil || !r.Existed || r.lost {
		return ""
	}
	return c.journal.originalOf(r)
}

// keepsOriginal reports whether an undo leaves a file that may differ from it.
func (c *Change) keepsOriginal() bool {
	return c.before != nil && !c.Exact && (c.Changed() || len(c.Kept) > 0)
}

// Apply makes the change, unless the file is no longer as it was planned for.
func (c *Change) Apply() error {
	if err := c.check(); err != nil {
		return err
	}
	if !c.Changed() {
		if c.record != nil && c.record.Target != c.before.Target {
			return c.journal.save(c.record)
		}
		return c.forget()
	}
	if c.record != nil {
		if err := c.journal.save(c.record); err != nil {
			return fmt.Errorf("backup of %s: %w", c.Path, err)
		}
	}
	if err := c.write(); err != nil {
		return err
	}
	return c.forget()
}

// check reports a file that an agent or its user has written since.
func (c *Change) check() error {
	now, err := settings.Read(c.Path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if (now == nil) != (c.Old == nil) || !bytes.Equal(now, c.Old) {
		return fmt.Errorf("%s has changed meanwhile: run mcptap again", c.Path)
	}
	return nil
}

// forget removes the record of what was undone.
func (c *Change) forget() error {
	if c.record == nil && c.before != nil {
		return c.journal.remove(c.before, c.keepsOriginal())
	}
	return nil
}

func (c *Change) write() error {
	if c.New == nil {
		if err := os.Remove(c.Path); err != nil {
			return err
		}
		if c.before != nil {
			for _, folder := range c.before.Folders {
				_ = os.Remove(folder) // unless something is in it
			}
		}
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(c.Path), 0o755); err != nil { //nolint:gosec // as agents make them
		return err
	}
	mode := fs.FileMode(0o600)
	if info, err := os.Stat(c.Path); err == nil {
		mode = info.Mode().Perm()
	}
	return settings.Replace(c.Path, c.New, mode)
}

// Summary names what a change is about.
func (c *Change) Summary() string {
	var parts []string
	for _, g := range c.Groups {
		parts = append(parts, string(g))
	}
	if len(c.Wrapped) > 0 {
		parts = append(parts, "mcptap before "+strings.Join(c.Wrapped, ", "))
	}
	if len(parts) == 0 {
		return "without what an earlier version wrote"
	}
	return strings.Join(parts, ", ")
}
