package report

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"time"

	"github.com/otelcol-mcp/otelcol-mcp/internal/observation"
)

const (
	flushAfter = 250 * time.Millisecond // how long a batch may grow
	shortest   = 250 * time.Millisecond // between two tries
	longest    = 30 * time.Second
	sayAfter   = time.Minute // between two complaints
	restFor    = 7           // times what a batch took
	restMost   = time.Second
)

// destination takes lines of one session.
type destination interface {
	post(ctx context.Context, session string, lines []byte) error
}

// Sender takes the records of a queue to where they belong, one batch at a
// time. After each it rests longer than that took, so that a collector on the
// same machine leaves most of it to the agent.
type Sender struct {
	queue *Queue
	to    destination
	name  string
	log   io.Writer

	ctx    context.Context //nolint:containedctx // ends what Close waits for
	cancel context.CancelFunc
	ending chan struct{}
	ended  chan struct{}

	failing error // why the last batch that was lost was lost
	said    time.Time
	toldOf  int64
}

// Start sends to a collector until Close. Complaints go to log, one a minute at
// most.
func Start(q *Queue, c *Client, log io.Writer) *Sender { return start(q, c, c.endpoint, log) }

// StartFile is like Start for a file, which Close does not close; torn tells that
// the line with which it ends is not whole.
func StartFile(q *Queue, f io.Writer, torn bool, name string, log io.Writer) *Sender {
	return start(q, newFile(f, torn), name, log)
}

func start(q *Queue, to destination, name string, log io.Writer) *Sender {
	s := &Sender{queue: q, to: to, name: name, log: log, ending: make(chan struct{}), ended: make(chan struct{})}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	go s.run()
	return s
}

// Close sends what is left, for as long as wait at most.
func (s *Sender) Close(wait time.Duration) {
	close(s.ending)
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-s.ended:
	case <-timer.C:
	}
	s.cancel()
	<-s.ended
}

func (s *Sender) run() {
	defer close(s.ended)
	defer s.sum()
	defer func() { // a mistake here must not end the server that is tapped
		if mistake := recover(); mistake != nil {
			fmt.Fprintf(s.log, "mcptap: a mistake in mcptap, nothing more is sent: %v\n", mistake)
		}
	}()
	for {
		b, dropped := s.queue.next(s.ripe())
		if b == nil {
			s.complain()
			if s.isEnding() && s.queue.isEmpty() || !s.wait() {
				return
			}
			continue
		}
		begun := time.Now()
		s.deliver(b, dropped)
		s.complain()
		s.pause(min(restFor*time.Since(begun), restMost))
	}
}

// ripe is the time before which a batch must have been begun to be sent.
func (s *Sender) ripe() time.Time {
	if s.isEnding() {
		return time.Now().Add(time.Hour)
	}
	return time.Now().Add(-flushAfter)
}

func (s *Sender) isEnding() bool {
	select {
	case <-s.ending:
		return true
	default:
		return false
	}
}

// wait is for something to do; false when there will be nothing more.
func (s *Sender) wait() bool {
	if s.queue.isEmpty() {
		select {
		case <-s.queue.wake:
		case <-s.ending:
		}
		return s.ctx.Err() == nil
	}
	s.pause(flushAfter)
	return s.ctx.Err() == nil
}

// pause ends early when the sender is to end.
func (s *Sender) pause(d time.Duration) {
	timer := time.NewTimer(min(d, longest))
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-s.ending:
	}
}

// deliver tries until the batch is taken, or refused for good, or time is up.
func (s *Sender) deliver(b *batch, dropped int64) {
	lines := b.lines
	if dropped > 0 {
		lines = tellDropped(lines, &b.around, dropped)
	}
	for backoff := shortest; ; backoff = min(2*backoff, longest) {
		err := s.to.post(s.ctx, b.around.Session, lines)
		if some, ok := errors.AsType[*rejection](err); ok {
			s.failing = err
			s.queue.done(b, 0)
			s.queue.Dropped(some.records)
			return
		}
		no, ok := errors.AsType[*refusal](err)
		if !ok {
			s.queue.done(b, 0)
			return
		}
		s.failing = no
		if !s.again(no, backoff) {
			s.queue.done(b, dropped)
			s.queue.Dropped(int64(b.records))
			return
		}
	}
}

// again waits for the next try, if there is to be one. In the end only a
// collector that is there and busy is worth waiting for.
func (s *Sender) again(no *refusal, backoff time.Duration) bool {
	switch {
	case !no.retry || s.ctx.Err() != nil:
		return false
	case !s.isEnding():
		s.complain()
		s.pause(max(backoff, no.after))
		return true
	case no.away:
		return false
	}
	select {
	case <-s.ctx.Done():
	case <-time.After(shortest):
	}
	return s.ctx.Err() == nil
}

// tellDropped appends a notice: the next who look at the session see that
// something is missing in it.
func tellDropped(lines []byte, around *observation.Record, dropped int64) []byte {
	r := *around
	r.Time = time.Now().UnixNano()
	r.Direction, r.Bytes, r.Reduced, r.RequestID, r.End = observation.ClientToServer, 0, false, "", observation.End{}
	message := `{"jsonrpc":"2.0","method":"notifications/mcptap/dropped","params":{"records":` + strconv.FormatInt(dropped, 10) + `}}`
	return r.Append(slices.Clip(lines), []byte(message))
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
