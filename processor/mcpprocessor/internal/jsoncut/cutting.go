package jsoncut

import "strings"

// cutting is a prefix and what is open at its end.
type cutting struct {
	end    int // 0 means none
	quoted bool
	open   stack
}

// close is the prefix with all that is open closed, in memory of its own.
func (c *cutting) close(s string) string {
	var out strings.Builder
	out.Grow(c.end + c.open.depth + len(`"`))
	out.WriteString(s[:c.end])
	if c.quoted {
		out.WriteByte('"')
	}
	for open := c.open; open.depth > 0; open.pop() {
		out.WriteByte(open.closing())
	}
	return out.String()
}
