package mcpprocessor

import (
	"context"
	"errors"
	"fmt"
	"time"
)

const (
	lastWords = 5 * time.Second // that the next consumer may take nothing at shutdown
	lastPause = lastWords / 50  // before what it refuses is sent again
	moment    = 500 * time.Millisecond
)

// letAllGo settles whatever waits.
func (r *rules) letAllGo() {
	for t := r.win.Oldest(); t != nil; t = r.win.Oldest() {
		r.each(t, func(head *trace) { r.settle(head, head.ID, false) })
	}
	r.dropGhosts()
}

// Shutdown sends everything that waits. It may be called unstarted and twice. It
// gives up when ctx is over, or when the next consumer took nothing for lastWords,
// even if that does not return; the error says how many spans were lost.
func (s *stitcher) Shutdown(ctx context.Context) error {
	var err error
	s.timer.stop.Do(func() { err = s.shutdown(ctx) })
	return err
}

func (s *stitcher) shutdown(ctx context.Context) error {
	if s.timer.cancel != nil {
		s.timer.cancel()
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.drain(ctx)
	}()
	s.await(ctx, done)
	cancel()
	if !soon(done) {
		s.out.stop()
		soon(done)
	}
	err := s.lost()
	if s.shared != nil {
		s.converge() // what others need to know
		err = errors.Join(err, s.shared.Close())
	}
	return err
}

// drain sends everything. When ctx is over, what is refused is not sent again.
func (s *stitcher) drain(ctx context.Context) {
	s.timer.done.Wait()
	parcels, tally := s.locked(func(r *rules) {
		s.closed = true
		for _, t := range s.overdue {
			r.expire(t)
		}
		r.letAllGo()
	})
	tally.record(context.WithoutCancel(ctx), s.telemetry)
	s.out.keep(parcels)
	for s.out.flush(ctx) != nil && ctx.Err() == nil {
		sleep(ctx, lastPause)
	}
}

// progress changes whenever something was done that draining takes.
func (s *stitcher) progress() int64 { return s.out.taken.Load() + s.answers.Load() }

// await waits for done, for as long as ctx is not over and there is progress now
// and then.
func (s *stitcher) await(ctx context.Context, done <-chan struct{}) {
	clock := time.NewTimer(lastWords)
	defer clock.Stop()
	for before := int64(-1); before != s.progress(); clock.Reset(lastWords) {
		before = s.progress()
		select {
		case <-done:
			return
		case <-ctx.Done():
			return
		case <-clock.C:
		}
	}
}

// soon reports whether that is done in a moment.
func soon(done <-chan struct{}) bool {
	clock := time.NewTimer(moment)
	defer clock.Stop()
	select {
	case <-done:
		return true
	case <-clock.C:
		return false
	}
}

// lost gives up what was not sent, and says how much that is.
func (s *stitcher) lost() error {
	n := s.out.empty()
	inHand, _ := s.waiting() // of a consumer that does not return
	n += inHand + int(s.out.sending.Load())
	if n == 0 {
		return nil
	}
	s.telemetry.McpProcessorStitchDroppedSpans.Add(context.Background(), int64(n))
	return fmt.Errorf("stitch: the next consumer did not take %d spans that waited before the processor had to stop; they are lost", n)
}
