package body

import (
	"errors"
	"io"
	"math/bits"
	"net/http"
	"sync"
)

// Sizes of buffers, all powers of two.
const (
	smallest  = 4 << 10  // of a body whose length is unknown
	atOnce    = 16 << 10 // up to which what is announced is allocated at once
	KeepBytes = 1 << 20  // up to which a buffer is kept for another body
	largeStep = 16       // by which one of that size grows if more is announced
)

// pools hold buffers by size, so that a client which sends slowly never holds a
// buffer that a large body needed.
var pools [9]sync.Pool // smallest<<0 … KeepBytes

// Body is the whole body of a request. End it with [Body.Recycle] or
// [Body.Release], once.
type Body struct {
	data    []byte
	charged int64
	budget  *Budget
}

// Bytes is the body. It is the Body's until that is recycled.
func (b *Body) Bytes() []byte { return b.data }

// Release gives the room in the budget back. Bytes stays valid.
func (b *Body) Release() {
	b.budget.release(b.charged)
	b.charged = 0
}

// Recycle is Release for a body to whose bytes nothing refers any more: the next
// one gets its buffer.
func (b *Body) Recycle() {
	b.Release()
	b.budget = nil
	if c := cap(b.data); c <= KeepBytes {
		b.data = b.data[:0]
		pools[class(c)].Put(b)
	}
}

// Read reads the whole body of a request; the server bounds its size. A body that
// announces more than most bytes, which the endpoint takes, is not begun with; 0 is
// no bound. A client that is slow holds at most twice what it sent, but for the
// first 16 KiB, and at most twice what it has room for in the budget. Errors are
// [ErrBusy], [ErrOverBudget], [http.MaxBytesError] and those of reading.
func Read(r *http.Request, budget *Budget, most int64) (*Body, error) {
	if most > 0 && r.ContentLength > most {
		return nil, &http.MaxBytesError{Limit: most}
	}
	if err := budget.admit(r.ContentLength); err != nil {
		return nil, err
	}
	b := obtain(start(r.ContentLength))
	b.budget = budget
	read := false
	defer func() {
		if !read { // after a panic too
			b.Recycle()
		}
	}()
	if err := b.readFrom(r.Body, r.ContentLength); err != nil {
		return nil, err
	}
	read = true
	return b, nil
}

func (b *Body) readFrom(r io.Reader, announced int64) error {
	for {
		if len(b.data) == cap(b.data) {
			b.grow(announced)
		}
		n, err := r.Read(b.data[len(b.data):cap(b.data)])
		if n > 0 {
			b.data = b.data[:len(b.data)+n]
			if err := b.reserve(int64(len(b.data))); err != nil {
				return err
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// reserve takes room in the budget for so many bytes in all.
func (b *Body) reserve(bytes int64) error {
	more := bytes - b.charged
	if more <= 0 {
		return nil
	}
	if err := b.budget.charge(b.charged, more); err != nil {
		return err
	}
	b.charged = bytes
	return nil
}

// grow doubles the buffer, which is full of what has arrived, but not beyond what
// was announced. A large one that is announced to become larger grows by more, to
// be copied less often, if the budget has room for half of it.
func (b *Body) grow(announced int64) {
	size := int64(2 * cap(b.data))
	if announced >= int64(cap(b.data)) {
		size = min(size, announced+1)
		if much := min(largeStep*int64(cap(b.data)), announced+1); cap(b.data) >= KeepBytes && b.budget != nil && b.reserve(much/2) == nil {
			size = much
		}
	}
	larger := obtain(int(size))
	larger.data = append(larger.data, b.data...)
	b.data, larger.data = larger.data, b.data
	larger.Recycle()
}

// start is the first buffer's size. One byte more than announced lets the end be
// read without growing.
func start(announced int64) int {
	if announced < 0 {
		return smallest
	}
	return int(min(announced+1, atOnce))
}

// obtain makes a body with an empty buffer of at least size bytes.
func obtain(size int) *Body {
	if size > KeepBytes {
		return &Body{data: make([]byte, 0, size)}
	}
	of := class(size)
	if b, ok := pools[of].Get().(*Body); ok {
		return b
	}
	return &Body{data: make([]byte, 0, smallest<<of)}
}

// class is the index of the smallest pooled size that is not less than size.
func class(size int) int { return bits.Len(uint(max(size, smallest)-1) / smallest) }
