package boltfile

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
)

// The format, version 2: https://github.com/etcd-io/bbolt/tree/main/internal/common.
// Numbers are in the machine's byte order.
const (
	magic      = 0xED0CDAED
	version    = 2
	headerSize = 16
	metaSize   = 64
	// elementSize is that of the elements of branches and of leaves.
	elementSize = 16
	bucketSize  = 16
	maxKey      = 32768
	noFreelist  = ^uint64(0)

	branchPage   = 0x01
	leafPage     = 0x02
	freelistPage = 0x10
	bucketLeaf   = 0x01

	minPageSize = 1 << 10
	maxPageSize = 16 << 20
)

func u16(b []byte) uint16 { return binary.NativeEndian.Uint16(b) }
func u32(b []byte) uint32 { return binary.NativeEndian.Uint32(b) }
func u64(b []byte) uint64 { return binary.NativeEndian.Uint64(b) }

// meta is what one of the two meta pages says.
type meta struct {
	pageSize              uint32
	root, freelist, pages uint64
	txid                  uint64
}

// readMeta reads the meta page that bbolt would go by: the newer valid one.
func readMeta(file io.ReaderAt, size int64) (meta, error) {
	first, err := metaAt(file, size, 0)
	if err != nil && !errors.Is(err, ErrDamaged) {
		return meta{}, err
	}
	valid := err == nil
	second, err := secondMeta(file, size, first.pageSize)
	switch {
	case err != nil && !errors.Is(err, ErrDamaged), err != nil && !valid:
		return meta{}, err
	case !valid, err == nil && second.txid > first.txid:
		first = second
	}
	switch {
	case first.pages > uint64(size)/uint64(first.pageSize): //nolint:gosec // a size
		return meta{}, fmt.Errorf("%w: it has %d bytes instead of at least %d pages of %d", ErrDamaged, size, first.pages, first.pageSize)
	case first.pages < 3:
		return meta{}, fmt.Errorf("%w: it has %d pages", ErrDamaged, first.pages)
	}
	return first, nil
}

// secondMeta looks for the second meta page where the first one says, or else
// where there may be one.
func secondMeta(file io.ReaderAt, size int64, pageSize uint32) (m meta, err error) {
	if pageSize != 0 {
		return metaAt(file, size, int64(pageSize))
	}
	for at := int64(minPageSize); at <= maxPageSize; at *= 2 {
		if m, err = metaAt(file, size, at); err == nil && int64(m.pageSize) == at || err != nil && !errors.Is(err, ErrDamaged) {
			return m, err
		}
	}
	return meta{}, fmt.Errorf("%w: neither of its first two pages says what it is", ErrDamaged)
}

func metaAt(file io.ReaderAt, size, at int64) (m meta, err error) {
	if at+headerSize+metaSize > size {
		return m, fmt.Errorf("%w: it has only %d bytes", ErrDamaged, size)
	}
	b := make([]byte, metaSize)
	if _, err := file.ReadAt(b, at+headerSize); err != nil {
		return m, err
	}
	sum := fnv.New64a()
	_, _ = sum.Write(b[:metaSize-8]) // never fails
	m = meta{pageSize: u32(b[8:]), root: u64(b[16:]), freelist: u64(b[32:]), pages: u64(b[40:]), txid: u64(b[48:])}
	switch {
	case u32(b) != magic || u32(b[4:]) != version || u64(b[56:]) != sum.Sum64(),
		m.pageSize < minPageSize || m.pageSize > maxPageSize || m.pageSize&(m.pageSize-1) != 0:
		return meta{}, fmt.Errorf("%w: its page at %d does not say what it is", ErrDamaged, at)
	}
	return m, nil
}

// header is the start of each page.
type header struct {
	id       uint64
	flags    uint16
	count    uint16
	overflow uint32
}

func decodeHeader(b []byte) header { return header{u64(b), u16(b[8:]), u16(b[10:]), u32(b[12:])} }

// element is an entry of a branch, with a page, or of a leaf, with flags and the
// place of the value in the page.
type element struct {
	page             uint64
	flags            uint32
	value, valueSize int64
}

// window reads a file in pieces.
type window struct {
	r    io.ReaderAt
	size int64
	buf  []byte
	at   int64
}

// windowSize is how much is read at once, if not more is wanted.
const windowSize = 4 << 10

// get reads n bytes, which stay as they are until the next call.
func (w *window) get(at, n int64) ([]byte, error) {
	if at < w.at || at+n > w.at+int64(len(w.buf)) {
		read := min(max(n, windowSize), w.size-at)
		if read < n {
			return nil, fmt.Errorf("%w: %d bytes at %d are behind its end", ErrDamaged, n, at)
		}
		if int64(cap(w.buf)) < read {
			w.buf = make([]byte, read)
		}
		w.buf, w.at = w.buf[:read], at
		if _, err := w.r.ReadAt(w.buf, at); err != nil {
			w.buf = w.buf[:0]
			return nil, err
		}
	}
	return w.buf[at-w.at : at-w.at+n], nil
}

// area is a page, or what stands for one.
type area struct {
	file     *window
	at, size int64
}

func (a area) get(at, n int64) ([]byte, error) { return a.file.get(a.at+at, n) }

// elements reads the entries of a branch or a leaf. bbolt writes their keys and
// values one behind the other, without gaps.
func (a area) elements(id uint64, h header, each func(e element, key []byte) error) error {
	end := headerSize + int64(h.count)*elementSize
	if end > a.size {
		return damaged(id, "its %d elements do not fit", h.count)
	}
	raw, err := a.get(headerSize, end-headerSize)
	if err != nil {
		return err
	}
	table := append([]byte(nil), raw...)
	for i := range int64(h.count) {
		b, at := table[i*elementSize:], headerSize+i*elementSize
		var e element
		var pos, keySize int64
		if h.flags == branchPage {
			pos, keySize, e.page = int64(u32(b)), int64(u32(b[4:])), u64(b[8:])
		} else {
			e.flags, pos, keySize, e.valueSize = u32(b), int64(u32(b[4:])), int64(u32(b[8:])), int64(u32(b[12:]))
		}
		e.value = end + keySize
		if at+pos != end || keySize > maxKey || e.value+e.valueSize > a.size {
			return damaged(id, "its element %d is out of place", i)
		}
		key, err := a.get(end, keySize)
		if err != nil {
			return err
		}
		end = e.value + e.valueSize
		if err := each(e, key); err != nil {
			return err
		}
	}
	return nil
}
