package proxy

import (
	"errors"
	"io"
	"sync"
)

// tee shows bytes to part before the reader gets them. It may be closed while it is
// read, as net/http does when the answer comes first.
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

// Read implements io.Reader. A whole body is reported at once: the answer to it
// may come before the reader asks for more. Further reads end here: reading on in
// a request that is being answered is an error, which would end the answer.
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

// isRead reports whether nothing is left to read.
func (t *tee) isRead() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.whole
}

// Close implements io.Closer.
func (t *tee) Close() error {
	t.stop()
	return t.ReadCloser.Close()
}

// stop shows nothing more.
func (t *tee) stop() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.finish()
}

func (t *tee) finish() {
	if !t.ended {
		t.ended = true
		t.end()
	}
}
