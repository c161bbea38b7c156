package proxy

import (
	"errors"
	"io"
	"os"
	"sync/atomic"
	"time"
)

// Limits of request bodies: slower clients hold connections and memory without
// getting anywhere.
const (
	bodyIdle = 30 * time.Second // without any byte
	bodyRate = 1 << 10          // bytes a second on average, once bodyIdle is over
)

// paced is the body of a request that must arrive at a certain pace.
type paced struct {
	io.ReadCloser
	setDeadline func(time.Time) error // of reads from the client
	begun       time.Time
	seen        int64
	late        atomic.Bool // the client was too slow
}

// Read implements io.Reader. Behind the body there is no deadline any more: the
// response may take hours.
func (b *paced) Read(p []byte) (int, error) {
	now := time.Now()
	deadline := now.Add(bodyIdle)
	if average := b.begun.Add(bodyIdle + time.Duration(b.seen)*time.Second/bodyRate); average.Before(deadline) {
		deadline = average
	}
	_ = b.setDeadline(deadline) // a server without deadlines has no limit
	n, err := b.ReadCloser.Read(p)
	b.seen += int64(n)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		b.late.Store(true)
	} else if err != nil {
		_ = b.setDeadline(time.Time{})
	}
	return n, err
}
