package report

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"time"
)

// OpenFile opens a file to append records to, and creates it if there is none;
// others may append to it too. torn reports that it ends in the middle of a line,
// as after a crash. A file that does not end with records is moved aside, with a
// line about it on log, and the file starts empty.
func OpenFile(path string, log io.Writer) (f *os.File, torn bool, err error) {
	damaged, torn := inspect(path)
	if damaged {
		aside := path + ".corrupt-" + time.Now().UTC().Format("20060102T150405.000000000Z")
		if err = os.Rename(path, aside); err != nil && !errors.Is(err, os.ErrNotExist) { // another mcptap was faster
			return nil, false, fmt.Errorf("the file is damaged, and cannot be moved aside: %w", err)
		}
		torn = false
		fmt.Fprintf(log, "mcptap: %s is damaged: moved to %s, starting an empty one\n", path, aside)
	}
	f, err = os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600) //nolint:gosec // it is what the user asked for
	return f, torn, err
}

// inspect reads the end of a regular file. One that cannot be read may still be
// written.
func inspect(path string) (damaged, torn bool) {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() == 0 {
		return false, false
	}
	f, err := os.Open(path) //nolint:gosec // it is what the user asked for
	if err != nil {
		return false, false
	}
	defer f.Close()
	last, cut, err := lastLines(f, info.Size())
	switch {
	case errors.Is(err, errEndless):
		return true, false
	case err != nil:
		return false, false
	case len(bytes.TrimSpace(last)) > 0:
		if _, ok := sessionOf(last); !ok {
			return true, false
		}
	}
	return len(cut) > 0 && cut[0] != '{', len(cut) > 0
}

var errEndless = fmt.Errorf("a line is longer than %d bytes", lineMax)

// lastLines are the last whole line of a file that is not blank, if there is
// one, and what follows the last line break.
func lastLines(f io.ReaderAt, size int64) (last, cut []byte, err error) {
	for n := int64(64 << 10); ; n *= 4 {
		n = min(n, size, 2*lineMax)
		tail := make([]byte, n)
		if _, err = f.ReadAt(tail, size-n); err != nil && !errors.Is(err, io.EOF) {
			return nil, nil, err
		}
		end := bytes.LastIndexByte(tail, '\n') + 1
		whole := bytes.TrimRight(tail[:end], " \t\r\n")
		start := bytes.LastIndexByte(whole, '\n') + 1
		switch {
		case start > 0 || n == size:
			return whole[start:], tail[end:], nil
		case n == 2*lineMax:
			return nil, nil, errEndless
		}
	}
}
