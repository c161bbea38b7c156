package report

import (
	"bytes"
	"context"
	"io"
	"os"
)

// file appends records, each in a line of its own. Several processes may append
// to the same file.
type file struct {
	w    io.Writer
	disk *os.File // w if it is a regular file, else nil
	torn bool     // the file ends in the middle of a line
}

func newFile(w io.Writer, torn bool) *file {
	f := &file{w: w, torn: torn}
	if disk, ok := w.(*os.File); ok {
		if info, err := disk.Stat(); err == nil && info.Mode().IsRegular() {
			f.disk = disk
		}
	}
	return f
}

// post implements destination. Of lines that do not all fit on the disk, those
// that fit are written.
func (f *file) post(_ context.Context, _ string, lines []byte) error {
	if f.disk != nil {
		defer lock(f.disk)()
	}
	if f.torn {
		if _, err := f.w.Write([]byte{'\n'}); err != nil {
			return &refusal{why: err}
		}
		f.torn = false
	}
	before := f.size()
	n, err := f.w.Write(lines)
	if err == nil {
		return nil
	}
	whole := bytes.LastIndexByte(lines[:n], '\n') + 1
	f.torn = n > whole && !f.cut(before+int64(n), n-whole)
	if whole == 0 {
		return &refusal{why: err}
	}
	return &rejection{written: bytes.Count(lines[:whole], []byte{'\n'}), why: err}
}

// size returns the size of a regular file, else 0.
func (f *file) size() int64 {
	if f.disk == nil {
		return 0
	}
	info, err := f.disk.Stat()
	if err != nil {
		return 0
	}
	return info.Size()
}

// cut removes the last bytes of a file that should be of this size. It reports
// false, and leaves the file as it is, if another process has appended since.
func (f *file) cut(size int64, last int) bool {
	return f.disk != nil && f.size() == size && f.disk.Truncate(size-int64(last)) == nil
}
