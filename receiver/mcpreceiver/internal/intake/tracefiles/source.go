package tracefiles

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"strings"
)

// source gives the whole lines of a file from a place on. A last line without
// its end waits, and so does a gzip member that is not whole yet, as far as it
// cannot be read.
type source struct {
	file  *os.File
	place Place // behind the last line
	line  []byte
	more  bool // there is more than one poll may read

	raw    *counting
	member *gzip.Reader  // nil if the file is plain
	in     *bufio.Reader // of the plain file, or of the member
	read   int64
	done   bool
}

var gzipMagic = []byte{0x1f, 0x8b}

func open(f *file, path string, size int64) (*source, error) {
	handle, err := os.Open(path) //nolint:gosec // the operator says which files are read
	if err != nil {
		return nil, err
	}
	f.settle(handle, size)
	s := &source{file: handle, place: f.place}
	if err = s.begin(path); err != nil {
		return nil, errors.Join(err, handle.Close())
	}
	return s, nil
}

func (s *source) begin(path string) error {
	if _, err := s.file.Seek(s.place.Offset, io.SeekStart); err != nil {
		return err
	}
	s.raw = &counting{r: bufio.NewReaderSize(s.file, 1<<16)}
	magic := make([]byte, len(gzipMagic))
	_, _ = s.file.ReadAt(magic, 0)
	if !bytes.Equal(magic, gzipMagic) && !strings.HasSuffix(path, ".gz") {
		s.in = bufio.NewReaderSize(s.raw, 1<<16)
		return nil
	}
	s.openMember()
	return nil
}

// Close closes the file.
func (s *source) Close() error { return s.file.Close() }

// next reads the next whole line; it is false when there is none yet.
func (s *source) next() bool {
	for !s.done {
		if s.read > bytesMax {
			s.more = true
			return false
		}
		line, err := s.readLine()
		if err == nil {
			s.line = line
			return true
		}
		if s.member == nil || !errors.Is(err, io.EOF) || !s.nextMember() {
			s.done = true
		}
	}
	return false
}

// readLine reads a line with its end, and moves the place behind it.
func (s *source) readLine() ([]byte, error) {
	if s.in == nil {
		return nil, io.ErrUnexpectedEOF
	}
	var long []byte
	for {
		part, err := s.in.ReadSlice('\n')
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			if long = append(long, part...); len(long) > lineBytes {
				return s.skipLine(int64(len(long)))
			}
			continue
		case errors.Is(err, io.EOF) && s.member != nil && len(long)+len(part) > 0:
			// Nothing can be added to a member that has ended.
			s.move(int64(len(long) + len(part)))
			return append(long, part...), nil
		case err != nil:
			return nil, err
		}
		line := part
		if long != nil {
			long = append(long, part...)
			line = long
		}
		s.move(int64(len(line)))
		return line[:len(line)-1], nil
	}
}

// tooLong stands for a line that is too long: it is no JSON, and counts as bad.
var tooLong = []byte("!")

// skipLine leaves out the rest of a line of which n bytes were read.
func (s *source) skipLine(n int64) ([]byte, error) {
	for {
		part, err := s.in.ReadSlice('\n')
		n += int64(len(part))
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if err != nil {
			return nil, err
		}
		s.move(n)
		return tooLong, nil
	}
}

// move puts the place behind n more bytes.
func (s *source) move(n int64) {
	s.read += n
	if s.member == nil {
		s.place.Offset += n
	} else {
		s.place.Lines += n
	}
}

// openMember begins the member at the place, behind what was read of it.
func (s *source) openMember() {
	s.raw.n = 0
	member, err := gzip.NewReader(s.raw)
	if err != nil {
		s.done = true // nothing, or not a whole head yet
		return
	}
	member.Multistream(false)
	s.member = member
	if s.in == nil {
		s.in = bufio.NewReaderSize(member, 1<<16)
	} else {
		s.in.Reset(member)
	}
	if _, err := io.CopyN(io.Discard, s.in, s.place.Lines); err != nil {
		s.done = true
	}
}

// nextMember goes on behind a member that ended.
func (s *source) nextMember() bool {
	s.place.Offset += s.raw.n
	s.place.Lines = 0
	s.openMember()
	return !s.done
}

// counting counts what was read; it reads byte by byte for gzip, so that the
// count stands at the end of the member and not behind it.
type counting struct {
	r *bufio.Reader
	n int64
}

// Read implements io.Reader.
func (c *counting) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}

// ReadByte implements io.ByteReader.
func (c *counting) ReadByte() (byte, error) {
	b, err := c.r.ReadByte()
	if err == nil {
		c.n++
	}
	return b, err
}
