// Package boltfile finds damage in a file of bbolt before bbolt maps it into
// memory. What bbolt finds on a page it follows: on a damaged one it panics in a
// goroutine of its own, recurses without an end, or reads behind the end of the
// file, and none of that can be recovered from. Nothing here is mapped, and no
// offset is followed before it is known to be in bounds.
package boltfile

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
)

// ErrDamaged is that of a file that bbolt must not open. It is wrapped, with the
// place and what is wrong there.
var ErrDamaged = errors.New("the file is damaged")

func damaged(id uint64, format string, args ...any) error {
	return fmt.Errorf("%w: page %d: %s", ErrDamaged, id, fmt.Sprintf(format, args...))
}

// Check reads what bbolt would follow: the newest valid meta page, the list of
// free pages if there is one, and the tree with the keys of each bucket. The file
// must not change meanwhile. If it has any bucket at all, bucket must be among
// them, and none may have buckets in it.
//
// It is an error that wraps [ErrDamaged], the context's, or that of reading.
// Values are not looked at, since nothing in the file says what they should be.
func Check(ctx context.Context, file io.ReaderAt, size int64, bucket string) error {
	m, err := readMeta(file, size)
	if err != nil {
		return err
	}
	c := &checker{
		ctx: ctx, file: &window{r: file, size: size}, pageSize: int64(m.pageSize), pages: m.pages,
		bucket: []byte(bucket), seen: make([]uint64, m.pages/64+1),
	}
	c.seen[0] = 0b11 // the meta pages
	if m.freelist != noFreelist {
		if err := c.freelist(m.freelist); err != nil {
			return err
		}
	}
	c.todo = append(c.todo, node{id: m.root, buckets: true, root: true})
	for len(c.todo) > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		next := c.todo[len(c.todo)-1]
		c.todo = c.todo[:len(c.todo)-1]
		if err := c.page(next); err != nil {
			return err
		}
	}
	if c.buckets > 0 && !c.found {
		return fmt.Errorf("%w: its bucket %q is not there", ErrDamaged, bucket)
	}
	return c.freeOnly()
}

// ReadAll reads the file to its end, so that what a disk cannot read is known.
func ReadAll(ctx context.Context, file io.ReaderAt, size int64) error {
	buf := make([]byte, 1<<20)
	for at := int64(0); at < size; at += int64(len(buf)) {
		if err := ctx.Err(); err != nil {
			return err
		}
		n := min(int64(len(buf)), size-at)
		if _, err := file.ReadAt(buf[:n], at); err != nil {
			return err
		}
	}
	return nil
}

// checker walks one file.
type checker struct {
	ctx      context.Context //nolint:containedctx // of Check
	file     *window
	pageSize int64
	pages    uint64 // the file has so many
	bucket   []byte

	seen    []uint64 // a bit a page
	free    []uint64 // pages that the list of free ones has
	todo    []node
	buckets int
	found   bool
}

// node is a page of a tree that is still to be looked at, and the keys that it
// may have: from first, which it begins with, to before end; nil: any.
type node struct {
	id         uint64
	first, end []byte
	buckets    bool // its leaves hold buckets, not values
	root       bool
}

// take marks the pages of a node, each of which must be its own.
func (c *checker) take(id, overflow uint64) error {
	if id >= c.pages || overflow >= c.pages-id {
		return damaged(id, "it reaches behind the %d pages of the file", c.pages)
	}
	for p := id; p <= id+overflow; p++ {
		if c.seen[p/64]>>(p%64)&1 != 0 {
			return damaged(p, "it is used twice")
		}
		c.seen[p/64] |= 1 << (p % 64)
	}
	return nil
}

// open reads the header of a page, takes its pages and is a view of all of it.
func (c *checker) open(id uint64) (h header, body area, err error) {
	if id >= c.pages {
		return h, body, damaged(id, "it is behind the %d pages of the file", c.pages)
	}
	at := int64(id) * c.pageSize //nolint:gosec // less than the file's size
	raw, err := c.file.get(at, headerSize)
	if err != nil {
		return h, body, err
	}
	if h = decodeHeader(raw); h.id != id {
		return h, body, damaged(id, "it says that it is page %d", h.id)
	}
	if err := c.take(id, uint64(h.overflow)); err != nil {
		return h, body, err
	}
	return h, area{c.file, at, (int64(h.overflow) + 1) * c.pageSize}, nil
}

func (c *checker) page(n node) error {
	h, body, err := c.open(n.id)
	if err != nil {
		return err
	}
	switch h.flags {
	case branchPage:
		return c.branch(n, h, body)
	case leafPage:
		return c.leaf(n, h, body)
	}
	return damaged(n.id, "its type %#x is neither branch nor leaf", h.flags)
}

func (c *checker) branch(n node, h header, body area) error {
	if h.count == 0 {
		return damaged(n.id, "it is a branch without children")
	}
	order := order{node: n}
	children := make([]node, 0, h.count)
	err := body.elements(n.id, h, func(e element, key []byte) error {
		if err := order.next(key); err != nil {
			return err
		}
		first := bytes.Clone(key)
		if len(children) > 0 {
			children[len(children)-1].end = first
		}
		children = append(children, node{id: e.page, first: first, end: n.end, buckets: n.buckets})
		return nil
	})
	c.todo = append(c.todo, children...)
	return err
}

func (c *checker) leaf(n node, h header, body area) error {
	if h.count == 0 && !n.root {
		return damaged(n.id, "it is a leaf without keys")
	}
	order := order{node: n}
	return body.elements(n.id, h, func(e element, key []byte) error {
		if err := order.next(key); err != nil {
			return err
		}
		if bucket := e.flags == bucketLeaf; e.flags > bucketLeaf || bucket != n.buckets {
			return damaged(n.id, "an element of type %#x does not belong there", e.flags)
		}
		if !n.buckets {
			return nil
		}
		c.buckets++
		c.found = c.found || bytes.Equal(key, c.bucket)
		return c.subtree(n.id, e, body)
	})
}

// subtree looks at a bucket: a tree of its own, or a small page in the value.
func (c *checker) subtree(id uint64, e element, body area) error {
	if e.valueSize < bucketSize || e.valueSize > c.pageSize {
		return damaged(id, "a bucket has %d bytes", e.valueSize)
	}
	value, err := body.get(e.value, bucketSize)
	if err != nil {
		return err
	}
	if root := u64(value); root != 0 {
		if e.valueSize != bucketSize {
			return damaged(id, "a bucket with a page has %d bytes", e.valueSize)
		}
		c.todo = append(c.todo, node{id: root, root: true})
		return nil
	}
	if e.valueSize < bucketSize+headerSize {
		return damaged(id, "a bucket without a page has %d bytes", e.valueSize)
	}
	inline := area{c.file, body.at + e.value + bucketSize, e.valueSize - bucketSize}
	raw, err := inline.get(0, headerSize)
	if err != nil {
		return err
	}
	h := decodeHeader(raw)
	if h.flags != leafPage || h.overflow != 0 {
		return damaged(id, "a bucket in it is not a leaf")
	}
	return c.leaf(node{id: id, root: true}, h, inline)
}

// order checks that keys grow, within what the parent says of them.
type order struct {
	node
	last []byte
}

func (o *order) next(key []byte) error {
	switch {
	case len(key) == 0 || len(key) > maxKey:
		return damaged(o.id, "a key has %d bytes", len(key))
	case o.last == nil && o.first != nil && !bytes.Equal(key, o.first):
		return damaged(o.id, "it does not begin with the key that its parent has")
	case o.last != nil && bytes.Compare(o.last, key) >= 0:
		return damaged(o.id, "its keys are out of order")
	case o.end != nil && bytes.Compare(key, o.end) >= 0:
		return damaged(o.id, "it has keys that belong to the next page")
	}
	o.last = append(o.last[:0], key...)
	return nil
}
