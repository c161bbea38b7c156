package proxy

import (
	"errors"
	"io"
	"sync"
)

// tee shows what is read, before the reader gets it. It may be closed while it is
// read, as those who send requests do when the answer comes first.
type tee struct {
	io.ReadCloser
	length int64 // how much there is, -1 if that is not known
	part   func([]byte)
	end    func()

	mu    sync.Mutex
	seen  int64
	whole bool // nothing is left to read
	ended bool
}

// Read implements io.Reader. What is whole is told at once: the answer to it
// may come before the reader asks for more. Who then does gets no further than
// here: to ask a request that is being answered for more of its body is an
// error, which would end the answer.
func (t *tee) Read(p []byte) (int, error) {
	if t.isRead() {
		return 0, io.EOF
	}
	n, err := t.ReadCloser.Read(p)
	t.mu.Lock()
	defer t.mu.Unlock()
	if n > 0 && !t.ended {
		t.part(p[:n])
		t.seen += int64(n)
	}
	t.whole = t.seen == t.length || errors.Is(err, io.EOF)
	if t.whole || err != nil {
		t.finish()
	}
	return n, err
}

// isRead tells whether nothing is left to read.
func (t *tee) isRead() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.whole
}

// Close implements io.Closer.
func (t *tee) Close() error {
	t.mu.Lock()
	t.finish()
	t.mu.Unlock()
	return t.ReadCloser.Close()
}

func (t *tee) finish() {
	if !t.ended {
		t.ended = true
		t.end()
	}
}
