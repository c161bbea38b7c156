package fulldisk

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-mcp/otelcol-mcp/test/harness"
)

// disk is a small file system of its own, in memory.
type disk struct{ folder string }

// mount makes one, which only root may do.
func mount(t *testing.T) disk {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("NOT TESTED: only root may mount a small disk")
	}
	d := disk{t.TempDir()}
	if err := syscall.Mount("tmpfs", d.folder, "tmpfs", 0, "size=4m"); err != nil {
		harness.Missing(t, "a small disk cannot be mounted: "+err.Error())
	}
	t.Cleanup(func() { require.NoError(t, syscall.Unmount(d.folder, syscall.MNT_DETACH)) })
	return d
}

func (d disk) filler() string { return filepath.Join(d.folder, "filler") }

// fill leaves no page free.
func (d disk) fill(t *testing.T) {
	t.Helper()
	file, err := os.OpenFile(d.filler(), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	require.NoError(t, err)
	defer file.Close()
	page := make([]byte, os.Getpagesize())
	for err == nil {
		_, err = file.Write(page)
	}
	require.ErrorIs(t, err, syscall.ENOSPC)
}

// free makes room again.
func (d disk) free(t *testing.T) {
	t.Helper()
	require.NoError(t, os.Remove(d.filler()))
}

// content is all that the storage's files have.
func (d disk) content(t *testing.T) (all []byte) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(d.folder, "receiver_*"))
	require.NoError(t, err)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		all = append(all, text...)
	}
	return all
}
