package tracefiles

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"strings"
)

// source gives the whole lines of a file from a place on. A last line without
// its end waits, and so does a gzip member that is not whole yet, as far as it
// cannot be read.
type source struct {
	file  handle
	place Place // behind the last line
	line  []byte
	more  bool // there is more than one poll may read
	torn  bool // a part could not be decompressed

	in     *bufio.Reader // of the plain file, or of the member
	zip    *zipped       // nil if the file is plain
	fault  error         // met before the next line
	broken error         // why the file cannot be read on, if that is not its end
	read   int64
	budget int64 // of bytes for one poll
}

// errPause ends a poll that has read enough, in the middle of a line.
var errPause = errors.New("the rest is read with the next poll")

// handle is a file that is read.
type handle interface {
	io.ReadSeekCloser
	io.ReaderAt
}

func openFile(path string) (handle, error) {
	return os.Open(path) //nolint:gosec // the operator says which files are read
}

// newSource goes on reading where the place is. The source closes the file, as does
// newSource if there is an error.
func newSource(ctx context.Context, in handle, f *file, path string, size int64) (*source, error) {
	err := f.verify(in, size)
	// What was read of a member is read again to go on in it. A poll that reads as
	// much afresh keeps the whole from costing a square.
	s := &source{file: in, place: f.place, budget: max(bytesMax, f.place.Lines)}
	if err == nil {
		err = s.begin(ctx, path)
	}
	if err != nil {
		return nil, errors.Join(err, in.Close())
	}
	return s, nil
}

func (s *source) begin(ctx context.Context, path string) error {
	if _, err := s.file.Seek(s.place.Offset, io.SeekStart); err != nil {
		return err
	}
	raw := &interruptible{ctx, s.file}
	magic := make([]byte, 2)
	if _, err := s.file.ReadAt(magic, 0); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if !bytes.Equal(magic, gzipMagic[:2]) && !strings.HasSuffix(path, ".gz") {
		s.in = bufio.NewReaderSize(raw, 1<<16)
		return nil
	}
	s.zip = &zipped{file: s.file, raw: raw, counted: counting{r: bufio.NewReaderSize(raw, 1<<16)}}
	s.in = bufio.NewReaderSize(nil, 1<<16)
	s.fault = s.openMember()
	return nil
}

// Close closes the file.
func (s *source) Close() error { return s.file.Close() }

// next reads the next whole line; it is false when there is none yet, or when the
// file is broken.
func (s *source) next() bool {
	for {
		err := s.fault
		if s.fault = nil; err == nil {
			if s.more = s.read > s.budget; s.more {
				return false
			}
			s.line, err = s.readLine()
		}
		switch {
		case err == nil:
			return true
		case errors.Is(err, errPause):
		case s.zip != nil && errors.Is(err, io.EOF):
			s.place.Offset, s.place.Lines = s.place.Offset+s.zip.counted.n, 0
			s.fault = s.openMember()
		case s.zip != nil && damaged(err) && s.leap():
			s.line = unreadable
			return true
		default:
			s.fault = err
			if !s.ends(err) {
				s.broken = err
			}
			return false
		}
	}
}

// ends reports whether the err is that there is no more yet, or no more is wanted.
func (s *source) ends(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || s.zip != nil && damaged(err) ||
		errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

// unreadable stands for what is left out: it is no JSON, and counts as bad.
var unreadable = []byte("!")

// readLine reads a line, and moves the place behind it.
func (s *source) readLine() ([]byte, error) {
	var long []byte
	for !s.place.Long {
		part, err := s.in.ReadSlice('\n')
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			long = append(long, part...)
			if s.place.Long = len(long) > lineBytes; s.place.Long {
				s.move(len(long))
			}
			continue
		case s.final(err) && len(long)+len(part) > 0:
			s.move(len(long) + len(part))
			return append(long, part...), nil
		case err != nil:
			return nil, err
		}
		if long != nil {
			long = append(long, part...)
			part = long
		}
		s.move(len(part))
		return part[:len(part)-1], nil
	}
	return s.skipLine()
}

// skipLine leaves out the rest of a line that is too long, or what there is of it.
func (s *source) skipLine() ([]byte, error) {
	for {
		part, err := s.in.ReadSlice('\n')
		s.move(len(part))
		switch {
		case err == nil, s.final(err):
			s.place.Long = false
			return unreadable, nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, err
		case s.read > s.budget:
			return nil, errPause
		}
	}
}

// final reports whether the err is the end of a member, to which nothing can be
// added any more.
func (s *source) final(err error) bool { return s.zip != nil && errors.Is(err, io.EOF) }

// move puts the place behind n more bytes.
func (s *source) move(n int) {
	s.read += int64(n)
	if s.zip == nil {
		s.place.Offset += int64(n)
	} else {
		s.place.Lines += int64(n)
	}
}

// interruptible is a file that is read until ctx is done, however much a few of
// its bytes decompress to.
type interruptible struct {
	ctx  context.Context //nolint:containedctx // of one poll
	file io.Reader
}

// Read implements io.Reader.
func (i *interruptible) Read(p []byte) (int, error) {
	if err := i.ctx.Err(); err != nil {
		return 0, err
	}
	return i.file.Read(p)
}
