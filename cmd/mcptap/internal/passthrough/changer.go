package passthrough

import (
	"bytes"
	"io"
)

// changer changes whole lines. A line longer than most goes through as it is.
// Each line is seen at a time of its own, by which its change may be told.
type changer struct {
	to     io.Writer
	see    See
	now    func() int64 // Unix ns
	last   int64        // time of the last line
	change func(at int64, line []byte) []byte
	most   int
	held   []byte // the line so far
	long   bool   // it is too long, and was passed on so far
}

// Write implements io.Writer.
func (c *changer) Write(p []byte) (int, error) {
	n := len(p)
	for len(p) > 0 {
		line := p
		end := bytes.IndexByte(p, '\n')
		if end >= 0 {
			line = p[:end+1]
		}
		if err := c.take(line, end >= 0); err != nil {
			return 0, err
		}
		p = p[len(line):]
	}
	return n, nil
}

func (c *changer) take(part []byte, ends bool) error {
	if !c.long && len(c.held)+len(part) > c.most {
		c.long = true
		if err := c.pass(c.time(), c.held); err != nil {
			return err
		}
		c.held = nil
	}
	switch {
	case c.long:
		c.long = !ends
		return c.pass(c.time(), part)
	case !ends:
		c.held = append(c.held, part...)
		return nil
	case len(c.held) > 0:
		part = append(c.held, part...)
		c.held = nil
	}
	return c.changed(part)
}

func (c *changer) changed(line []byte) error {
	at := c.time()
	c.see(at, line)
	_, err := c.to.Write(c.change(at, line))
	return err
}

// time is later than that of the line before.
func (c *changer) time() int64 {
	c.last = max(c.now(), c.last+1)
	return c.last
}

// end passes on a last line without a line feed.
func (c *changer) end() error {
	if len(c.held) == 0 {
		return nil
	}
	return c.changed(c.held)
}

// pass passes on a part of a line that is too long.
func (c *changer) pass(at int64, p []byte) error {
	if len(p) == 0 {
		return nil
	}
	c.see(at, p)
	_, err := c.to.Write(p)
	return err
}
