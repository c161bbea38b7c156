package stitch

import (
	"context"
	"errors"
	"fmt"
	"time"
)

const (
	shutdownGrace = 5 * time.Second    // without progress
	shutdownRetry = shutdownGrace / 50 // before refused spans are sent again
	moment        = 500 * time.Millisecond
)

// Shutdown releases and sends everything that waits. It may be called unstarted
// and twice. It gives up when ctx is over, or when the next consumer accepted
// nothing for five seconds, even if that does not return. The error says how many
// spans were lost.
func (s *Stitcher) Shutdown(ctx context.Context) error {
	var err error
	s.stopped.Do(func() { err = s.shutdown(ctx) })
	return err
}

func (s *Stitcher) shutdown(ctx context.Context) error {
	s.timer.stop()
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
		s.retries.Stop()
		soon(done)
	}
	err := s.discard()
	if s.shared != nil {
		s.shared.converge() // what other replicas need to know
		err = errors.Join(err, s.shared.index.Close())
	}
	return err
}

// drain sends everything. When ctx is over, refused spans are not sent again.
func (s *Stitcher) drain(ctx context.Context) {
	s.timer.done.Wait()
	out, stats := s.locked(func() {
		s.closed = true
		if s.shared != nil {
			for _, t := range s.shared.due {
				s.traces.expire(t)
			}
		}
		s.traces.releaseAll()
	})
	stats.record(context.WithoutCancel(ctx), s.telemetry)
	s.retries.Push(out)
	for s.retries.Flush(ctx) != nil && ctx.Err() == nil {
		sleep(ctx, shutdownRetry)
	}
}

// progress changes whenever draining gets further.
func (s *Stitcher) progress() int64 {
	n := s.retries.Delivered()
	if s.shared != nil {
		n += s.shared.answers.Load()
	}
	return n
}

// await waits for done, for as long as ctx is not over and there is progress.
func (s *Stitcher) await(ctx context.Context, done <-chan struct{}) {
	clock := time.NewTimer(shutdownGrace)
	defer clock.Stop()
	for before := int64(-1); before != s.progress(); clock.Reset(shutdownGrace) {
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

// discard gives up what was not sent. The error says how many spans that loses.
func (s *Stitcher) discard() error {
	n := s.retries.Discard()
	inFlight, _ := s.waiting() // with a consumer that does not return
	n += inFlight + int(s.retries.Sending())
	if n == 0 {
		return nil
	}
	s.telemetry.McpProcessorStitchDroppedSpans.Add(context.Background(), int64(n))
	return fmt.Errorf("stitch: the next consumer did not accept %d spans before shutdown ended; they are lost", n)
}
