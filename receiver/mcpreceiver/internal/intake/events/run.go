package events

import (
	"context"
	"errors"
	"time"

	"go.uber.org/zap"

	"github.com/otelcol-mcp/otelcol-mcp/internal/retry"
)

// errOver says that the server ended the subscription.
var errOver = errors.New("the server ended the subscription")

// attempts is where a subscription is among the ways of delivery.
type attempts struct {
	way     int  // index among those that are wanted and offered
	failing bool // since when the delays grow, which was reported
	delays  *retry.Backoff
	missed  int     // webhooks that the server did not reach, in a row
	last    meaning // of the error of the last attempt
}

// begin tries a way as if nothing had failed before.
func (a *attempts) begin(way int) {
	a.way, a.failing, a.missed = way, false, 0
	a.delays.Reset()
}

// run keeps the subscription up until ctx is done.
func (s *subscription) run(ctx context.Context) {
	for a := (attempts{delays: retry.New(firstRetry, lastRetry)}); ctx.Err() == nil; {
		modes, fresh := s.src.modes(s.spec.Name)
		if a.way >= len(modes) {
			s.is("none", stateRefused)
			s.src.Logger.Warn(refusal(modes, a.last), zap.String("event", s.spec.Name))
			if !waitFor(ctx, fresh, refusedRetry) {
				s.src.changed() // it may have missed that
			}
			a.way = 0
			continue
		}
		began := time.Now()
		spoke := s.src.speaks()
		err := s.attempt(ctx, modes[a.way])
		if time.Since(began) > lastRetry {
			a.begin(a.way)
		}
		switch {
		case ctx.Err() != nil:
			return
		case errors.Is(err, errNews):
			a.begin(0)
			a.last = meansTemporary
			retry.Sleep(ctx, firstRetry) // news may come without end
		default:
			s.after(ctx, err, spoke, &a)
		}
	}
}

// refusal is why none of the delivery modes that are wanted and offered is in use.
func refusal(modes []string, last meaning) string {
	switch {
	case last == meansNotFound:
		return "Server does not know this event; retrying later"
	case len(modes) == 0:
		return "Server offers none of the configured delivery modes for this event; retrying later"
	case last == meansForbidden:
		return "Server does not permit this subscription; retrying later"
	}
	return "Server refused every delivery mode for this event; retrying later"
}

// after decides what follows an attempt that ended.
func (s *subscription) after(ctx context.Context, err error, spoke Generation, a *attempts) {
	if isInternal(err) && s.src.alternate(spoke) {
		return
	}
	what := meaningOf(err, spoke)
	if what == meansUnreached && s.givesUp(a) {
		what = meansRefused
	}
	a.last = what
	switch what {
	case meansMalformed:
		if s.src.otherGeneration(spoke) {
			a.begin(a.way)
		} else {
			a.begin(a.way + 1)
		}
		return
	case meansRefused, meansForbidden:
		s.src.Logger.Info("Server refused a delivery mode; trying the next one", zap.String("event", s.spec.Name), zap.Error(err))
		a.begin(a.way + 1)
		return
	case meansNotFound:
		s.position.setID("")
		a.begin(len(s.src.Delivery))
		return
	case meansExpired:
		if s.gap(ctx, faultMembers(err), nil, s.modeNow()) != nil {
			return
		}
		s.mu.Lock()
		s.fresh = true // the next stream's gap is this one
		s.mu.Unlock()
	case meansSessionLost:
		s.src.reconnect()
	}
	inOrder := errors.Is(err, errStreamEnded) && s.active()
	if !inOrder && !a.failing {
		a.failing = true
		s.src.reportError(s, err)
	}
	delay := a.delays.Next(err)
	if errors.Is(err, errOver) {
		s.is(s.modeNow(), stateEnded)
		delay = lastRetry
	}
	s.src.await(ctx, delay)
}

// givesUp reports whether a webhook was tried often enough, and there is another way.
func (s *subscription) givesUp(a *attempts) bool {
	a.missed++
	modes, _ := s.src.modes(s.spec.Name)
	return a.missed > missedMax && a.way+1 < len(modes)
}

func faultMembers(err error) members {
	if rpc, ok := errors.AsType[*rpcError](err); ok {
		return rpc.members
	}
	return nil
}

func (s *subscription) modeNow() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.mode
}

// errNews says that what is known of the type of event has changed.
var errNews = errors.New("the server's delivery modes for the event changed")

// attempt is one way of delivery, until that fails or there are news.
func (s *subscription) attempt(ctx context.Context, mode string) error {
	s.is(mode, stateConnecting)
	trying, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	s.mu.Lock()
	s.interrupt = cancel
	s.mu.Unlock()
	err := s.by(trying, mode)
	if cause := context.Cause(trying); errors.Is(cause, errNews) {
		return cause
	}
	return err
}

func (s *subscription) by(ctx context.Context, mode string) error {
	switch mode {
	case Poll:
		return s.poll(ctx)
	case Push:
		return s.push(ctx)
	}
	return s.webhook.run(ctx)
}

// news makes the subscription begin again.
func (s *subscription) news() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.interrupt != nil {
		s.interrupt(errNews)
	}
}
