package settings

import (
	"bytes"
	"slices"

	"github.com/tailscale/hujson"
)

// children are the members of an object or the elements of an array: what
// stands before, behind and after each of them.
type children interface {
	count() int
	before(i int) *hujson.Extra
	after(i int) *hujson.Extra
	// tail is before the closing bracket. A comma stands before it if there is
	// something, even if empty, after the last child.
	tail() *hujson.Extra
	push(child any)
	remove(i int)
}

// childrenOf is nil for what can have none.
func childrenOf(v *hujson.Value) children {
	switch v := v.Value.(type) {
	case *hujson.Object:
		return members{v}
	case *hujson.Array:
		return elements{v}
	}
	return nil
}

type members struct{ of *hujson.Object }

func (m members) count() int                 { return len(m.of.Members) }
func (m members) before(i int) *hujson.Extra { return &m.of.Members[i].Name.BeforeExtra }
func (m members) after(i int) *hujson.Extra  { return &m.of.Members[i].Value.AfterExtra }
func (m members) tail() *hujson.Extra        { return &m.of.AfterExtra }
func (m members) remove(i int)               { m.of.Members = slices.Delete(m.of.Members, i, i+1) }
func (m members) push(child any) {
	m.of.Members = append(m.of.Members, child.(hujson.ObjectMember))
}

type elements struct{ of *hujson.Array }

func (e elements) count() int                 { return len(e.of.Elements) }
func (e elements) before(i int) *hujson.Extra { return &e.of.Elements[i].BeforeExtra }
func (e elements) after(i int) *hujson.Extra  { return &e.of.Elements[i].AfterExtra }
func (e elements) tail() *hujson.Extra        { return &e.of.AfterExtra }
func (e elements) remove(i int)               { e.of.Elements = slices.Delete(e.of.Elements, i, i+1) }

func (e elements) push(child any) { e.of.Elements = append(e.of.Elements, child.(hujson.Value)) }

// insert adds a child behind the others. Comments stay where they are.
func (d *jsonDocument) insert(p place, indent string, inline bool, child any) {
	c := childrenOf(p.value)
	n := c.count()
	comma := n > 0 && *c.after(n - 1) != nil
	c.push(child)
	if comma {
		*c.after(n) = hujson.Extra{}
	}
	if inline {
		if n > 0 {
			*c.before(n) = hujson.Extra(" ")
		}
		return
	}
	*c.before(n) = slices.Concat(trimRight(*c.tail()), hujson.Extra(d.nl+indent))
	*c.tail() = hujson.Extra(d.nl + p.indent)
}

// drop removes a child. Comments before it stay.
func (d *jsonDocument) drop(p place, i int) {
	c := childrenOf(p.value)
	last, comma := i == c.count()-1, *c.after(i) != nil
	comments := trimRight(*c.before(i))
	c.remove(i)
	switch n := c.count(); {
	case n == 0 && len(comments) == 0:
		*c.tail() = nil
	case !last:
		if len(comments) > 0 {
			*c.before(i) = slices.Concat(comments, *c.before(i))
		}
	default:
		*c.tail() = slices.Concat(comments, *c.tail())
		if n > 0 && !comma && len(*c.after(n - 1)) == 0 {
			*c.after(n - 1) = nil
		}
		if n > 0 && comma && *c.after(n - 1) == nil {
			*c.after(n - 1) = hujson.Extra{}
		}
	}
}

func trimRight(extra hujson.Extra) hujson.Extra {
	return hujson.Extra(bytes.TrimRight(extra, " \t\r\n"))
}

// indentOf is the white space at the end of extra if it is a line's.
func indentOf(extra hujson.Extra) string {
	i := bytes.LastIndexByte(extra, '\n')
	if i < 0 {
		return ""
	}
	line := extra[i+1:]
	return string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))])
}
