package boltfile

// freelist reads the list of free pages. file_storage writes none, but a file
// that another program has compacted may have one.
func (c *checker) freelist(id uint64) error {
	h, body, err := c.open(id)
	if err != nil {
		return err
	}
	if h.flags != freelistPage {
		return damaged(id, "its type %#x is not that of the free list", h.flags)
	}
	at, count := int64(headerSize), int64(h.count)
	if h.count == 0xFFFF { // then the first number is the count
		raw, err := body.get(at, 8)
		if err != nil {
			return err
		}
		if u64(raw) > c.pages {
			return damaged(id, "it lists %d pages", u64(raw))
		}
		at, count = at+8, int64(u64(raw)) //nolint:gosec // at most as many as there are
	}
	if at+8*count > body.size {
		return damaged(id, "its %d numbers do not fit", count)
	}
	for ; count > 0; count-- {
		raw, err := body.get(at, 8)
		if err != nil {
			return err
		}
		free := u64(raw)
		if free < 2 || free >= c.pages || len(c.free) > 0 && free <= c.free[len(c.free)-1] {
			return damaged(id, "page %d cannot be free", free)
		}
		c.free = append(c.free, free)
		at += 8
	}
	return nil
}

// freeOnly checks that no page is both free and in use.
func (c *checker) freeOnly() error {
	for _, id := range c.free {
		if err := c.take(id, 0); err != nil {
			return err
		}
	}
	return nil
}
