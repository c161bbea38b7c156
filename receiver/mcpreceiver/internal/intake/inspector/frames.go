package inspector

import "io"

// frames passes an event stream on (WHATWG HTML, 9.2.5), but of a frame that is
// too long only its beginning, ended there: a parser that gave up at it would
// meet it again and again on a server that sends what was missed. What is left
// of the frame's JSON is malformed, and counted as that.
type frames struct {
	io.ReadCloser
	limit int // bytes of a frame

	size  int  // bytes of the frame so far
	owed  int  // line ends that are still to be put in place of what is left out
	blank bool // nothing of the line is there yet
	cr    bool // the byte before was a carriage return
	whole bool // a frame has ended since this Read began
}

func newFrames(in io.ReadCloser, limit int) *frames {
	return &frames{ReadCloser: in, limit: limit, blank: true}
}

// Read implements io.Reader. It waits for the end of a frame or until p is full:
// the parser looks at all of a frame again each time that it gets more of it.
func (f *frames) Read(p []byte) (n int, err error) {
	f.whole = len(p) == 0
	for !f.whole && n < len(p) && err == nil {
		var more int
		more, err = f.ReadCloser.Read(p[n:])
		n += f.pass(p[n : n+more])
	}
	return n, err
}

// pass moves what is passed on to the beginning of p.
func (f *frames) pass(p []byte) (n int) {
	for _, b := range p {
		f.size++
		if f.size == f.limit+1 {
			f.owed = 2
		}
		switch {
		case f.size <= f.limit:
			p[n] = b
			n++
		case f.owed > 0:
			p[n] = '\r' // behind another one it is a line end of its own
			n++
			f.owed--
		}
		if f.ends(b) {
			f.size, f.owed, f.whole = 0, 0, true
		}
	}
	return n
}

// ends reports whether the byte is the last of a frame.
func (f *frames) ends(b byte) bool {
	second := f.cr && b == '\n' // of one line end
	f.cr = b == '\r'
	switch {
	case second:
		return false
	case b != '\n' && b != '\r':
		f.blank = false
		return false
	}
	last := f.blank
	f.blank = true
	return last
}
