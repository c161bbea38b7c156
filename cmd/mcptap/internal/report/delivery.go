package report

import (
	"context"
	"errors"
	"math"
	"time"

	"github.com/cenkalti/backoff/v5"
)

// deliver tries until the batch is accepted, or refused for good, or time is up.
func (s *Sender) deliver(b *batch) {
	lines, pauses := b.body(), newBackOff()
	for {
		err := s.to.post(s.ctx, b.around.Session, lines)
		no, refused := errors.AsType[*refusal](err)
		s.queue.accepts(!refused)
		if !refused {
			s.delivered(b, err)
			return
		}
		s.failing, s.away = no, no.away && s.ctx.Err() == nil
		if s.again(no, pauses) {
			continue
		}
		if no.retry {
			s.queue.putBack(b)
			s.GiveUp()
		} else {
			s.queue.refused(b)
		}
		return
	}
}

func (s *Sender) delivered(b *batch, err error) {
	s.away = false
	s.accepted.Add(1)
	some, ok := errors.AsType[*rejection](err)
	switch {
	case !ok:
		s.queue.done(b, math.MaxInt)
		return
	case some.written > 0:
		s.queue.done(b, some.written)
	default:
		s.queue.rejected(b, some.records)
	}
	s.failing = some
}

func newBackOff() *backoff.ExponentialBackOff {
	return &backoff.ExponentialBackOff{InitialInterval: shortest, RandomizationFactor: 0.2, Multiplier: 2, MaxInterval: longest}
}

// again waits for the next try, if there is to be one. In the end only a
// collector that is there and busy is worth waiting for.
func (s *Sender) again(no *refusal, pauses backoff.BackOff) bool {
	switch {
	case !no.retry || s.ctx.Err() != nil:
		return false
	case !s.isEnding():
		s.complain()
		s.pause(min(max(pauses.NextBackOff(), no.after), longest))
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

// sendEnds drops what is left, but tries once more to deliver the ends of
// sessions, and notices of what is missing in them.
func (s *Sender) sendEnds() {
	s.queue.abandon()
	ctx, cancel := context.WithTimeout(context.Background(), lastFlush)
	defer cancel()
	for b := s.queue.next(true); b != nil; b = s.queue.next(true) {
		var err error
		if !s.away {
			err = s.to.post(ctx, b.around.Session, b.body())
		}
		no, refused := errors.AsType[*refusal](err)
		if s.away = s.away || refused; s.away {
			if refused {
				s.failing = no
			}
			s.queue.forget(b)
			continue
		}
		s.delivered(b, err)
	}
}
