package report

import (
	"context"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"
)

const (
	flushAfter  = 250 * time.Millisecond // how long a batch may grow
	fullAfter   = 100 * time.Millisecond // how long a full one waits, so that a burst is over first
	crowdedMost = 100 * time.Millisecond // how long half of the queue may be taken before the sender hurries
	tick        = 50 * time.Millisecond  // between two looks at the queue
	shortest    = 250 * time.Millisecond // between two tries
	longest     = 30 * time.Second
	sayAfter    = time.Minute // between two complaints
	restFor     = 7           // times what a batch took
	restMost    = time.Second
	extendMost  = 4               // times the last wait while the collector accepts batches
	lastFlush   = time.Second / 2 // for the ends of sessions when everything else is given up
)

// destination accepts lines of one session.
type destination interface {
	post(ctx context.Context, session string, lines []byte) error
}

// Sender delivers the records of a queue to their destination, one batch at a
// time. After each it rests longer than that took, so that a collector on the
// same machine leaves most of it to the agent; but it does not rest while the
// queue fills up.
type Sender struct {
	queue *Queue
	to    destination
	name  string
	log   io.Writer

	ctx    context.Context //nolint:containedctx // ends what Close waits for
	cancel context.CancelFunc

	finish   sync.Once
	ending   chan struct{} // no rests any more
	closing  sync.Once
	closed   chan struct{} // no records any more
	ended    chan struct{}
	accepted atomic.Int64 // batches

	away    bool  // the collector did not answer
	failing error // why the last batch that was lost was lost
	said    time.Time
	toldOf  int64
}

// Start sends to a collector until Close. Complaints go to log, one a minute at
// most, and one at the end.
func Start(q *Queue, c *Client, log io.Writer) *Sender { return start(q, c, c.endpoint, log) }

// StartFile is like Start for a file, which Close does not close; torn reports
// that the line with which it ends is not whole.
func StartFile(q *Queue, f io.Writer, torn bool, name string, log io.Writer) *Sender {
	return start(q, newFile(f, torn), name, log)
}

func start(q *Queue, to destination, name string, log io.Writer) *Sender {
	s := &Sender{
		queue: q, to: to, name: name, log: log,
		ending: make(chan struct{}), closed: make(chan struct{}), ended: make(chan struct{}),
	}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	go s.run()
	return s
}

// Finish begins to send what is left, for as long as wait, or longer while the
// collector accepts it. Records may still be added.
func (s *Sender) Finish(wait time.Duration) {
	s.finish.Do(func() {
		close(s.ending)
		s.expire(wait, extendMost)
	})
}

// expire gives up after wait, unless batches were accepted meanwhile.
func (s *Sender) expire(wait time.Duration, extensions int) {
	before := s.accepted.Load()
	time.AfterFunc(wait, func() {
		if extensions > 0 && s.accepted.Load() > before && s.ctx.Err() == nil {
			s.expire(wait, extensions-1)
			return
		}
		s.GiveUp()
	})
}

// GiveUp drops what is left, but for the ends of sessions.
func (s *Sender) GiveUp() {
	s.cancel()
	s.queue.hurry()
}

// Close sends what is left as Finish does, and returns when that is over. No
// record may be added any more.
func (s *Sender) Close(wait time.Duration) {
	s.Finish(wait)
	s.closing.Do(func() { close(s.closed) })
	<-s.ended
	s.cancel()
}

func (s *Sender) run() {
	defer close(s.ended)
	defer s.sum()
	defer func() { // a panic here must not end the server that is tapped
		if mistake := recover(); mistake != nil {
			s.queue.accepts(false)
			s.queue.hurry()
			fmt.Fprintf(s.log, "mcptap: internal error, nothing more is sent: %v\n", mistake)
		}
	}()
	s.send()
	<-s.closed
	if !s.queue.isEmpty() {
		s.sendEnds()
	}
}

// send returns when everything is sent, or time is up.
func (s *Sender) send() {
	for s.ctx.Err() == nil {
		b := s.queue.next(s.isEnding())
		if b == nil {
			s.complain()
			if isDone(s.closed) && s.queue.isEmpty() {
				return
			}
			s.wait()
			continue
		}
		begun := time.Now()
		s.deliver(b)
		s.complain()
		s.rest(min(restFor*time.Since(begun), restMost))
	}
}

func (s *Sender) isEnding() bool { return isDone(s.ending) }

func isDone(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// wait is for something to do.
func (s *Sender) wait() {
	if !s.queue.isEmpty() && !s.isEnding() {
		s.pause(tick)
		return
	}
	end := s.ending
	if s.isEnding() {
		end = s.closed
	}
	select {
	case <-s.queue.wake:
	case <-end:
	case <-s.ctx.Done():
	}
}

// rest leaves the machine to others, but not while the queue fills up.
func (s *Sender) rest(d time.Duration) {
	for until := time.Now().Add(d); time.Now().Before(until) && !s.isEnding() && !s.queue.isCrowded(); {
		s.pause(min(tick, time.Until(until)))
	}
}

// pause ends early when the sender is to end.
func (s *Sender) pause(d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-s.ending:
	}
}

// complain reports lost records, at most once a minute.
func (s *Sender) complain() {
	lost := s.queue.lost()
	if lost == s.toldOf || !s.said.IsZero() && time.Since(s.said) < sayAfter {
		return
	}
	fmt.Fprintf(s.log, "mcptap: %d records lost so far: %s: %s\n", lost, s.name, s.reason())
	s.toldOf, s.said = lost, time.Now()
}

// sum reports how many records were lost in total.
func (s *Sender) sum() {
	if lost := s.queue.lost(); lost > 0 {
		fmt.Fprintf(s.log, "mcptap: %d records lost in total: %s: %s\n", lost, s.name, s.reason())
	}
}

// reason is why the last records were lost.
func (s *Sender) reason() string {
	if s.failing == nil {
		return "records arrive faster than they can be sent"
	}
	return s.failing.Error()
}
