package passthrough

import (
	"bytes"
	"io"
)

// changer changes whole lines. A line longer than most goes through as it is.
type changer struct {
	to     io.Writer
	change func(line []byte) []byte
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
		if err := c.pass(c.held); err != nil {
			return err
		}
		c.held = nil
	}
	switch {
	case c.long:
		c.long = !ends
		return c.pass(part)
	case !ends:
		c.held = append(c.held, part...)
		return nil
	case len(c.held) > 0:
		part = append(c.held, part...)
		c.held = nil
	}
	return c.pass(c.change(part))
}

// end passes on a last line without a line feed.
func (c *changer) end() error {
	if len(c.held) == 0 {
		return nil
	}
	return c.pass(c.change(c.held))
}

func (c *changer) pass(p []byte) error {
	_, err := c.to.Write(p)
	return err
}
