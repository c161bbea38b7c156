package httpserver

import (
	"errors"
	"math"
)

// deepest bounds the nesting of messages: values within values to the 300th,
// far beyond what anybody sends, and little for a stack.
const deepest = 1000

var errDeep = errors.New("messages are nested too deeply")

// nesting finds out how deeply messages are nested in protobuf that comes in
// pieces. It knows no schema: whatever has a length may be a message, and is
// followed until it cannot be one. So it follows all that a decoder follows, and a
// text that happens to look like a message does not look like a thousand.
type nesting struct {
	ends   []int64 // of the messages around the next byte
	at     int64   // the next byte
	skip   int64   // bytes that are no fields
	next   part
	number uint64 // as far as it has been read
	shift  uint
}

// part names the meaning of a number.
type part int

const (
	tag part = iota
	value
	length
)

// add checks more bytes. The error is errDeep.
func (n *nesting) add(p []byte) error {
	for len(p) > 0 {
		n.leave()
		if n.skip > 0 {
			some := min(n.skip, int64(len(p)))
			n.at, n.skip, p = n.at+some, n.skip-some, p[some:]
			continue
		}
		b := p[0]
		n.at, p = n.at+1, p[1:]
		n.number |= uint64(b&0x7f) << n.shift
		if b < 0x80 {
			n.read(n.number)
		} else if n.shift += 7; n.shift >= 64 {
			n.giveUp()
		}
		if len(n.ends) > deepest {
			return errDeep
		}
	}
	return nil
}

// leave ends the messages that end here, whole or not.
func (n *nesting) leave() {
	for len(n.ends) > 0 && n.at == n.ends[len(n.ends)-1] {
		n.ends = n.ends[:len(n.ends)-1]
		n.expect(tag)
	}
}

func (n *nesting) expect(next part) { n.next, n.number, n.shift = next, 0, 0 }

// read goes on after a number.
func (n *nesting) read(number uint64) {
	was := n.next
	n.expect(tag)
	switch {
	case was == length && number > uint64(n.rest()): //nolint:gosec // never negative
		n.giveUp()
	case was == length:
		n.ends = append(n.ends, n.at+int64(number)) //nolint:gosec // not more than the rest
	case was == tag:
		n.begin(number & 7)
	}
}

// begin goes on after a tag with a wire type. Groups are fields like others.
func (n *nesting) begin(wire uint64) {
	switch wire {
	case 0:
		n.expect(value)
	case 1:
		n.pass(8)
	case 2:
		n.expect(length)
	case 5:
		n.pass(4)
	case 3, 4:
	default:
		n.giveUp()
	}
}

func (n *nesting) pass(bytes int64) {
	if bytes > n.rest() {
		n.giveUp()
		return
	}
	n.skip = bytes
}

// rest returns how many bytes there are in the innermost message. That of the outermost
// is not known; no body is as long.
func (n *nesting) rest() int64 {
	if len(n.ends) == 0 {
		return math.MaxInt64/2 - n.at
	}
	return n.ends[len(n.ends)-1] - n.at
}

// giveUp passes what is no message, where decoders give up too.
func (n *nesting) giveUp() {
	n.expect(tag)
	n.skip = n.rest()
}
