package tracefiles

import (
	"bufio"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"errors"
	"io"
)

// gzipMagic begins a member: two bytes of its own, and the only
// method of compression there is (RFC 1952, 2.3.1).
var gzipMagic = []byte{0x1f, 0x8b, 8}

// zipped is a file of gzip members.
type zipped struct {
	file    io.Seeker
	raw     io.Reader // the file, from where it stands
	counted counting
	member  *gzip.Reader
}

// openMember begins the member at the place, behind what was read of it.
func (s *source) openMember() error {
	z := s.zip
	if err := z.open(); err != nil {
		return err
	}
	s.in.Reset(z.member)
	if _, err := io.CopyN(io.Discard, s.in, s.place.Lines); err != nil {
		return waiting(err)
	}
	return nil
}

func (z *zipped) open() (err error) {
	z.counted.n = 0
	if z.member == nil {
		z.member, err = gzip.NewReader(&z.counted)
	} else {
		err = z.member.Reset(&z.counted)
	}
	if err != nil {
		return waiting(err)
	}
	z.member.Multistream(false)
	return nil
}

// waiting reports that nothing is there yet from the end of a member.
func waiting(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// damaged reports whether the err is of bytes that will never be a whole member,
// as when its writer was killed and another one continued behind.
func damaged(err error) bool {
	var corrupt flate.CorruptInputError
	return errors.Is(err, gzip.ErrHeader) || errors.Is(err, gzip.ErrChecksum) || errors.As(err, &corrupt)
}

// leap moves the place to what may be the next member, else to the end; false if
// it is there already.
func (s *source) leap() bool {
	at, err := s.zip.find(s.place.Offset + 1)
	if err == nil && at > s.place.Offset {
		_, err = s.file.Seek(at, io.SeekStart)
	}
	if err != nil && !s.ends(err) {
		s.broken = err
	}
	if err != nil || at <= s.place.Offset {
		return false
	}
	s.torn = true
	s.place.Offset, s.place.Lines, s.place.Long = at, 0, false
	s.zip.counted.r.Reset(s.zip.raw)
	s.fault = s.openMember()
	return true
}

// find is where the first bytes of a member are, from at on; if there are none,
// the last place where they may still begin.
func (z *zipped) find(at int64) (int64, error) {
	if _, err := z.file.Seek(at, io.SeekStart); err != nil {
		return 0, err
	}
	window := make([]byte, 0, 1<<16)
	for {
		n, err := z.raw.Read(window[len(window):cap(window)])
		window = window[:len(window)+n]
		if i := bytes.Index(window, gzipMagic); i >= 0 {
			return at + int64(i), nil
		}
		over := max(0, len(window)-len(gzipMagic)+1)
		at += int64(over)
		window = window[:copy(window, window[over:])]
		if errors.Is(err, io.EOF) {
			return at, nil
		}
		if err != nil {
			return 0, err
		}
	}
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
